// A chart as a file: which chart, format, width, scale and caption, with a preview of what will be written.
#pragma once

#include "ui/charts/chart_picture.hpp"
#include "ui/model/measured_here.hpp"

#include <QDialog>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;

namespace spira::ui {

/// What a picture of this chart says below it and in its metadata.
[[nodiscard]] PictureFacts picture_facts(const Chart& chart, const OpenRun& run);

class PictureDialog : public QDialog {
  Q_OBJECT
 public:
  /// Charts that have something to show; `chosen` is one of them, or null.
  PictureDialog(std::vector<const Chart*> charts, const Chart* chosen, const OpenRun* run, QWidget* parent);

  [[nodiscard]] const Chart& chart() const;
  [[nodiscard]] PictureRequest request() const;
  void setRequest(const PictureRequest& request);

 signals:
  void saveRequested();
  void copyRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow();
  void showPreview();

  std::vector<const Chart*> charts_;
  const OpenRun* run_;
  QComboBox *chart_, *format_, *width_, *scale_;
  QCheckBox* caption_;
  QLabel *preview_, *size_;
  QImage image_;
};

}  // namespace spira::ui

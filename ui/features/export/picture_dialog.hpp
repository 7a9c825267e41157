// A dialog that exports a chart as a picture. It has fields for chart, format, width, scale and caption, and
// a preview.
#pragma once

#include "ui/charts/chart_picture.hpp"
#include "ui/model/measured/measured_here.hpp"

#include <QDialog>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;

namespace spira::ui {

/// Returns the facts that appear in the caption and the metadata of a picture.
[[nodiscard]] PictureFacts picture_facts(const Chart& chart, const OpenRun& run);

class PictureDialog : public QDialog {
  Q_OBJECT
 public:
  /// All `charts` must have content. `chosen` is the initially selected chart, or `nullptr`.
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

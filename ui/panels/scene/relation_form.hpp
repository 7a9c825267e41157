// The settings of relational convolutions on an open graph, in place of the voxel size and the packing.
#pragma once

#include "engine/report/report.hpp"
#include "engine/run/relation_run.hpp"

#include <QWidget>

#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace spira::ui {

class RelationForm : public QWidget {
  Q_OBJECT
 public:
  explicit RelationForm(QWidget* parent = nullptr);
  /// Shows the settings of a run of this process. Hides the form for all other reports, which cannot be
  /// measured again.
  void setReport(const std::shared_ptr<const Report>& report);

 signals:
  /// Emitted when the user asks to measure the open graph with these settings.
  void measureRequested(const spira::RelationChoice& choice);

 private:
  void measure();

  std::shared_ptr<const Report> report_;
  QLineEdit* layers_;
  QComboBox *dataflow_, *precision_, *factor_;
  QCheckBox* inverse_;
  QLabel* fault_;
};

}  // namespace spira::ui

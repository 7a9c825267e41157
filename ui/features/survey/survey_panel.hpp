// The Survey panel shows distributions over all frames of a folder, packings that fit every frame, and
// outliers. A click on a frame opens it.
#pragma once

#include "ui/charts/survey_chart.hpp"
#include "ui/panels/panel.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QTabWidget;

namespace spira::ui {

class ActivityRow;
class ElidedLabel;
class SurveyJob;

class SurveyPanel : public Panel {
  Q_OBJECT
 public:
  SurveyPanel(Workspace* workspace, Selection* selection, Theme* theme, SurveyJob* job,
              QWidget* parent = nullptr);
  [[nodiscard]] SurveyChart* chart() const noexcept { return chart_; }
  [[nodiscard]] QTableWidget* outliers() const noexcept { return outliers_; }
  [[nodiscard]] QTableWidget* packings() const noexcept { return packings_; }
  [[nodiscard]] QTableWidget* numbers() const noexcept { return numbers_; }
  [[nodiscard]] QTableWidget* notes() const noexcept { return notes_; }
  void choose(SurveyMeasure measure);

 signals:
  void frameRequested(int frame);

 private:
  void follow() override;
  void fillOutliers(const Survey& survey);
  void fillPackings(const Survey& survey);
  void fillNumbers(const Survey& survey);
  void fillNotes(const Survey& survey);
  QTableWidget* makeTable(const QStringList& header);
  [[nodiscard]] QString headlineOf(const Survey& survey) const;

  SurveyJob* job_;
  ElidedLabel* headline_;
  ActivityRow* progress_;
  QPushButton *again_, *save_;
  QComboBox* measure_;
  SurveyChart* chart_;
  QTabWidget* tables_;
  QLabel* none_;  // Label that is shown if the list is empty.
  QTableWidget *outliers_, *packings_, *numbers_, *notes_;
};

}  // namespace spira::ui

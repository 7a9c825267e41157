// The slowest layer, advice, then what was run where, and the fit meter: do the coordinates fit their
// packing?
#pragma once

#include "engine/report/advice.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/model/measured_subject.hpp"
#include "ui/panels/panel.hpp"

#include <QTimer>

#include <optional>

class QLabel;

namespace spira::ui {

class AdviceList;
class Tuning;

/// A line of Summary under the pointer.
struct SummaryLine {
  QString name, value;  ///< "wall time", "2.702 ms, median of 30, IQR 0.049 ms"
  QString number;       ///< "2.702 ms"; empty: the line has none
  MeasuredSubject subject;
};

class SummaryPanel : public Panel {
  Q_OBJECT
 public:
  SummaryPanel(Workspace* workspace, Selection* selection, Theme* theme, Tuning* tuning,
               QWidget* parent = nullptr);
  ~SummaryPanel() override;
  SummaryPanel(const SummaryPanel&) = delete;
  SummaryPanel& operator=(const SummaryPanel&) = delete;
  [[nodiscard]] AdviceList* advice() const noexcept { return advice_; }
  /// At a place of this panel; empty: no line of a table is there.
  [[nodiscard]] std::optional<SummaryLine> lineAt(const QPoint& at) const;
  [[nodiscard]] QLabel* lead() const noexcept { return lead_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void timeWanted(int layer);  ///< to see what it spends its time on
  void packRequested(const spira::PackSpec& pack);
  void menuRequested(const QPoint& global, const spira::ui::SummaryLine& line);

 private:
  void follow() override;
  void followAdvice();
  void change(const Advice& advice);
  [[nodiscard]] QString sceneHtml() const;
  [[nodiscard]] QString runHtml() const;
  [[nodiscard]] QString leadHtml() const;
  [[nodiscard]] QString slowestHtml() const;
  [[nodiscard]] MeasuredSubject subjectOf(const QLabel* label, const QString& name) const;

  Tuning* tuning_;
  JobRunner* adviser_;
  AdviceList* advice_;
  QTimer later_;  // several changes make one list
  QLabel *lead_, *scene_, *run_, *slowest_;
};

}  // namespace spira::ui

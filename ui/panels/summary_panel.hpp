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
class SamplesPane;
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
  [[nodiscard]] QLabel* run() const noexcept { return run_; }
  [[nodiscard]] QLabel* slowest() const noexcept { return slowest_; }
  [[nodiscard]] QLabel* note() const noexcept { return note_; }  ///< of the advice, below all
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void timeWanted(int layer);  ///< to see what it spends its time on
  void packRequested(const spira::PackSpec& pack);
  void menuRequested(const QPoint& global, const spira::ui::SummaryLine& line);

 private:
  void follow() override;
  void followAdvice();
  void change(const Advice& advice);
  void followLink(const QString& link);
  void showSamples(const QString& of);
  void hideSamples();
  [[nodiscard]] QString sceneHtml() const;
  [[nodiscard]] QString runHtml() const;
  /// A number that leads to its samples; in grey where it is not to be trusted.
  [[nodiscard]] QString numberHtml(double ms, const QString& samples) const;
  [[nodiscard]] QString leadHtml() const;
  [[nodiscard]] QString slowestHtml() const;
  [[nodiscard]] MeasuredSubject subjectOf(const QLabel* label, const QString& name) const;

  Tuning* tuning_;
  JobRunner* adviser_;
  AdviceList* advice_;
  QTimer later_;  // several changes make one list
  QLabel *lead_, *scene_, *run_, *slowest_, *note_;
  QWidget* lines_;  // all of them, scrolled
  SamplesPane* samples_;
  bool by_time_ = true;  // the slowest layers; else they stand in the order of the network
};

}  // namespace spira::ui

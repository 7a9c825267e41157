// The Summary panel shows the slowest layer, advice, the facts of the run and its device, and whether the
// coordinates fit their packing.
#pragma once

#include "engine/report/advice/advice.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/measured/measured_subject.hpp"
#include "ui/panels/panel.hpp"

#include <QTimer>

#include <optional>

class QLabel;

namespace spira::ui {

class AdviceList;
class SamplesPane;
class Tuning;

/// The row of the panel's table that is under the pointer.
struct SummaryLine {
  QString name, value;  ///< For example "wall time" and "2.702 ms, median of 30, IQR 0.049 ms".
  QString number;       ///< For example "2.702 ms". Empty if the row has no number.
  MeasuredSubject subject;
};

class SummaryPanel : public Panel {
  Q_OBJECT
 public:
  SummaryPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme, Tuning* tuning,
               QWidget* parent = nullptr);
  [[nodiscard]] AdviceList* advice() const noexcept { return advice_; }
  /// Returns the table row at a position, or an empty value if there is none.
  [[nodiscard]] std::optional<SummaryLine> lineAt(const QPoint& at) const;
  [[nodiscard]] QLabel* run() const noexcept { return run_; }
  [[nodiscard]] QLabel* slowest() const noexcept { return slowest_; }
  /// Returns the label at the bottom, which shows the note about the advice.
  [[nodiscard]] QLabel* note() const noexcept { return note_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void timeWanted(int layer);  ///< Emitted when the user asks for the stages of this layer.
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
  /// Returns the HTML of a time that links to its samples. The time is grey if the trust grade makes times
  /// invalid.
  [[nodiscard]] QString numberHtml(double ms, const QString& samples) const;
  [[nodiscard]] QString leadHtml() const;
  [[nodiscard]] QString slowestHtml() const;
  [[nodiscard]] MeasuredSubject subjectOf(const QLabel* label, const QString& name) const;

  Tuning* tuning_;
  AdviceList* advice_;
  QTimer later_;  // Combines several changes into one update of the advice.
  QLabel *lead_, *scene_, *run_, *slowest_, *note_;
  QWidget* lines_;  // The scroll area that contains all texts.
  SamplesPane* samples_;
  bool by_time_ = true;  // True if the slowest layers are sorted by time, else by their order in the network.
  TaskSlot adviser_;
};

}  // namespace spira::ui

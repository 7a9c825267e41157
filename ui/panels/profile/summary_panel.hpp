// The Summary panel shows the total time of the run, its slowest layers and its stages. Below them are the
// advice, the facts of the run and its device, and the result of the packing check.
#pragma once

#include "engine/report/advice/advice.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/profile/run_overview.hpp"

#include <QTimer>

#include <array>
#include <optional>
#include <vector>

class QLabel;

namespace spira::ui {

class AdviceList;
class SamplesPane;
struct SampleSeries;
class Tuning;

/// The matches per voxel at one level of a scene, for the kernel sizes 3, 5 and 7. Negative values were not
/// counted, because the level is large.
struct LevelMatches {
  int stride = 1;
  std::int64_t voxels = 0;
  std::array<double, 3> per_voxel{-1, -1, -1};
};

class SummaryPanel : public Panel {
  Q_OBJECT
 public:
  SummaryPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme, Tuning* tuning,
               QWidget* parent = nullptr);
  [[nodiscard]] AdviceList* advice() const noexcept { return advice_; }
  /// Returns the table row at a position, or an empty value if there is no row.
  [[nodiscard]] std::optional<SummaryLine> lineAt(const QPoint& at) const;
  [[nodiscard]] QLabel* run() const noexcept { return run_; }
  /// Returns the table with the matches per voxel of each stride and kernel size.
  [[nodiscard]] QLabel* matches() const noexcept { return matches_; }
  [[nodiscard]] RunOverview* overview() const noexcept { return overview_; }
  /// Handles the clicks and context menus of an overview. The overview can be the one in this panel or
  /// another one in the window.
  void serve(RunOverview& overview);
  /// Returns the label at the bottom, which shows the note about the advice.
  [[nodiscard]] QLabel* note() const noexcept { return note_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void timeWanted(int layer);  ///< Emitted when the user requests the stages of this layer.
  void packRequested(const spira::PackSpec& pack);
  void menuRequested(const QPoint& global, const spira::ui::SummaryLine& line);

 private:
  void follow() override;
  void followAdvice();
  void change(const Advice& advice);
  void showLayerSamples(int layer);
  void showWallSamples(bool graph);
  void showSamples(const QString& title, std::vector<SampleSeries> series);
  void hideSamples();
  [[nodiscard]] std::vector<SummaryLine> sceneLines() const;
  [[nodiscard]] std::vector<SummaryLine> runLines() const;
  class Lines;
  void addTimes(const Measurement& measured, Lines& lines) const;
  void showRun();
  void countMatches();
  void showMatches(const std::vector<LevelMatches>& levels);
  /// Returns the HTML of a time. It is grey if the trust grade makes times invalid.
  [[nodiscard]] QString timeHtml(const QString& time) const;

  Tuning* tuning_;
  AdviceList* advice_;
  QTimer later_;  // Combines several changes into one update of the advice.
  RunOverview* overview_;
  QLabel *scene_, *matches_, *run_, *note_;
  std::shared_ptr<const VoxelScene> counted_;         // The scene whose matches are shown or being counted.
  std::vector<SummaryLine> scene_lines_, run_lines_;  // The rows of `scene_` and `run_`.
  QWidget* lines_;                                    // The scroll area that contains all texts.
  SamplesPane* samples_;
  TaskSlot adviser_, counter_;
};

}  // namespace spira::ui

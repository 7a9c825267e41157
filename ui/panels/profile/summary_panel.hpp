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

namespace spira {
struct TripleFacts;
}

namespace spira::ui {

class AdviceList;
class SamplesPane;
struct SampleSeries;
class Tuning;

/// The pairs per voxel at one level of a scene, for the kernel sizes 3, 5 and 7.
struct LevelPairs {
  int stride = 1;
  std::int64_t voxels = 0;
  bool skipped = false;  ///< True if the pairs are not counted, because the level is large or empty.
  std::array<std::optional<double>, 3> per_voxel;  ///< Empty values are not counted yet.
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
  /// Returns the table with the pairs per voxel of each stride and kernel size.
  [[nodiscard]] QLabel* pairs() const noexcept { return pairs_; }
  [[nodiscard]] RunOverview* overview() const noexcept { return overview_; }
  /// Handles the clicks and context menus of an overview. The overview can be the one in this panel or
  /// another one in the window.
  void serve(RunOverview& overview);
  /// Interrupts the count of the pairs until no frame was drawn for a moment, because it would slow down the
  /// frames. Must be called after each frame of the 3D view.
  void yieldToFrames();
  /// Interrupts the count of the pairs while a job of the engine runs, because the count would delay the job
  /// on a CPU.
  void pauseCount(bool paused);
  /// Returns true while the visible table has values that are not counted yet.
  [[nodiscard]] bool counting() const;
  /// Returns the label at the bottom, which shows the note about the advice.
  [[nodiscard]] QLabel* note() const noexcept { return note_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void timeWanted(int layer);  ///< Emitted when the user requests the stages of this layer.
  void packRequested(const spira::PackSpec& pack);
  void menuRequested(const QPoint& global, const spira::ui::SummaryLine& line);

 protected:
  void resizeEvent(QResizeEvent* event) override;

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
  static void addGraph(const TripleFacts& graph, Lines& lines);
  void addTimes(const Measurement& measured, Lines& lines) const;
  [[nodiscard]] QString shownName() const;
  void showScene();
  void showRun();
  void preparePairs();
  void followPairs();
  void countPairs();
  void showPairs();
  /// Returns the HTML of a time. It is grey if the trust grade makes times invalid.
  [[nodiscard]] QString timeHtml(const QString& time) const;

  Tuning* tuning_;
  AdviceList* advice_;
  QTimer later_;  // Combines several changes into one update of the advice.
  RunOverview* overview_;
  QLabel *scene_, *pairs_, *run_, *note_;
  struct {
    std::shared_ptr<const VoxelScene> scene;
    std::vector<LevelPairs> levels;
    QTimer idle;  // Starts the count when no frame was drawn for a moment.
    bool paused = false;
  } counted_;
  std::vector<SummaryLine> scene_lines_, run_lines_;  // The rows of `scene_` and `run_`.
  QWidget* lines_;                                    // The scroll area that contains all texts.
  SamplesPane* samples_;
  TaskSlot adviser_, counter_;
};

}  // namespace spira::ui

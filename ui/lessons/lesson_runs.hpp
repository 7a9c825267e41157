// Selects the measured run that the pages of a lesson use: the run of this window, the report that was open
// when the lesson began, or a recorded run that is part of the program. The page always shows the source of
// its run.
#pragma once

#include "engine/lesson/lesson_run.hpp"
#include "ui/jobs/engine/sweep_jobs.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spira::ui {

class LessonRuns : public QObject {
  Q_OBJECT
 public:
  enum class Of { here, opened, shipped };

  LessonRuns(Tasks& tasks, Workspace* workspace, QObject* parent = nullptr);

  /// Must be called when a lesson begins. `opened` is the open report, or `nullptr` if no report is open.
  void begin(const std::shared_ptr<const Report>& opened);
  void end();
  /// Sets the names of the facts that the page shows. Unless the user selected a run, the page uses the first
  /// run that provides all of these facts.
  void want(const std::vector<std::string>& facts);
  void choose(Of which);  ///< Selects a run until the lesson ends.
  [[nodiscard]] const RunNeeds& needs() const noexcept { return needs_; }
  [[nodiscard]] std::vector<Of> choices() const;  ///< Returns the available runs in order of preference.
  [[nodiscard]] Of current() const;
  [[nodiscard]] const std::shared_ptr<const LessonRun>& run(Of which) const;
  /// Returns the selected run. Returns `nullptr` if the page needs no run, or while the run is being read.
  [[nodiscard]] std::shared_ptr<const LessonRun> run() const;
  [[nodiscard]] bool busy() const { return reading_.busy(); }

 signals:
  void changed();  ///< Emitted when another run is used or when the run has new results.
  void failed(const spira::Error& error);

 private:
  void readShipped();
  void followHere();
  [[nodiscard]] std::shared_ptr<const LessonRun> runOfThisWindow() const;
  /// Returns the densities of each layer. Returns an empty list unless all layers were run.
  [[nodiscard]] std::vector<std::shared_ptr<const Densities>> densitiesOfLayers() const;

  Workspace* workspace_;
  RunNeeds needs_;
  std::optional<Of> chosen_;
  std::shared_ptr<const LessonRun> here_, opened_, shipped_;
  bool active_ = false;
  TaskSlot reading_;
};

/// Returns a description of the source of the times. For a recorded run, the description adds that the run
/// belongs to another machine and scene.
[[nodiscard]] QString source_text(const LessonRun& run);

/// Measures the times that a lesson shows for the open scene. Measures only while no other job runs, and
/// keeps the last result.
class LessonTimer : public QObject {
  Q_OBJECT
 public:
  LessonTimer(Timed what, Workspace* workspace, Selection* selection, EngineLane* lane, SweepJobs* sweeps,
              QObject* parent = nullptr);

  void setWanted(bool wanted);
  /// Sets a function that returns true while other work would disturb the timing. The timing starts when this
  /// function returns false.
  void waitWhile(std::function<bool()> disturbed) { disturbed_ = std::move(disturbed); }
  void forget();  ///< Releases the last result, because it keeps its scene in memory.
  /// Returns the result for the open scene, kernel and level. Returns `nullptr` if they have not been timed
  /// yet, if they cannot be timed, or if their timing was stopped.
  [[nodiscard]] std::shared_ptr<const LessonRun> run() const;
  [[nodiscard]] bool busy() const;  ///< Returns true if a result may still arrive.

 signals:
  void changed();

 private:
  [[nodiscard]] TimedSubject subject() const;
  /// Returns false for native layers while the neighbours are voxels, or on another level than level 0.
  [[nodiscard]] bool possible() const;
  void follow();
  void begin();
  void keep(const LessonTiming& timing);
  void jobEnded();

  Timed what_;
  Workspace* workspace_;
  Selection* selection_;
  EngineLane* lane_;
  SweepJobs* sweeps_;
  std::function<bool()> disturbed_;
  QTimer rest_;
  bool wanted_ = false;
  std::optional<TimedSubject> started_, refused_;
  std::optional<LessonTiming> last_;
};

}  // namespace spira::ui

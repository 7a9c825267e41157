// Times the map searches that a lesson shows, while no other job runs, and stores the last result.
#pragma once

#include "ui/jobs/engine/sweep_jobs.hpp"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace spira::ui {

class SearchTimer : public QObject {
  Q_OBJECT
 public:
  SearchTimer(Workspace* workspace, Selection* selection, EngineLane* lane, SweepJobs* sweeps,
              QObject* parent = nullptr);

  void setWanted(bool wanted);
  /// Sets a function that returns true while other work would disturb the timing. The timing starts after it
  /// returns false.
  void waitWhile(std::function<bool()> disturbed) { disturbed_ = std::move(disturbed); }
  void forget();  ///< Releases the last result, which keeps its scene in memory.
  /// Returns the result for the open scene, kernel and level. Returns null if the searches have not been
  /// timed yet or if their timing was stopped.
  [[nodiscard]] std::shared_ptr<const LessonRun> run() const;
  [[nodiscard]] bool busy() const;  ///< Returns true while a result may still arrive.

 signals:
  void changed();

 private:
  struct Subject {
    std::shared_ptr<const VoxelScene> scene;
    int kernel_size = 0, stride = 0;
    bool operator==(const Subject&) const = default;
  };
  [[nodiscard]] Subject subject() const;
  void follow();
  void begin();
  void keep(const SearchTiming& timing);
  void jobEnded();

  Workspace* workspace_;
  Selection* selection_;
  EngineLane* lane_;
  SweepJobs* sweeps_;
  std::function<bool()> disturbed_;
  QTimer rest_;
  bool wanted_ = false;
  std::optional<Subject> started_, refused_;
  std::optional<SearchTiming> last_;
};

}  // namespace spira::ui

// What a lesson can do to the window: every command by its id, and a few verbs with words.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "engine/lesson/shapes.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine_jobs.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/jobs/selection_jobs.hpp"

#include <QObject>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace spira::ui {

/// Empty: there is such a command or verb, with as many words as it takes.
[[nodiscard]] std::string fault_of(const LessonCommand& command, const CommandSet& commands);

/// Does them in their order; one that has to wait for the scene, or to look for something in it on a worker,
/// holds up those behind it.
class LessonVerbs : public QObject {
  Q_OBJECT
 public:
  LessonVerbs(Workspace* workspace, Selection* selection, EngineJobs* jobs, SelectionJobs* choosing,
              CommandSet* commands, QObject* parent);
  ~LessonVerbs() override;
  LessonVerbs(const LessonVerbs&) = delete;
  LessonVerbs& operator=(const LessonVerbs&) = delete;

  /// Those that still wait are dropped.
  void run(const std::vector<LessonCommand>& commands);
  void add(const std::vector<LessonCommand>& commands);  ///< behind those that still wait
  void clear();
  [[nodiscard]] bool busy() const { return running_ || choosing_->busy(); }
  /// Of choose.offset and choose.l1, in the map that is shown.
  [[nodiscard]] std::vector<int> columnsOf(const LessonCommand& command) const;
  /// What `voxel.scale 1` goes back to. A grid or packing that somebody else takes meanwhile is the new one:
  /// a refusal offers a packing that fits.
  void setBase(const Grid& grid, const PackSpec& pack);
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  void setTrial(const LessonTrial& trial);
  /// The scene in the place of its shuffled voxels, with all that was run on it.
  void unshuffle();
  /// The voxels stand at random places of their box.
  [[nodiscard]] bool isShuffled() const;

 signals:
  void done();  ///< all of them, and what they began
  void failed(const spira::Error& error);
  void baseChanged();
  void tried(const spira::LessonTrial& trial);

 private:
  void goOn();
  [[nodiscard]] bool ready() const;
  void perform(const LessonCommand& command);
  void chooseVoxel(const std::string& which);
  void chooseFullest();
  void chooseOutputs();
  void chooseShape(Shape shape);
  void shuffle();
  void packShort();
  void voxelize(const Grid& grid, const PackSpec& pack);
  void followBase();

  Workspace* workspace_;
  Selection* selection_;
  EngineJobs* jobs_;
  SelectionJobs* choosing_;
  CommandSet* commands_;
  JobRunner* finding_;
  std::deque<LessonCommand> waiting_;
  bool running_ = false;
  Grid grid_, asked_grid_;
  PackSpec pack_, asked_pack_;
  LessonTrial trial_;
  std::shared_ptr<const Workspace::Contents> kept_;  // of the scene that was shuffled
  std::shared_ptr<const PointCloud> shuffled_;
};

}  // namespace spira::ui

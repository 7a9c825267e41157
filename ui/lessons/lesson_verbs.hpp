// The commands that a lesson page can run: the commands of the window, identified by id, and some commands
// with arguments.
#pragma once

#include "engine/lesson/diagrams/shapes.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine/scene_jobs.hpp"
#include "ui/jobs/selection_jobs.hpp"

#include <QObject>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace spira::ui {

/// Returns an error text if the command does not exist or its arguments are invalid. Otherwise returns an
/// empty string.
[[nodiscard]] std::string fault_of(const LessonCommand& command, const CommandSet& commands);

/// Runs commands in order. If a command waits for the scene or for a background search, the following
/// commands wait too.
class LessonVerbs : public QObject {
  Q_OBJECT
 public:
  LessonVerbs(Tasks& tasks, Workspace* workspace, Selection* selection, EngineLane* lane, SceneJobs* scenes,
              SelectionJobs* choosing, CommandSet* commands, QObject* parent);

  /// Discards the waiting commands, then runs `commands`.
  void run(const std::vector<LessonCommand>& commands);
  void add(const std::vector<LessonCommand>& commands);  ///< Appends to the waiting commands.
  void clear();
  [[nodiscard]] bool busy() const { return running_ || choosing_->busy(); }
  /// Returns the offsets that the command choose.offset or choose.l1 selects in the displayed map.
  [[nodiscard]] std::vector<int> columnsOf(const LessonCommand& command) const;
  /// Sets the base: the grid and packing that the command `voxel.scale 1` restores. If the user applies
  /// another grid or packing, for example after the program refused a request, it becomes the new base.
  void setBase(const Grid& grid, const PackSpec& pack);
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  void setTrial(const LessonTrial& trial);
  /// Replaces the shuffled voxels by the original scene and its results.
  void unshuffle();
  /// Returns true while the voxels are shuffled, which means that they are at random positions inside their
  /// bounding box.
  [[nodiscard]] bool isShuffled() const;

 signals:
  void done();  ///< Emitted when all commands and the jobs that they started have finished.
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

  // Many members: the commands change the scene, the selection, the networks and the voxel order, and restore
  // them.
  Workspace* workspace_;
  Selection* selection_;
  EngineLane* lane_;
  SceneJobs* scenes_;
  SelectionJobs* choosing_;
  CommandSet* commands_;
  std::deque<LessonCommand> waiting_;
  bool running_ = false;
  Grid grid_, asked_grid_;
  PackSpec pack_, asked_pack_;
  bool automatic_pack_ = false;  // True if the packing of the base is automatic.
  LessonTrial trial_;
  // Contents of the Workspace before the voxels were shuffled.
  std::shared_ptr<const Workspace::Contents> kept_;
  std::shared_ptr<const PointCloud> shuffled_;
  TaskSlot finding_;
};

}  // namespace spira::ui

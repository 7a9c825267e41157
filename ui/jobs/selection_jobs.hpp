// Jobs for selected voxels: find them, compute their densities, save them to a file. Also extracts the shown
// frame of a batch from the results of the selected layer. The jobs run in the pool, because the engine lane
// may be busy with a measurement.
#pragma once

#include "ui/jobs/tasks.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace spira::ui {

class SelectionJobs : public QObject {
  Q_OBJECT
 public:
  /// Finds rows of a level in ascending order. Runs in the thread pool, so it may capture values only.
  using FindRows = std::function<std::vector<std::int32_t>(const std::stop_token&)>;

  SelectionJobs(Tasks& tasks, Workspace* workspace, Selection* selection, QObject* parent = nullptr);

  void choose(int stride, FindRows find, Combine how);
  void stopChoosing();  ///< Cancels the running search and keeps the selection.
  /// Selects the voxels of stride 1 that do not fit a packing: the voxels at or beyond `from_m` on at least
  /// one axis.
  void choosePast(const PackSpec& pack, const Point& from_m);
  /// Adds all voxels that are adjacent to a selected voxel. If this is called while a growth is running,
  /// another growth follows it.
  void grow();
  void invert();                   ///< Selects the shown voxels of the same stride that are not selected.
  void save(const QString& file);  ///< The suffix decides the format: .ply, .npy or .csv.

  [[nodiscard]] TaskSlot& saving() noexcept { return saving_; }
  [[nodiscard]] bool busy() const { return choosing_.busy() || counting_.busy() || framing_.task.busy(); }

 signals:
  /// Emitted with the densities of the selected voxels in the shown map. `densities` is `nullptr` if no
  /// voxels are selected, or if the densities have not been computed yet.
  void densitiesChanged(std::shared_ptr<const spira::Densities> densities);
  void failed(const spira::Error& error);
  /// Emitted after a selection or its densities have been computed or cancelled, in a later event-loop
  /// iteration.
  void finished();

 private:
  using Make = std::function<std::shared_ptr<const ChosenRows>(const std::stop_token&)>;
  void start(const QString& title, Make make);
  void growBy(int steps);
  void follow();
  void followFrame();

  Workspace* workspace_;
  Selection* selection_;
  int growths_ = 0;  // Number of growths that are not finished, including the running one.
  TaskSlot choosing_, counting_, saving_;
  // Extracts the shown frame from layer results of a batch.
  struct {
    TaskSlot task;
    std::shared_ptr<const VoxelScene> frame;                // The frame of the running task.
    std::vector<std::shared_ptr<const LayerResult>> taken;  // Inputs of the running task.
    std::set<int> layers;  // Layers that a pinned panel may show: those selected since the frame is shown.
  } framing_;
};

}  // namespace spira::ui

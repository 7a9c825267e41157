// Jobs for the views of native layers: the densities of the voxel map beside the map of points, and the facts
// about the positions of the open scene. The jobs run in the pool, because the engine lane may be busy with a
// measurement.
#pragma once

#include "engine/run/neighbour_facts.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <memory>
#include <optional>

namespace spira {
class Registry;
}  // namespace spira

namespace spira::ui {

class NeighbourJobs : public QObject {
  Q_OBJECT
 public:
  NeighbourJobs(Tasks& tasks, std::shared_ptr<const Registry> registry, Workspace* workspace,
                Selection* selection, QObject* parent = nullptr);
  [[nodiscard]] bool busy() const { return voxels_.busy() || positions_.busy(); }

 signals:
  /// Emitted with the densities of the voxel map whose kernel has the same size as the shown native map.
  /// `nullptr` if the shown map is not native, or until the voxel map was built.
  void voxelDensitiesChanged(std::shared_ptr<const spira::Densities> densities);
  /// Emitted with the facts about the positions of the scene. Empty if it has none, or until they are known.
  void positionsChanged(const std::optional<spira::PositionFacts>& facts);
  void failed(const spira::Error& error);

 private:
  void followMap();
  void followScene();

  std::shared_ptr<const Registry> registry_;
  Workspace* workspace_;
  Selection* selection_;
  TaskSlot voxels_, positions_;
  std::shared_ptr<const KernelMap> compared_;  // The native map of the last densities.
};

}  // namespace spira::ui

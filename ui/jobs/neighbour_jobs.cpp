#include "ui/jobs/neighbour_jobs.hpp"

#include "engine/backend/backend.hpp"
#include "engine/network/network.hpp"
#include "engine/run/session.hpp"

#include <utility>

namespace spira::ui {
namespace {

using SharedDensities = std::shared_ptr<const Densities>;
using SharedScene = std::shared_ptr<const VoxelScene>;

struct VoxelMapArgs {
  std::shared_ptr<const Registry> registry;
  SharedScene scene;
  MapKey key;
};

void count_voxels(const VoxelMapArgs& args, Job& job, const Send<SharedDensities>& send) {
  const auto backend = args.registry->make("cpu");
  send(std::make_shared<const Densities>(densities(*map_of_scene(*backend, *args.scene, args.key, job))));
}

void count_positions(const SharedScene& scene, Job& /*job*/, const Send<PositionFacts>& send) {
  send(position_facts(*scene));
}

}  // namespace

NeighbourJobs::NeighbourJobs(Tasks& tasks, std::shared_ptr<const Registry> registry, Workspace* workspace,
                             Selection* selection, QObject* parent)
    : QObject(parent),
      registry_(std::move(registry)),
      workspace_(workspace),
      selection_(selection),
      voxels_(tasks),
      positions_(tasks) {
  for (const TaskSlot* slot : {&voxels_, &positions_})
    connect(slot, &TaskSlot::failed, this, &NeighbourJobs::failed);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &NeighbourJobs::followScene);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &NeighbourJobs::followMap);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &NeighbourJobs::followMap);
  connect(selection_, &Selection::layerChanged, this, &NeighbourJobs::followMap);
  connect(selection_, &Selection::strideChanged, this, &NeighbourJobs::followMap);
}

/// Builds the voxel map of all frames of a batch, because the densities of its layers count all frames.
void NeighbourJobs::followMap() {
  const ShownMap shown = shown_map(*workspace_, *selection_);
  const auto& voxels = workspace_->scene().voxels();
  const bool native = voxels && shown.map && shown.map->many();
  if (native && shown.map == compared_) return;
  voxels_.cancel();
  compared_ = native ? shown.map : nullptr;
  emit voxelDensitiesChanged(nullptr);
  if (!native) return;
  const MapKey key{shown.map->offsets->kernel().size, shown.stride_in, shown.stride_out};
  voxels_.start(tr("Counting the neighbours of voxels"), count_voxels,
                {registry_, shown.layer < 0 ? voxels : whole_scene(voxels), key},
                [this](const SharedDensities& found) { emit voxelDensitiesChanged(found); });
}

void NeighbourJobs::followScene() {
  positions_.cancel();
  emit positionsChanged(std::nullopt);
  const auto& voxels = workspace_->scene().voxels();
  if (!voxels || whole_scene(voxels)->positions.empty()) return;
  positions_.start(tr("Measuring the positions"), count_positions, whole_scene(voxels),
                   [this](const PositionFacts& found) { emit positionsChanged(found); });
}

}  // namespace spira::ui

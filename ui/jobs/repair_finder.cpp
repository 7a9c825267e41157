#include "ui/jobs/repair_finder.hpp"

#include "engine/network/levels.hpp"
#include "engine/voxel/fit_meter.hpp"

#include <algorithm>

namespace spira::ui {
namespace {

struct FitArgs {
  std::shared_ptr<const PointCloud> cloud;
  FitQuestion question;
};

void find_misfit(const FitArgs& args, Job& job, const Send<std::optional<Misfit>>& send) {
  send(misfit_of(*args.cloud, args.question, job));
}

}  // namespace

RepairFinder::RepairFinder(Tasks& tasks, const Workspace* workspace, SceneJobs* scenes, QObject* parent)
    : QObject(parent), workspace_(workspace), scenes_(scenes), task_(tasks) {
  connect(workspace_, &Workspace::voxelsChanged, this, &RepairFinder::follow);
  connect(workspace_, &Workspace::networkChanged, this, &RepairFinder::follow);
}

void RepairFinder::follow() {
  task_.cancel();
  scenes_->setNetworkMisfit(std::nullopt);
  const auto& voxels = workspace_->voxels();
  const auto& cloud = workspace_->cloud();
  const auto& network = workspace_->network();
  if (!voxels || !cloud || !network) return;
  const Levels levels = levels_of(*network);
  const FitQuestion question{voxels->grid, voxels->pack,
                             std::max(levels.max_kernel_size, workspace_->sceneKernelSize()),
                             std::max(levels.max_stride, voxels->levels.back()->stride)};
  if (fit(workspace_->sceneFacts()->fit_extent, question.pack, question.max_kernel_size, question.max_stride)
          .fits())
    return;
  task_.start({}, find_misfit, {cloud, question},
              [this](const std::optional<Misfit>& misfit) { scenes_->setNetworkMisfit(misfit); });
}

}  // namespace spira::ui

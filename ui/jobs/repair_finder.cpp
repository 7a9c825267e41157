#include "ui/jobs/repair_finder.hpp"

#include "engine/network/levels.hpp"
#include "engine/voxel/fit_meter.hpp"

#include <algorithm>

namespace spira::ui {

RepairFinder::RepairFinder(const Workspace* workspace, EngineJobs* jobs, QObject* parent)
    : QObject(parent), workspace_(workspace), jobs_(jobs), runner_(new JobRunner(this)) {
  connect(workspace_, &Workspace::voxelsChanged, this, &RepairFinder::follow);
  connect(workspace_, &Workspace::networkChanged, this, &RepairFinder::follow);
}

RepairFinder::~RepairFinder() {
  delete runner_;
}

void RepairFinder::follow() {
  runner_->cancel();
  jobs_->setNetworkMisfit(std::nullopt);
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
  runner_->start({}, [this, cloud, question](Job& job, const JobRunner::Post& post) {
    post([this, misfit = misfit_of(*cloud, question, job)] { jobs_->setNetworkMisfit(misfit); });
  });
}

}  // namespace spira::ui

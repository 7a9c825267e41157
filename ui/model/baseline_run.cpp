#include "ui/model/baseline_run.hpp"

#include <utility>

namespace spira::ui {

void BaselineRun::setReport(std::shared_ptr<const Report> report) {
  if (report == report_) return;
  report_ = std::move(report);
  emit reportChanged();
}

void BaselineRun::setVoxels(std::shared_ptr<const VoxelScene> voxels) {
  if (voxels == voxels_) return;
  voxels_ = std::move(voxels);
  emit voxelsChanged();
}

}  // namespace spira::ui

#include "ui/jobs/crop_counter.hpp"

namespace spira::ui {

CropCounter::CropCounter(Workspace* workspace, CropBox* box, QObject* parent)
    : QObject(parent), workspace_(workspace), box_(box), runner_(new JobRunner(this)) {
  connect(workspace_, &Workspace::cloudChanged, this, &CropCounter::measureCloud);
  connect(box_, &CropBox::boxChanged, this, &CropCounter::count);
  // If the box moves during a count, that count still finishes and is shown. The next count then starts.
  connect(runner_, &JobRunner::finished, this, &CropCounter::count);
}

void CropCounter::measureCloud() {
  const auto& cloud = workspace_->cloud();
  if (!cloud) return runner_->cancel();
  runner_->start(tr("Measuring the extents"), [this, cloud](Job& job, const JobRunner::Post& post) {
    job.checkpoint({"measuring the extent", 0, cloud->size()});
    post([this, extents = bounds(*cloud)] { box_->setExtents(extents); });
  });
}

void CropCounter::count() {
  const auto& cloud = workspace_->cloud();
  const auto box = box_->box();
  if (!cloud || !box || box_->kept() || runner_->busy()) return;
  runner_->start(tr("Counting the points in the box"),
                 [this, cloud, box = *box](Job& job, const JobRunner::Post& post) {
                   const std::int64_t kept = count_inside(*cloud, box, job);
                   post([this, box, kept] { box_->setKept(box, kept); });
                 });
}

}  // namespace spira::ui

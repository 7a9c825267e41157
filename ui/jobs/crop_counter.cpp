#include "ui/jobs/crop_counter.hpp"

namespace spira::ui {
namespace {

using Cloud = std::shared_ptr<const PointCloud>;

void measure_extents(const Cloud& cloud, Job& job, const Send<Bounds>& send) {
  job.checkpoint({"measuring the extent", 0, cloud->size()});
  send(bounds(*cloud));
}

struct CountArgs {
  Cloud cloud;
  Bounds box;
};

void count_points(const CountArgs& args, Job& job, const Send<std::int64_t>& send) {
  send(count_inside(*args.cloud, args.box, job));
}

}  // namespace

CropCounter::CropCounter(Tasks& tasks, Workspace* workspace, CropBox* box, QObject* parent)
    : QObject(parent), workspace_(workspace), box_(box), task_(tasks) {
  connect(&workspace_->scene(), &OpenScene::cloudChanged, this, &CropCounter::measureCloud);
  connect(box_, &CropBox::boxChanged, this, &CropCounter::count);
  // If the box moves during a count, let this count finish and show its result, then start the next count.
  connect(&task_, &TaskSlot::finished, this, &CropCounter::count);
}

void CropCounter::measureCloud() {
  const auto& cloud = workspace_->scene().cloud();
  if (!cloud) return task_.cancel();
  task_.start(tr("Measuring the extents of the points"), measure_extents, cloud,
              [this](const Bounds& extents) { box_->setExtents(extents); });
}

void CropCounter::count() {
  const auto& cloud = workspace_->scene().cloud();
  const auto box = box_->box();
  if (!cloud || !box || box_->kept() || task_.busy()) return;
  task_.start(tr("Counting the points in the box"), count_points, {cloud, *box},
              [this, box = *box](std::int64_t kept) { box_->setKept(box, kept); });
}

}  // namespace spira::ui

#include "ui/jobs/selection_jobs.hpp"

#include "engine/base/text.hpp"
#include "engine/run/write_outputs.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/screen_number.hpp"

#include <utility>

namespace spira::ui {

SelectionJobs::SelectionJobs(Workspace* workspace, Selection* selection, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      selection_(selection),
      choosing_(new JobRunner(this)),
      counting_(new JobRunner(this)),
      saving_(new JobRunner(this)) {
  for (JobRunner* runner : {choosing_, counting_, saving_})
    connect(runner, &JobRunner::failed, this, &SelectionJobs::failed);
  connect(choosing_, &JobRunner::finished, this, [this] { growths_ = 0; });
  for (JobRunner* runner : {choosing_, counting_})
    connect(runner, &JobRunner::finished, this, &SelectionJobs::finished, Qt::QueuedConnection);
  connect(workspace_, &Workspace::voxelsChanged, this, [this] {
    choosing_->cancel();
    selection_->setRows(nullptr);
  });
  connect(selection_, &Selection::rowsChanged, this, &SelectionJobs::follow);
  connect(selection_, &Selection::layerChanged, this, &SelectionJobs::follow);
  connect(workspace_, &Workspace::sceneMapChanged, this, &SelectionJobs::follow);
  connect(workspace_, &Workspace::layerChanged, this, [this](int layer) {
    if (layer < 0 || layer == selection_->layer()) follow();
  });
}

void SelectionJobs::start(const QString& title, Make make) {
  growths_ = 0;
  choosing_->start(title, [this, make = std::move(make)](Job& job, const JobRunner::Post& post) {
    auto chosen = make(job.stop_token());
    // Throws if stopped: an incomplete result must not become the selection.
    job.checkpoint({"selecting voxels", 0, 0});
    post([this, chosen = std::move(chosen)] {
      selection_->setRows(chosen);
      if (growths_ > 0) growBy(growths_ - 1);
    });
  });
}

void SelectionJobs::choose(int stride, FindRows find, Combine how) {
  if (!workspace_->voxels()) return;
  start(tr("Selecting voxels"),
        [before = selection_->rows(), scene = workspace_->voxels(), stride, find = std::move(find),
         how](const std::stop_token& stop) { return combined(before, scene, stride, find(stop), how); });
}

void SelectionJobs::stopChoosing() {
  choosing_->cancel();
}

void SelectionJobs::choosePast(const PackSpec& pack, const Point& from_m) {
  if (!workspace_->voxels()) return;
  start(tr("Finding voxels that do not fit"),
        [scene = workspace_->voxels(), pack, from_m](const std::stop_token& stop) {
          return rows_past(scene, pack, from_m, stop);
        });
}

void SelectionJobs::grow() {
  if (growths_ == 0) return growBy(1);
  ++growths_;  // The next growth starts from the result of the running one.
}

void SelectionJobs::growBy(int steps) {
  growths_ = 0;
  if (steps == 0 || !selection_->rows()) return;
  start(tr("Growing the selection"),
        [before = selection_->rows()](const std::stop_token& stop) { return grown(*before, stop); });
  growths_ = steps;
}

void SelectionJobs::invert() {
  if (!selection_->rows()) return;
  start(tr("Inverting the selection"),
        [before = selection_->rows(), hiding = selection_->hiding()](const std::stop_token&) {
          return inverted(*before, hidden_rows(*before->scene, before->stride, hiding));
        });
}

void SelectionJobs::save(const QString& file) {
  if (!selection_->rows()) return;
  saving_->start(tr("Saving the selection"), [this, chosen = selection_->rows(), file](
                                                 Job& job, const JobRunner::Post& post) {
    write_voxels(*chosen->scene, chosen->stride, chosen->rows, file.toStdString(), job);
    post([this, file, voxels = std::ssize(chosen->rows)] {
      workspace_->addLog(
          tr("selection: %1 saved to %2").arg(counted(voxels, tr("1 voxel"), tr("%1 voxels")), file));
    });
  });
}

void SelectionJobs::follow() {
  counting_->cancel();
  emit densitiesChanged(nullptr);
  const ShownMap shown = workspace_->shownMap(selection_->layer());
  const auto& chosen = selection_->rows();
  if (!chosen || !shown.map) return;
  counting_->start(tr("Densities of the selection"),
                   [this, chosen, shown](Job&, const JobRunner::Post& post) {
                     const auto rows = rows_at(*chosen, shown.stride_out);
                     auto found = std::make_shared<const Densities>(densities(*shown.map, rows));
                     post([this, found = std::move(found)] { emit densitiesChanged(found); });
                   });
}

}  // namespace spira::ui

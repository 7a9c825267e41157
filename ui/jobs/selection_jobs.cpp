#include "ui/jobs/selection_jobs.hpp"

#include "engine/base/text.hpp"
#include "engine/run/write_outputs.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/screen_number.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

using Rows = std::shared_ptr<const ChosenRows>;
using MakeRows = std::function<Rows(const std::stop_token&)>;

void make_rows(const MakeRows& make, Job& job, const Send<Rows>& send) {
  auto chosen = make(job.stop_token());
  // Throws if the task was stopped, because an incomplete result must not become the selection.
  job.checkpoint({"selecting voxels", 0, 0});
  send(std::move(chosen));
}

struct SaveArgs {
  Rows chosen;
  QString file;
};

/// Writes the voxels to a file and sends their number.
void save_rows(const SaveArgs& args, Job& job, const Send<std::int64_t>& send) {
  const ChosenRows& chosen = *args.chosen;
  write_voxels(*chosen.scene, chosen.stride, chosen.rows, args.file.toStdString(), job);
  send(std::ssize(chosen.rows));
}

struct DensityArgs {
  Rows chosen;
  ShownMap shown;
};

void count_densities(const DensityArgs& args, Job& /*job*/,
                     const Send<std::shared_ptr<const Densities>>& send) {
  const auto rows = rows_at(*args.chosen, args.shown.stride_out);
  send(std::make_shared<const Densities>(densities(*args.shown.map, rows)));
}

struct FrameArgs {
  std::vector<std::shared_ptr<const LayerResult>> results;
  std::shared_ptr<const VoxelScene> frame;
};

void take_frame_results(const FrameArgs& args, Job& job,
                        const Send<std::shared_ptr<const LayerResult>>& send) {
  for (const auto& result : args.results) {
    job.checkpoint({"reading a frame of a batch", 0, 0});
    if (auto part = frame_result(*result, args.frame)) send(std::move(part));
  }
}

/// Returns true if the layer of a batch was run, but the part of its result for the shown frame is missing.
bool lacks_frame(const Workspace& workspace, int layer) {
  return workspace.results().layer(layer) && !workspace.results().layer(layer, RunResults::Rows::shown);
}

}  // namespace

SelectionJobs::SelectionJobs(Tasks& tasks, Workspace* workspace, Selection* selection, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      selection_(selection),
      choosing_(tasks),
      counting_(tasks),
      saving_(tasks),
      framing_{TaskSlot(tasks), {}, {}, {}} {
  for (const TaskSlot* slot : {&choosing_, &counting_, &saving_, &framing_.task})
    connect(slot, &TaskSlot::failed, this, &SelectionJobs::failed);
  connect(&choosing_, &TaskSlot::finished, this, [this] { growths_ = 0; });
  for (const TaskSlot* slot : {&choosing_, &counting_, &framing_.task})
    connect(slot, &TaskSlot::finished, this, &SelectionJobs::finished, Qt::QueuedConnection);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, [this] {
    choosing_.cancel();
    framing_.layers.clear();  // No panel is pinned after another frame is shown.
    selection_->setRows(nullptr);
  });
  connect(selection_, &Selection::rowsChanged, this, &SelectionJobs::follow);
  connect(selection_, &Selection::layerChanged, this, &SelectionJobs::follow);
  connect(selection_, &Selection::strideChanged, this, &SelectionJobs::follow);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &SelectionJobs::follow);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer < 0 || layer == selection_->layer()) {
      follow();
    } else {
      followFrame();
    }
  });
  connect(selection_, &Selection::triedChanged, this, &SelectionJobs::followFrame);
  connect(workspace_, &Workspace::networkChanged, this, [this] { framing_.layers.clear(); });
}

void SelectionJobs::start(const QString& title, Make make) {
  growths_ = 0;
  choosing_.start(title, make_rows, std::move(make), [this](const Rows& chosen) {
    selection_->setRows(chosen);
    if (growths_ > 0) growBy(growths_ - 1);
  });
}

void SelectionJobs::choose(int stride, FindRows find, Combine how) {
  if (!workspace_->scene().voxels()) return;
  start(tr("Selecting voxels"),
        [before = selection_->rows(), scene = workspace_->scene().voxels(), stride, find = std::move(find),
         how](const std::stop_token& stop) { return combined(before, scene, stride, find(stop), how); });
}

void SelectionJobs::stopChoosing() {
  choosing_.cancel();
}

void SelectionJobs::choosePast(const PackSpec& pack, const Point& from_m) {
  if (!workspace_->scene().voxels()) return;
  start(tr("Finding the voxels that do not fit the packing"),
        [scene = workspace_->scene().voxels(), pack, from_m](const std::stop_token& stop) {
          return rows_past(scene, pack, from_m, stop);
        });
}

void SelectionJobs::grow() {
  if (growths_ == 0) return growBy(1);
  ++growths_;  // The next growth starts from the result of the growth that is running.
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
        [before = selection_->rows(), hiding = selection_->look().hiding()](const std::stop_token&) {
          return inverted(*before, hidden_rows(*before->scene, before->stride, hiding));
        });
}

void SelectionJobs::save(const QString& file) {
  if (!selection_->rows()) return;
  saving_.start(
      tr("Saving the selection"), save_rows, {selection_->rows(), file}, [this, file](std::int64_t voxels) {
        workspace_->addLog(
            tr("selection: %1 saved to %2").arg(counted(voxels, tr("1 voxel"), tr("%1 voxels")), file));
      });
}

/// Extracts the shown frame of a batch from the results of the selected layer, of the layer whose t the user
/// tries, and of layers that were selected before in this frame, because pinned panels may show them.
void SelectionJobs::followFrame() {
  for (const int layer : {selection_->layer(), selection_->tried() ? selection_->tried()->layer : -1})
    if (layer >= 0) framing_.layers.insert(layer);
  std::vector<std::shared_ptr<const LayerResult>> wanted;
  for (const int layer : framing_.layers)
    if (lacks_frame(*workspace_, layer)) wanted.push_back(workspace_->results().layer(layer));
  const auto& frame = workspace_->scene().voxels();
  if (wanted.empty()) return framing_.task.cancel();
  // The task may already have delivered some of its layers.
  const bool taken = std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
    return std::find(framing_.taken.begin(), framing_.taken.end(), one) != framing_.taken.end();
  });
  if (framing_.task.busy() && framing_.frame == frame && taken) return;
  framing_.frame = frame;
  framing_.taken = wanted;
  framing_.task.start(tr("Reading a frame of the batch"), take_frame_results, {std::move(wanted), frame},
                      [this, frame](const std::shared_ptr<const LayerResult>& part) {
                        if (workspace_->scene().voxels() == frame && lacks_frame(*workspace_, part->layer))
                          workspace_->setLayer(part);
                      });
}

void SelectionJobs::follow() {
  followFrame();
  counting_.cancel();
  emit densitiesChanged(nullptr);
  const ShownMap shown = shown_map(*workspace_, *selection_);
  const auto& chosen = selection_->rows();
  if (!chosen || !shown.map || !has_level(*chosen->scene, shown.stride_out)) return;
  counting_.start(tr("Computing the densities of the selection"), count_densities, {chosen, shown},
                  [this](const std::shared_ptr<const Densities>& found) { emit densitiesChanged(found); });
}

}  // namespace spira::ui

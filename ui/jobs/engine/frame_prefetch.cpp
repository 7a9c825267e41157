#include "ui/jobs/engine/frame_prefetch.hpp"

#include "engine/scene/reader.hpp"

#include <set>
#include <vector>

namespace spira::ui {
namespace {

// Larger files are not read in advance, because up to five frames are in memory at the same time.
constexpr std::uintmax_t max_file_bytes = 256U << 20U;

/// Returns the current frame and up to two frames on each side. Later frames come before earlier frames.
std::vector<std::filesystem::path> around(const Workspace& workspace) {
  const auto& frames = workspace.scene().frames();
  std::vector<std::filesystem::path> near;
  if (frames.size() < 2) return near;
  for (const int step : {0, 1, 2, -1, -2}) {
    const int at = workspace.scene().frame() + step;
    if (at >= 0 && at < static_cast<int>(frames.size())) near.push_back(frames[static_cast<std::size_t>(at)]);
  }
  return near;
}

struct ReadArgs {
  std::filesystem::path frame;
  LoadOptions options;
};

void read_frame(const ReadArgs& args, Job& job, const Send<std::shared_ptr<const PointCloud>>& send) {
  send(load_scene(args.frame, args.options, job));
}

}  // namespace

FramePrefetch::FramePrefetch(Tasks& tasks, Workspace* workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), task_(tasks) {
  connect(&workspace_->scene(), &OpenScene::framesChanged, this, &FramePrefetch::follow);
  connect(&workspace_->scene(), &OpenScene::cloudChanged, this, &FramePrefetch::keepShown);
  connect(&task_, &TaskSlot::finished, this, &FramePrefetch::readNext);
}

void FramePrefetch::setReading(const QString& format, std::int64_t every) {
  if (format == format_ && every == every_) return;
  format_ = format;
  every_ = every;
  clouds_.clear();
  task_.cancel();  // Cancel the running task, because it uses the former format and the former step `every`.
}

std::shared_ptr<const PointCloud> FramePrefetch::cloud(const std::filesystem::path& frame) const {
  const auto found = clouds_.find(frame);
  return found == clouds_.end() ? nullptr : found->second;
}

void FramePrefetch::follow() {
  const auto near = around(*workspace_);
  const std::set<std::filesystem::path> wanted(near.begin(), near.end());
  std::erase_if(clouds_, [&](const auto& held) { return wanted.count(held.first) == 0; });
  readNext();
}

/// Stores the cloud of the open frame, because this frame will be a neighbour of the next frame.
void FramePrefetch::keepShown() {
  const auto& frames = workspace_->scene().frames();
  if (frames.size() > 1 && workspace_->scene().cloud() && !workspace_->scene().frameRefused())
    clouds_[frames[static_cast<std::size_t>(workspace_->scene().frame())]] = workspace_->scene().cloud();
}

void FramePrefetch::readNext() {
  if (task_.busy()) return;
  for (const auto& frame : around(*workspace_)) {
    const bool shown =
        frame == workspace_->scene().frames()[static_cast<std::size_t>(workspace_->scene().frame())];
    if (shown || clouds_.count(frame) > 0) continue;
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(frame, ignored);
    clouds_[frame] = nullptr;
    if (ignored || bytes > max_file_bytes) continue;
    LoadOptions options;
    options.format = format_.toStdString();
    options.limits = {every_, max_bytes_};
    return task_.start(tr("Reading the next frames"), read_frame, {frame, options},
                       [this, frame](const std::shared_ptr<const PointCloud>& cloud) {
                         const auto wanted = clouds_.find(frame);
                         if (wanted != clouds_.end()) wanted->second = cloud;
                       });
  }
}

}  // namespace spira::ui

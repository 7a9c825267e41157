// The jobs of EngineJobs that open several files as the frames of a sequence, and go from one to another.
#include "engine/scene/sequence.hpp"
#include "engine/scene/standard_input.hpp"
#include "ui/jobs/engine_host.hpp"
#include "ui/jobs/frame_prefetch.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {

void EngineJobs::openSequence(const QStringList& files, const QString& format) {
  OpenRequest wanted;
  wanted.scene = wanted.reopen = files.front();
  wanted.format = format;
  wanted.every = every_;
  auto& named = format.isEmpty() ? wanted.picked : wanted.frames;  // a format says that they are scenes
  for (const QString& file : files)
    named.emplace_back(file.toStdString());
  if (keep_grid_) wanted.grid = Grid{workspace_->grid().voxel_m, {}};
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

std::vector<std::filesystem::path> EngineJobs::openFrames() const {
  if (workspace_->frames().size() > 1 || !workspace_->cloud()) return workspace_->frames();
  return {std::filesystem::path(workspace_->cloud()->source)};
}

QString EngineJobs::whyNoFramesAdded() const {
  if (!workspace_->voxels()) return tr("nothing is open");
  const QString first = QString::fromStdString(openFrames().front().string());
  return QFileInfo(first).isFile() && !is_standard_input(first.toStdString())
             ? QString()
             : tr("the open scene is not a file");
}

void EngineJobs::addFrames(const QStringList& files) {
  OpenRequest wanted = sequence_;
  wanted.frames = openFrames();
  wanted.frame = static_cast<int>(wanted.frames.size());
  wanted.reopen = QString::fromStdString(wanted.frames.front().string());  // no folder holds them all
  for (const QString& file : files)
    wanted.picked.emplace_back(file.toStdString());
  wanted.scene = files.front();
  wanted.grid = workspace_->grid();
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

int EngineJobs::wantedFrame() const {
  return opening_ && runner_->busy() ? opening_->frame : workspace_->frame();
}

void EngineJobs::showFrame(int frame) {
  const auto& frames = workspace_->frames();
  if (frame < 0 || frame >= static_cast<int>(frames.size())) return;
  if (frame == wantedFrame() && !workspace_->frameRefused()) return;
  OpenRequest wanted = sequence_;
  wanted.scene = QString::fromStdString(frames[static_cast<std::size_t>(frame)].string());
  wanted.frames = frames;
  wanted.frame = frame;
  wanted.ahead = prefetch_->cloud(frames[static_cast<std::size_t>(frame)]);
  wanted.grid = workspace_->grid();  // frames of a sequence are compared: one grid and crop for all
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

void EngineJobs::toFrame(OpenRequest& wanted) {
  wanted.frame = std::clamp(wanted.frame, 0, static_cast<int>(wanted.frames.size()) - 1);
  wanted.scene = QString::fromStdString(wanted.frames[static_cast<std::size_t>(wanted.frame)].string());
}

/// On the worker: a folder with many files takes a while to list. What is open is asked for as its place in
/// it.
EngineJobs::OpenRequest EngineJobs::withFrames(OpenRequest wanted, Job& job, const JobRunner::Post& post) {
  if (!wanted.picked.empty()) {
    const PickedFrames picked = pick_frames(std::exchange(wanted.picked, {}), job);
    wanted.frames.insert(wanted.frames.end(), picked.frames.begin(), picked.frames.end());
    wanted.reopen =
        QString::fromStdString(wanted.frames.front().string());  // what was left out is not opened again
    toFrame(wanted);
    QStringList files, why;
    for (const auto& one : picked.left_out) {
      files.append(QString::fromStdString(one.file.filename().string()));
      why.append(QString::fromStdString(one.why));
    }
    post([this, frames = wanted.frames, reopen = wanted.reopen, files, why] {
      if (opening_) {
        opening_->frames = frames;
        opening_->reopen = reopen;
        opening_->picked.clear();
      }
      if (!files.isEmpty()) emit leftOut(files, why);
    });
    return wanted;
  }
  std::error_code ignored;
  const std::filesystem::path path = wanted.scene.toStdString();
  if (!wanted.frames.empty() || is_standard_input(path) || !std::filesystem::is_directory(path, ignored))
    return wanted;
  wanted.frames = list_frames(path);
  toFrame(wanted);
  return wanted;
}

}  // namespace spira::ui

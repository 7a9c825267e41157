// Jobs of EngineJobs that open several files as the frames of a sequence and change between frames.
#include "engine/scene/sequence.hpp"
#include "engine/scene/standard_input.hpp"
#include "ui/jobs/engine_host.hpp"
#include "ui/jobs/frame_prefetch.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {

FileList EngineJobs::pathsOf(const QStringList& files) {
  FileList::Files paths;
  paths.reserve(static_cast<std::size_t>(files.size()));
  for (const QString& file : files)
    paths.emplace_back(file.toStdString());
  return FileList(std::move(paths));
}

void EngineJobs::openSequence(const QStringList& files, const QString& format) {
  OpenRequest wanted;
  wanted.scene = wanted.reopen = files.front();
  wanted.format = format;
  wanted.every = every_;
  // If the user named a format, all files are treated as scenes.
  auto& named = format.isEmpty() ? wanted.picked : wanted.frames;
  named = pathsOf(files);
  if (keep_grid_) wanted.grid = Grid{workspace_->grid().voxel_m, {}};
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

FileList EngineJobs::openFrames() const {
  if (workspace_->frames().size() > 1 || !workspace_->cloud()) return workspace_->frames();
  return FileList({std::filesystem::path(workspace_->cloud()->source)});
}

QString EngineJobs::whyNoFramesAdded() const {
  if (!workspace_->voxels()) return tr("no scene is open");
  const QString first = QString::fromStdString(openFrames().front().string());
  return QFileInfo(first).isFile() && !is_standard_input(first.toStdString())
             ? QString()
             : tr("the open scene is not a file");
}

void EngineJobs::addFrames(const QStringList& files) {
  OpenRequest wanted = sequence_;
  wanted.frames = openFrames();
  wanted.frame = static_cast<int>(wanted.frames.size());
  // No single folder contains all frames, so the first file names the sequence.
  wanted.reopen = QString::fromStdString(wanted.frames.front().string());
  wanted.picked = pathsOf(files);
  wanted.scene = files.front();
  wanted.grid = workspace_->grid();
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

int EngineJobs::wantedFrame() const {
  return opening_ && runner_->busy() ? opening_->frame : workspace_->frame();
}

void EngineJobs::showFrame(int frame) {
  const FileList& frames = workspace_->frames();
  if (frame < 0 || frame >= static_cast<int>(frames.size())) return;
  if (frame == wantedFrame() && !workspace_->frameRefused()) return;
  OpenRequest wanted = sequence_;
  wanted.scene = QString::fromStdString(frames[static_cast<std::size_t>(frame)].string());
  wanted.frames = frames;
  wanted.frame = frame;
  wanted.ahead = prefetch_->cloud(frames[static_cast<std::size_t>(frame)]);
  wanted.grid = workspace_->grid();  // All frames share one grid and crop, so that they can be compared.
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

void EngineJobs::toFrame(OpenRequest& wanted) {
  wanted.frame = std::clamp(wanted.frame, 0, static_cast<int>(wanted.frames.size()) - 1);
  wanted.scene = QString::fromStdString(wanted.frames[static_cast<std::size_t>(wanted.frame)].string());
}

/// Replaces a folder or the chosen files by a list of frames and the index of one frame. Runs on the worker,
/// because listing a folder with many files takes time.
EngineJobs::OpenRequest EngineJobs::withFrames(OpenRequest wanted, Job& job, const JobRunner::Post& post) {
  if (!wanted.picked.empty()) {
    const PickedFrames picked = pick_frames(std::exchange(wanted.picked, {}).files(), job);
    FileList::Files all = wanted.frames.files();
    all.insert(all.end(), picked.frames.begin(), picked.frames.end());
    wanted.frames = FileList(std::move(all));
    // Skipped files are not opened again.
    wanted.reopen = QString::fromStdString(wanted.frames.front().string());
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
        opening_->picked = {};
      }
      if (!files.isEmpty()) emit leftOut(files, why);
    });
    return wanted;
  }
  std::error_code ignored;
  const std::filesystem::path path = wanted.scene.toStdString();
  if (!wanted.frames.empty() || is_standard_input(path) || !std::filesystem::is_directory(path, ignored))
    return wanted;
  wanted.frames = FileList(list_frames(path));
  toFrame(wanted);
  return wanted;
}

}  // namespace spira::ui

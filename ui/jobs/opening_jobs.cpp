// The jobs of EngineJobs that open scenes and reports and voxelise, and what is left of them when they are
// refused.
#include "engine/scene/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/sequence.hpp"
#include "ui/jobs/engine_host.hpp"
#include "ui/jobs/frame_prefetch.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int view_strides = 16;  // levels of the view, whatever the network needs

bool is_generator(const std::string& id) {
  const auto all = generators();
  return std::any_of(all.begin(), all.end(), [&](const GeneratorFacts& facts) { return facts.id == id; });
}

/// The default packing where it fits, else the first that does.
PackSpec choose_pack(const PointCloud& cloud, const Grid& grid, int kernel_size, int max_stride, Job& job) {
  const auto extent = voxel_range(cloud, grid, job).extent(max_stride);
  if (fit(extent, PackSpec::bits32(), kernel_size, max_stride).fits()) return PackSpec::bits32();
  const auto packs = packings_that_fit(extent, kernel_size, max_stride);
  return packs.empty() ? PackSpec::bits32() : packs.front();
}

}  // namespace

/// On the worker. Of a scene that does not fit the way out is known before it is refused.
std::shared_ptr<const VoxelScene> EngineJobs::voxelizeOrOfferCrop(
    Backend& backend, const std::shared_ptr<const PointCloud>& cloud, const Grid& grid, PackSpec pack,
    int kernel, Job& job, const JobRunner::Post& post) {
  try {
    return voxelize_scene(backend, cloud, grid, pack, kernel, view_strides, job);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::does_not_fit)
      post([this, crop = crop_that_fits(*cloud, grid, pack, kernel, view_strides, job)] {
        fitting_crop_ = crop;
      });
    throw;
  }
}

void EngineJobs::takeVoxels(const std::shared_ptr<const VoxelScene>& voxels) {
  workspace_->setGrid(voxels->grid);
  workspace_->setPack(voxels->pack);
  workspace_->setVoxels(voxels);
}

/// On the worker, as its densities.
void EngineJobs::buildSceneMap(Backend& backend, const VoxelScene& voxels, int kernel_size, Job& job,
                               const JobRunner::Post& post) {
  const auto map = map_of_scene(backend, voxels, {kernel_size, 1, 1}, job);
  post([this, map, found = std::make_shared<const Densities>(densities(*map))] {
    workspace_->setSceneMap(map, found, 1);
  });
}

void EngineJobs::open(const QString& scene, const QString& format) {
  OpenRequest wanted;
  wanted.scene = wanted.reopen = scene;
  wanted.format = format;
  if (keep_grid_) wanted.grid = Grid{workspace_->grid().voxel_m, {}};  // a crop is of one scene
  if (keep_pack_) wanted.pack = workspace_->pack();
  std::error_code ignored;
  const std::filesystem::path path = scene.toStdString();
  if (std::filesystem::is_directory(path, ignored)) {
    try {
      wanted.frames = list_frames(path);
    } catch (const Error& error) {
      emit failed(error);
      return;
    }
    wanted.scene = QString::fromStdString(wanted.frames.front().string());
  }
  load(wanted);
}

void EngineJobs::openSequence(const QStringList& files, const QString& format) {
  OpenRequest wanted;
  wanted.scene = wanted.reopen = files.front();
  wanted.format = format;
  for (const QString& file : files)
    wanted.frames.emplace_back(file.toStdString());
  if (keep_grid_) wanted.grid = Grid{workspace_->grid().voxel_m, {}};
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

void EngineJobs::reopen(const Reopening& wanted) {
  OpenRequest request;
  request.scene = request.reopen = wanted.files.front();
  request.format = wanted.format;
  request.grid = wanted.grid;
  request.pack = wanted.pack;
  std::error_code ignored;
  const std::filesystem::path path = wanted.files.front().toStdString();
  try {
    if (wanted.files.size() > 1) {
      for (const QString& file : wanted.files)
        request.frames.emplace_back(file.toStdString());
    } else if (std::filesystem::is_directory(path, ignored)) {
      request.frames = list_frames(path);
    }
  } catch (const Error& error) {
    emit failed(error);
    return;
  }
  if (!request.frames.empty()) {
    request.frame = std::clamp(wanted.frame, 0, static_cast<int>(request.frames.size()) - 1);
    request.scene = QString::fromStdString(request.frames[static_cast<std::size_t>(request.frame)].string());
  }
  load(request);
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

void EngineJobs::load(const OpenRequest& wanted) {
  opening_ = wanted;
  doing_ = Doing::scene;
  const SceneRequest now = request();
  const int kernel = now.network ? levels_of(*now.network).max_kernel_size : 5;
  const auto work = [this, host = host_, wanted, kernel_size = now.kernel_size, kernel](
                        Job& job, const JobRunner::Post& post) {
    const std::string name = wanted.scene.toStdString();
    const bool generated = is_generator(name) && !std::filesystem::exists(name);
    // A format that was named, or a place in a sequence, says that it is a scene.
    if (!generated && wanted.format.isEmpty() && wanted.frames.size() < 2 && looks_like_report(name)) {
      job.checkpoint({"reading the report", 0, 0});
      const auto report = std::make_shared<const Report>(read_report(name));
      return post([this, wanted, report] { deliverReport(wanted, report); });
    }
    const auto read = [&] {
      return generated ? generate_scene(name, 0, 1, job)
                       : load_scene(name, {wanted.format.toStdString()}, job);
    };
    const auto cloud = wanted.ahead ? wanted.ahead : read();
    const Grid grid = wanted.grid ? *wanted.grid : suggest_grid(*cloud);
    post([this, grid] {
      if (!opening_) return;  // it is open: the CPU builds again what a GPU lost after that
      opening_->grid = grid;
      opening_->read = true;
    });
    const PackSpec pack = wanted.pack ? *wanted.pack : choose_pack(*cloud, grid, kernel, view_strides, job);
    Backend& backend = host->device();
    const auto voxels = voxelizeOrOfferCrop(backend, cloud, grid, pack, kernel, job, post);
    // The former scene stays until this one could be shown.
    post([this, wanted, cloud, voxels, facts = backend.facts(), why = host->whyNoGpu()] {
      deliverScene(wanted, cloud, voxels, facts);
      if (!why.empty()) emit gpuRefused(QString::fromStdString(why));
    });
    buildSceneMap(backend, *voxels, kernel_size, job, post);
  };
  start(tr("Opening %1").arg(wanted.scene), work);
}

void EngineJobs::deliverReport(const OpenRequest& wanted, const std::shared_ptr<const Report>& report) {
  opening_.reset();
  tried_.reset();
  sequence_ = {};
  selection_->clear();
  workspace_->setReport(report);
  selection_->setLayer(0);  // densities are there for layers only
  const QString name = QFileInfo(wanted.scene).fileName();
  workspace_->addLog(tr("%1: recorded on %2, %3")
                         .arg(name, QString::fromStdString(report->measurement.device.name),
                              QString::fromStdString(report->created)));
  for (const auto& note : report->notes)
    workspace_->addLog(tr("%1: %2").arg(name, QString::fromStdString(note)));
  emit opened(wanted.scene, wanted.reopen);
}

void EngineJobs::deliverScene(const OpenRequest& wanted, const std::shared_ptr<const PointCloud>& cloud,
                              const std::shared_ptr<const VoxelScene>& voxels, const DeviceFacts& facts) {
  opening_.reset();
  tried_.reset();
  sequence_ = {};
  sequence_.reopen = wanted.reopen;
  sequence_.format = wanted.format;
  doing_ = Doing::scene_map;
  selection_->setVoxel(std::nullopt);
  workspace_->setDevice(facts);
  prefetch_->setFormat(wanted.format);
  workspace_->setFrames(wanted.frames, wanted.frame);
  workspace_->setCloud(cloud);
  takeVoxels(voxels);
  workspace_->addLog(QString::fromStdString(cloud->name + ": " + cloud->reading));
  for (const auto& note : cloud->notes)
    workspace_->addLog(QString::fromStdString(cloud->name + ": " + note));
  emit opened(wanted.scene, wanted.reopen);
}

void EngineJobs::voxelize() {
  opening_.reset();
  const SceneRequest now = request();
  if (!now.cloud) return;
  tried_ = {now.grid, now.pack};
  doing_ = Doing::scene;
  const int kernel = now.network ? levels_of(*now.network).max_kernel_size : 5;
  start(tr("Voxelising"), [this, host = host_, now, kernel](Job& job, const JobRunner::Post& post) {
    const auto voxels = voxelizeOrOfferCrop(host->device(), now.cloud, now.grid, now.pack, kernel, job, post);
    post([this, voxels] {
      doing_ = Doing::scene_map;
      tried_.reset();
      selection_->setVoxel(std::nullopt);
      takeVoxels(voxels);
    });
    buildSceneMap(host->device(), *voxels, now.kernel_size, job, post);
  });
}

/// A refused size or packing leaves the fields: they show what the open scene has.
void EngineJobs::keepWhatIsOpen() {
  if (!workspace_->voxels()) return;
  workspace_->setGrid(workspace_->voxels()->grid);
  workspace_->setPack(workspace_->voxels()->pack);
}

void EngineJobs::refuse(const Error& error) {
  if (doing_ == Doing::scene) {
    keepWhatIsOpen();
    if (opening_ && opening_->frames.size() > 1 && opening_->frames == workspace_->frames())
      workspace_->refuseFrame(opening_->frame);
  }
  emit failed(error);
}

void EngineJobs::again(const std::function<void(std::optional<Grid>&, std::optional<PackSpec>&)>& change) {
  if (opening_) {
    OpenRequest wanted = *opening_;
    change(wanted.grid, wanted.pack);
    return load(wanted);
  }
  std::optional<Grid> grid = tried_ ? tried_->grid : workspace_->grid();
  std::optional<PackSpec> pack = tried_ ? tried_->pack : workspace_->pack();
  change(grid, pack);
  workspace_->setGrid(*grid);
  workspace_->setPack(*pack);
  voxelize();
}

void EngineJobs::againWith(const PackSpec& pack) {
  again([&](std::optional<Grid>&, std::optional<PackSpec>& wanted) { wanted = pack; });
}

void EngineJobs::againWithLargerVoxels(double factor) {
  again([&](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->grid();
    for (double& size : grid->voxel_m)
      size *= factor;
  });
}

void EngineJobs::againWithoutCrop() {
  again([](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (grid) grid->crop_m.reset();
  });
}

void EngineJobs::againWithFittingCrop() {
  if (!fitting_crop_) return;
  again([box = fitting_crop_->box, this](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->grid();
    grid->crop_m = box;
  });
}

void EngineJobs::usePack(const PackSpec& pack) {
  workspace_->setPack(pack);
  voxelize();
}

void EngineJobs::crop(const std::optional<Bounds>& crop) {
  if (!workspace_->cloud()) return;
  Grid grid = workspace_->grid();
  if (grid.crop_m == crop) return;
  grid.crop_m = crop;
  workspace_->setGrid(grid);
  voxelize();
}

bool EngineJobs::refusedWithCrop() const {
  if (opening_) return opening_->read && opening_->grid && opening_->grid->crop_m;
  return tried_ && tried_->grid.crop_m;
}

void EngineJobs::rebuildSceneMap() {
  if (runner_->busy() && doing_ == Doing::scene) return opening_ ? load(*opening_) : voxelize();
  const SceneRequest now = request();
  if (!now.voxels) return;
  doing_ = Doing::scene_map;
  start(tr("Building the kernel map"), [this, host = host_, now](Job& job, const JobRunner::Post& post) {
    buildSceneMap(host->device(), *now.voxels, now.kernel_size, job, post);
  });
}

}  // namespace spira::ui

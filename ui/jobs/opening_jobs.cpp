// Jobs of EngineJobs that open scenes and voxelise, and the state after a refusal.
#include "engine/report/report_file.hpp"
#include "engine/run/scene_memory.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/standard_input.hpp"
#include "engine/voxel/grid.hpp"
#include "ui/jobs/engine_host.hpp"
#include "ui/jobs/frame_prefetch.hpp"
#include "ui/model/scene_statistics.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

// The coarsest stride and the kernel size that the view and the lessons need. Each packing must support them,
// independent of the network.
constexpr int view_strides = 16, view_kernel = 5;

/// Frames that were skipped at the start of a sequence because they cannot be read.
struct Passed {
  QStringList files, why;
};

/// Reads the first readable frame of a sequence. The unreadable frames before it stay in the sequence. Runs
/// on the worker.
template <class Request, class Read>
std::shared_ptr<const PointCloud> first_readable(Request& wanted, bool any_frame, Passed& passed,
                                                 const Read& read) {
  for (;;) {
    try {
      return read();
    } catch (const Error& error) {
      const bool more = any_frame && wanted.frame + 1 < static_cast<int>(wanted.frames.size());
      if (!more || error.kind() != ErrorKind::input) throw;
      passed.files += QFileInfo(wanted.scene).fileName();
      passed.why += QString::fromStdString(error.what());
      ++wanted.frame;
      wanted.scene = QString::fromStdString(wanted.frames[static_cast<std::size_t>(wanted.frame)].string());
    }
  }
}

/// Returns the default packing if it fits, else the first packing that fits.
PackSpec choose_pack(const PointCloud& cloud, const Grid& grid, int kernel_size, int max_stride, Job& job) {
  const auto extent = voxel_range(cloud, grid, job).extent(max_stride);
  if (fit(extent, PackSpec::bits32(), kernel_size, max_stride).fits()) return PackSpec::bits32();
  const auto packs = packings_that_fit(extent, kernel_size, max_stride);
  return packs.empty() ? PackSpec::bits32() : packs.front();
}

}  // namespace

void EngineJobs::limitMemory(std::uint64_t bytes) {
  memory_limit_ = bytes == 0 ? std::nullopt : std::optional(bytes);
  prefetch_->limitMemory(memory_limit_);
}

/// Runs on the worker. If memory is not sufficient, posts the n for which every n-th point would fit, before
/// the error is reported.
template <class Read> auto EngineJobs::offerFewer(const JobRunner::Post& post, const Read& read) {
  try {
    return read();
  } catch (const NotEnoughMemory& error) {
    post([this, every = error.every()] { fitting_every_ = every; });
    throw;
  }
}

/// Runs on the worker. If the scene does not fit, posts the remedies before the error is reported.
std::shared_ptr<const VoxelScene> EngineJobs::voxelizeOrSayMisfit(
    Backend& backend, const std::shared_ptr<const PointCloud>& cloud, const Grid& grid, PackSpec pack,
    int kernel, Job& job, const JobRunner::Post& post) {
  try {
    return voxelize_scene(backend, cloud, grid, pack, kernel, view_strides, job);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::does_not_fit)
      post(
          [this, misfit = misfit_of(*cloud, {grid, pack, kernel, view_strides}, job)] { setMisfit(misfit); });
    throw;
  }
}

/// Runs on the worker. Delivers the kernel map of the scene and its densities.
void EngineJobs::buildSceneMap(Backend& backend, const VoxelScene& voxels, int kernel_size, Job& job,
                               const JobRunner::Post& post) {
  const auto map = map_of_scene(backend, voxels, {kernel_size, 1, 1}, job);
  post([this, map, found = std::make_shared<const Densities>(densities(*map))] {
    workspace_->setSceneMap(map, found, 1);
  });
}

void EngineJobs::open(const QString& scene, const QString& format, const std::optional<Grid>& grid) {
  OpenRequest wanted;
  wanted.scene = wanted.reopen = scene;
  wanted.format = format;
  wanted.every = every_;
  wanted.grid = grid;
  // A crop belongs to one scene, so a new scene has none.
  if (keep_grid_) wanted.grid = Grid{workspace_->grid().voxel_m, {}};
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

void EngineJobs::reopen(const Reopening& wanted) {
  OpenRequest request;
  request.scene = request.reopen = wanted.files.front();
  request.format = wanted.format;
  request.every = wanted.every;
  request.grid = wanted.grid;
  request.pack = wanted.pack;
  request.frame = wanted.frame;
  if (wanted.files.size() > 1) {
    request.frames = pathsOf(wanted.files);
    toFrame(request);
  }
  load(request);
}

/// Returns the larger of the two kernel sizes: of the network (or of the view if there is none) and of the
/// kernel map of the scene.
int EngineJobs::largestKernel(const SceneRequest& now) {
  return std::max(now.network ? levels_of(*now.network).max_kernel_size : view_kernel, now.kernel_size);
}

void EngineJobs::load(const OpenRequest& asked) {
  opening_ = asked;
  doing_ = Doing::scene;
  const SceneRequest now = request();
  const int kernel = largestKernel(now);
  // Keep the points, because the CPU may repeat the job and standard input can be read only once.
  const auto held = std::make_shared<std::shared_ptr<const PointCloud>>(asked.ahead);
  const auto work = [this, host = host_, asked, held, kernel_size = now.kernel_size, kernel,
                     limit = memory_limit_](Job& job, const JobRunner::Post& post) {
    OpenRequest wanted = withFrames(asked, job, post);
    const bool any_frame = asked.frames.empty() && wanted.frames.size() > 1;
    const std::string name = wanted.scene.toStdString();
    Passed passed;
    const bool generated = names_built_in_scene(name);
    const bool piped = is_standard_input(name);
    // A named format or a position in a sequence means that the file is a scene.
    if (!generated && !piped && wanted.format.isEmpty() && wanted.frames.size() < 2 && looks_like_json(name))
      return openDocument(wanted, job, post);
    const auto read = [&] {
      if (generated) return built_in_scene(name, job);
      LoadOptions options;
      options.format = wanted.format.toStdString();
      options.limits = {wanted.every, limit};
      return load_scene(wanted.scene.toStdString(), options, job);
    };
    if (!*held) *held = first_readable(wanted, any_frame, passed, [&] { return offerFewer(post, read); });
    const auto cloud = *held;
    const Grid grid = wanted.grid ? *wanted.grid : suggest_grid(*cloud);
    post([this, grid, cloud, piped, scene = wanted.scene, frame = wanted.frame] {
      // The scene is open already. The CPU repeats the job because the GPU was lost later.
      if (!opening_) return;
      if (!opening_->frames.empty())
        opening_->scene = scene, opening_->frame = frame;  // Otherwise `scene` is a folder.
      if (piped) opening_->ahead = cloud;
      opening_->grid = grid;
      opening_->read = true;
    });
    const PackSpec pack = wanted.pack
                              ? *wanted.pack
                              : choose_pack(*cloud, grid, std::max(kernel, view_kernel), view_strides, job);
    Backend& backend = host->device();
    offerFewer(post, [&] { require_memory(*cloud, grid, {kernel_size, true}, limit, job); });
    const auto voxels = voxelizeOrSayMisfit(backend, cloud, grid, pack, kernel, job, post);
    // The former scene stays open until this point.
    post([this, wanted, voxels, passed, facts = backend.facts(), why = host->whyNoGpu()] {
      deliverScene(wanted, voxels, facts);
      if (!passed.files.isEmpty()) emit leftOut(passed.files, passed.why);
      if (!why.empty()) emit gpuRefused(QString::fromStdString(why));
    });
    buildSceneMap(backend, *voxels, kernel_size, job, post);
  };
  start(
      tr("Opening %1").arg(is_standard_input(asked.scene.toStdString()) ? tr("standard input") : asked.scene),
      work);
}

void EngineJobs::deliverScene(const OpenRequest& wanted, const std::shared_ptr<const VoxelScene>& voxels,
                              const DeviceFacts& facts) {
  opening_.reset();
  tried_.reset();
  sequence_ = {};
  sequence_.reopen = wanted.reopen;
  sequence_.format = wanted.format;
  sequence_.every = wanted.every;
  doing_ = Doing::scene_map;
  selection_->setVoxel(std::nullopt);
  reportDevice(facts);
  prefetch_->setReading(wanted.format, wanted.every);
  workspace_->setFrames(wanted.frames, wanted.frame);
  workspace_->setGridAndPack(voxels->grid, voxels->pack);
  setMisfit(std::nullopt);
  workspace_->setScene(voxels);
  const auto& cloud = voxels->cloud;
  workspace_->addLog(QString::fromStdString(cloud->name + ": " + cloud->reading));
  for (const QString& note : notesOf(*voxels))
    workspace_->addLog(QString::fromStdString(cloud->name + ": ") + note);
  emit opened(wanted.scene, wanted.reopen);
}

void EngineJobs::voxelize() {
  opening_.reset();
  const SceneRequest now = request();
  if (!now.cloud) return;
  tried_ = {now.grid, now.pack};
  doing_ = Doing::scene;
  const int kernel = largestKernel(now);
  start(tr("Voxelising"), [this, host = host_, now, kernel, limit = memory_limit_](
                              Job& job, const JobRunner::Post& post) {
    offerFewer(post, [&] { require_memory(*now.cloud, now.grid, {now.kernel_size, true}, limit, job); });
    Backend& backend = host->device();
    const auto voxels = voxelizeOrSayMisfit(backend, now.cloud, now.grid, now.pack, kernel, job, post);
    post([this, voxels, facts = backend.facts()] {
      doing_ = Doing::scene_map;
      tried_.reset();
      reportDevice(facts);
      selection_->setVoxel(std::nullopt);
      workspace_->setGridAndPack(voxels->grid, voxels->pack);
      setMisfit(std::nullopt);
      workspace_->setVoxels(voxels);
    });
    buildSceneMap(host->device(), *voxels, now.kernel_size, job, post);
  });
}

/// Restores the grid and packing of the open scene after a refusal, so that the fields show them.
void EngineJobs::keepWhatIsOpen() {
  if (!workspace_->voxels()) return;
  workspace_->setGridAndPack(workspace_->voxels()->grid, workspace_->voxels()->pack);
}

void EngineJobs::refuse(const Error& error) {
  // The suggested fits belong to the scene that was refused last.
  if (doing_ != Doing::scene || error.kind() != ErrorKind::memory) fitting_every_ = 0;
  if (doing_ != Doing::scene || error.kind() != ErrorKind::does_not_fit) setMisfit(network_misfit_);
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
  workspace_->setGridAndPack(*grid, *pack);
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

void EngineJobs::againWithVoxels(const std::array<double, 3>& voxel_m) {
  again([&](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->grid();
    grid->voxel_m = voxel_m;
  });
}

void EngineJobs::againWithoutCrop() {
  again([](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (grid) grid->crop_m.reset();
  });
}

void EngineJobs::againWithFittingCrop() {
  if (!misfit_ || !misfit_->crop) return;
  again([box = misfit_->crop->box, this](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->grid();
    grid->crop_m = box;
  });
}

void EngineJobs::againWithEvery(std::int64_t every) {
  const bool read_in = !opening_ && workspace_->cloud();
  const std::string scene = read_in    ? workspace_->cloud()->source
                            : opening_ ? opening_->scene.toStdString()
                                       : "";
  if (is_standard_input(scene))
    return refuse(Error(
        ErrorKind::input,
        tr("standard input cannot be read again; write the scene to a file and open it").toStdString()));
  if (read_in) {  // The scene was open, or was refused after it was read: read it again.
    opening_ = sequence_;
    opening_->scene = QString::fromStdString(workspace_->cloud()->source);
    opening_->frames = workspace_->frames();
    opening_->frame = workspace_->frame();
    opening_->grid = workspace_->grid();
    if (keep_pack_) opening_->pack = workspace_->pack();
  }
  if (!opening_) return;
  OpenRequest wanted = *opening_;
  wanted.every = every;
  wanted.ahead.reset();
  load(wanted);
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

void EngineJobs::useCloud(const std::shared_ptr<const PointCloud>& cloud) {
  opening_.reset();
  const SceneRequest now = request();
  const Grid grid{now.grid.voxel_m, {}};
  tried_ = {grid, now.pack};
  doing_ = Doing::scene;
  const int kernel = largestKernel(now);
  start(tr("Voxelising"), [this, host = host_, now, cloud, grid, kernel, limit = memory_limit_](
                              Job& job, const JobRunner::Post& post) {
    offerFewer(post, [&] { require_memory(*cloud, grid, {now.kernel_size, true}, limit, job); });
    const auto voxels = voxelizeOrSayMisfit(host->device(), cloud, grid, now.pack, kernel, job, post);
    post([this, voxels] {
      doing_ = Doing::scene_map;
      tried_.reset();
      selection_->setVoxel(std::nullopt);
      workspace_->setGridAndPack(voxels->grid, voxels->pack);
      setMisfit(std::nullopt);
      workspace_->setScene(voxels);
    });
    buildSceneMap(host->device(), *voxels, now.kernel_size, job, post);
  });
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

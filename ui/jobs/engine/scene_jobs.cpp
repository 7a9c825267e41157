#include "ui/jobs/engine/scene_jobs.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/scene/reader.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/model/scene_statistics.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

using Doing = EngineLane::Doing;

FileList paths_of(const QStringList& files) {
  FileList::Files paths;
  paths.reserve(static_cast<std::size_t>(files.size()));
  for (const QString& file : files)
    paths.emplace_back(file.toStdString());
  return FileList(std::move(paths));
}

struct MapArgs {
  std::shared_ptr<const VoxelScene> voxels;
  KernelShape kernel = 3;
  std::vector<int> strides;
};

void build_maps(EngineHost& host, const MapArgs& args, Job& job, const Send<SceneMap>& send) {
  for (const int stride : args.strides)
    send(host.buildSceneMap(args.voxels, args.kernel, stride, job));
}

struct BatchArgs {
  std::shared_ptr<const VoxelScene> batch;
  int frame = 0;
};

void take_frame(const BatchArgs& args, Job& /*job*/, const Send<std::shared_ptr<const VoxelScene>>& send) {
  send(frame_scene(args.batch, args.frame));
}

struct NoArgs {};

void find_device(EngineHost& host, const NoArgs& /*args*/, Job& /*job*/, const Send<DeviceFacts>& send) {
  send(host.device().facts());
}

}  // namespace

SceneJobs::SceneJobs(Tasks& tasks, EngineLane* lane, Workspace* workspace, Selection* selection,
                     QObject* parent)
    : QObject(parent),
      lane_(lane),
      workspace_(workspace),
      selection_(selection),
      prefetch_(tasks, workspace),
      of_batch_{TaskSlot(tasks)} {
  connect(lane_, &EngineLane::jobFailed, this, &SceneJobs::refuse);
  connect(lane_, &EngineLane::deviceChosen, this, &SceneJobs::followDevice);
  connect(&lane_->task(), &TaskSlot::started, this, [this] {
    if (lane_->lastDoing() == Doing::scene || lane_->lastDoing() == Doing::scene_map) return;
    followed_.stride_waits = true;  // The new job may have cancelled the job that builds the map.
    // A refused request cannot be repeated after a job of another kind has started.
    opening_.reset();
    tried_.reset();
  });
  connect(&lane_->task(), &TaskSlot::finished, this, [this](const QString&, bool cancelled) {
    if (cancelled && lane_->lastDoing() == Doing::scene) keepWhatIsOpen();
    // The user stopped the job, so do not start it again.
    if (cancelled && lane_->lastDoing() == Doing::scene_map) followed_.stride_waits = false;
    followNetwork();
    if (followed_.stride_waits) followStride();
  });
  connect(selection_, &Selection::strideChanged, this, &SceneJobs::followStride);
  connect(workspace_, &Workspace::networkChanged, this, &SceneJobs::followNetwork);
  // At its end, a lesson restores the former voxels. Their packing may have been automatic.
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, [this] {
    if (workspace_->scene().voxels())
      sequence_.pack = workspace_->requested().packAutomatic()
                           ? std::nullopt
                           : std::optional(workspace_->requested().pack());
  });
}

void SceneJobs::limitMemory(std::uint64_t bytes) {
  prefetch_.limitMemory(bytes == 0 ? std::nullopt : std::optional(bytes));
}

OpenRequest SceneJobs::requestFor(const QString& scene, const QString& format) const {
  OpenRequest wanted;
  wanted.scene = wanted.reopen = scene;
  wanted.format = format;
  wanted.every = options_.every;
  wanted.relations = options_.relations;
  // A new scene is opened without a crop, because a crop belongs to one scene.
  if (options_.keep_grid) {
    wanted.grid = workspace_->requested().grid();
    wanted.grid->crop_m.reset();
  }
  if (options_.keep_pack) wanted.pack = workspace_->requested().pack();
  return wanted;
}

void SceneJobs::open(const QString& scene, const QString& format, const std::optional<Grid>& grid) {
  OpenRequest wanted = requestFor(scene, format);
  if (!wanted.grid) wanted.grid = grid;
  load(wanted);
}

void SceneJobs::openSequence(const QStringList& files, const QString& format, Together how) {
  OpenRequest wanted = requestFor(files.front(), format);
  wanted.network_only = how == Together::network;
  // If the user chose a format, all files are treated as scenes.
  auto& named = how == Together::batch ? wanted.batch : format.isEmpty() ? wanted.picked : wanted.frames;
  named = paths_of(files);
  load(wanted);
}

void SceneJobs::reopen(const Reopening& wanted) {
  OpenRequest request;
  request.weights = wanted.weights;
  if (wanted.files.isEmpty()) {
    OpenArgs args{request, std::make_shared<HeldScene>(), 3, 0, memoryLimit(), workspace_->network()};
    return lane_->start(tr("Opening %1").arg(wanted.weights.path), Doing::scene, open_stored_weights, args,
                        [this](const SceneEvent& event) { deliver(event); });
  }
  request.scene = request.reopen = wanted.files.front();
  request.format = wanted.format;
  request.every = wanted.every;
  request.grid = wanted.grid;
  request.pack = wanted.pack;
  request.stored_pack = true;
  request.frame = wanted.frame;
  request.scene_fingerprint = wanted.scene_fingerprint;
  if (wanted.batch) request.batch = paths_of(wanted.files);
  request.batch_frame = wanted.frame;
  if (wanted.files.size() > 1 && !wanted.batch) {
    request.frames = paths_of(wanted.files);
    request.toFrame();
  }
  load(request);
}

FileList SceneJobs::openFrames() const {
  if (workspace_->scene().frames().size() > 1 || !workspace_->scene().cloud())
    return workspace_->scene().frames();
  return FileList({std::filesystem::path(workspace_->scene().cloud()->source)});
}

QString SceneJobs::whyNoFramesAdded() const {
  if (!workspace_->scene().voxels()) return tr("no scene is open");
  if (workspace_->scene().voxels()->batch) return tr("the open scene is a batch");
  const QString first = QString::fromStdString(openFrames().front().string());
  return QFileInfo(first).isFile() && !is_standard_input(first.toStdString())
             ? QString()
             : tr("the open scene does not come from a file");
}

void SceneJobs::addFrames(const QStringList& files) {
  OpenRequest wanted = sequence_;
  wanted.frames = openFrames();
  wanted.frame = static_cast<int>(wanted.frames.size());
  // The frames may come from several folders, so the first file gives the sequence its name.
  wanted.reopen = QString::fromStdString(wanted.frames.front().string());
  wanted.picked = paths_of(files);
  wanted.scene = files.front();
  wanted.grid = workspace_->requested().grid();
  wanted.pack = keptPack();
  load(wanted);
}

int SceneJobs::wantedFrame() const {
  if (const auto& voxels = workspace_->scene().voxels(); voxels && voxels->batch)
    return of_batch_.task.busy() ? of_batch_.frame : voxels->frame;
  return opening_ && lane_->busy() ? opening_->frame : workspace_->scene().frame();
}

void SceneJobs::showFrame(int frame) {
  if (workspace_->scene().voxels() && workspace_->scene().voxels()->batch) return showFrameOfBatch(frame);
  const FileList& frames = workspace_->scene().frames();
  if (frame < 0 || frame >= static_cast<int>(frames.size())) return;
  if (frame == wantedFrame() && !workspace_->scene().frameRefused()) return;
  OpenRequest wanted = sequence_;
  wanted.frames = frames;
  wanted.frame = frame;
  wanted.toFrame();
  wanted.ahead = prefetch_.cloud(frames[static_cast<std::size_t>(frame)]);
  wanted.grid =
      workspace_->requested().grid();  // All frames share one grid and crop, so that they can be compared.
  wanted.pack = keptPack();
  load(wanted);
}

/// Shows a frame of the batch, unless it has no voxels. The results of the batch stay.
void SceneJobs::showFrameOfBatch(int frame) {
  const auto batch = whole_scene(workspace_->scene().voxels());
  if (frame < 0 || frame >= batch->cloud->batch() || frame == wantedFrame()) return;
  const auto& starts = batch->cloud->frame_starts;
  const auto at = static_cast<std::size_t>(frame);
  if (starts[at] == starts[at + 1]) return;
  of_batch_.frame = frame;
  of_batch_.task.start(tr("Showing frame %1").arg(frame), take_frame, {batch, frame},
                       [this](const std::shared_ptr<const VoxelScene>& scene) {
                         const auto& shown = workspace_->scene().voxels();
                         if (!shown || shown->batch != scene->batch || size_of(scene->level(1)) == 0) return;
                         selection_->setVoxel(std::nullopt);
                         workspace_->setVoxels(scene);
                         followStride();
                       });
}

void SceneJobs::load(const OpenRequest& asked) {
  opening_ = asked;
  const EngineRequest now(*workspace_);
  followed_.network = now.network;
  followed_.map_kernel = now.map_kernel;
  const bool piped = is_standard_input(asked.scene.toStdString());
  lane_->start(tr("Opening %1").arg(piped ? tr("standard input") : asked.scene), Doing::scene, open_scene,
               {asked, std::make_shared<HeldScene>(HeldScene{asked.ahead, asked.frame, {}}), now.map_kernel,
                largest_kernel(now), memoryLimit(), now.network, workspace_->requested().grid().positions},
               [this](const SceneEvent& event) { deliver(event); });
}

void SceneJobs::voxelize() {
  opening_.reset();
  if (workspace_->scene().cloud()) startVoxelizing(scan(), requested(), false);
}

std::shared_ptr<const PointCloud> SceneJobs::scan() const {
  const auto found = followed_.scans.find(workspace_->scene().cloud());
  return found == followed_.scans.end() ? workspace_->scene().cloud() : found->second;
}

/// Keeps the scan as long as the cloud that was made from it.
void SceneJobs::rememberScan(const std::shared_ptr<const PointCloud>& scan, const VoxelScene& voxels) {
  std::erase_if(followed_.scans, [](const auto& one) { return one.first.expired(); });
  sequence_.scan = scan != nullptr;
  if (scan) followed_.scans[voxels.batch ? voxels.batch->cloud : voxels.cloud] = scan;
}

SceneJobs::Setting SceneJobs::requested() const {
  const bool automatic = workspace_->requested().packAutomatic();
  return {workspace_->requested().grid(),
          automatic ? std::nullopt : std::optional(workspace_->requested().pack()), automatic};
}

/// Returns the packing to use for the next frame, or for the open scene if it is read again. Returns an empty
/// value if the packing is automatic.
std::optional<PackSpec> SceneJobs::keptPack() const {
  return workspace_->requested().packAutomatic() && !options_.keep_pack
             ? std::nullopt
             : std::optional(workspace_->requested().pack());
}

void SceneJobs::useCloud(const std::shared_ptr<const PointCloud>& cloud) {
  opening_.reset();
  Setting setting = requested();
  setting.grid.crop_m.reset();
  startVoxelizing(cloud, setting, true);
}

void SceneJobs::startVoxelizing(const std::shared_ptr<const PointCloud>& cloud, const Setting& setting,
                                bool new_cloud) {
  tried_ = setting;
  const EngineRequest now(*workspace_);
  followed_.network = now.network;
  followed_.map_kernel = now.map_kernel;
  const int frame = now.shown ? now.shown->frame : 0;
  lane_->start(tr("Voxelising"), Doing::scene, voxelize_cloud,
               {cloud, setting.grid, setting.pack, new_cloud, now.map_kernel, largest_kernel(now),
                memoryLimit(), now.network, frame},
               [this](const SceneEvent& event) { deliver(event); });
}

void SceneJobs::usePack(const std::optional<PackSpec>& pack) {
  if (pack) workspace_->requested().setPack(*pack);
  workspace_->requested().setPackAutomatic(!pack);
  voxelize();
}

void SceneJobs::crop(const std::optional<Bounds>& crop) {
  if (!workspace_->scene().cloud()) return;
  Grid grid = workspace_->requested().grid();
  if (grid.crop_m == crop) return;
  grid.crop_m = crop;
  workspace_->requested().setGrid(grid);
  voxelize();
}

void SceneJobs::rebuildSceneMap() {
  if (lane_->opening()) return opening_ ? load(*opening_) : voxelize();
  const auto& voxels = workspace_->scene().voxels();
  if (!voxels) return;
  const KernelShape kernel = scene_kernel(*workspace_);
  const bool no_positions = kernel.native() && whole_scene(voxels)->positions.empty();
  if (no_positions || kernelNeedsOtherPack()) return voxelize();
  const int shown = selection_->stride();
  const auto missing = [&](int stride) {
    const ShownMap known = workspace_->scene().map(stride);
    return has_level(*voxels, stride) && (!known.map || known.densities->kernel != kernel);
  };
  // Build the map of the selected stride first, because the user waits for it.
  std::vector<int> strides;
  for (const int stride : {shown, 1}) {
    if (missing(stride) && std::find(strides.begin(), strides.end(), stride) == strides.end())
      strides.push_back(stride);
  }
  // The maps that the running job builds are no longer needed.
  if (strides.empty() && lane_->doing() == Doing::scene_map) lane_->cancel();
  if (strides.empty()) return;
  followed_.map_kernel = kernel;
  lane_->start(tr("Building the kernel map"), Doing::scene_map, build_maps, {voxels, kernel, strides},
               [this](const SceneMap& event) { take(event); });
}

/// Returns true if the packing does not fit the kernel size for the map of the scene and the program may
/// choose another packing. It may do so only if no results of a run would be lost.
bool SceneJobs::kernelNeedsOtherPack() const {
  const Network* network = workspace_->network().get();
  const bool own = !own_levels(*workspace_->scene().cloud(), network).empty();
  const PackNeeds needs =
      needs_of_view(searched_kernel_size(scene_kernel(*workspace_)), own ? network : nullptr)
          .with_batch(workspace_->scene().cloud()->batch());
  return workspace_->requested().packAutomatic() && workspace_->results().layersRun() == 0 &&
         !fit(workspace_->scene().facts()->fit_extent, workspace_->scene().facts()->pack, needs).fits();
}

/// Builds the map of the selected stride if it is missing. If a run or a measurement is in progress, the map
/// is built afterwards.
void SceneJobs::followStride() {
  const auto& voxels = workspace_->scene().voxels();
  const int stride = selection_->stride();
  const bool missing = voxels && has_level(*voxels, stride) && !workspace_->scene().map(stride).map;
  followed_.stride_waits = missing && lane_->busy() && lane_->doing() != Doing::scene_map;
  if (missing && !followed_.stride_waits) rebuildSceneMap();
}

/// Voxelises the open scene again if its levels differ from the levels of the network. If a scene is being
/// opened or voxelised, this happens afterwards.
void SceneJobs::followNetwork() {
  const auto& voxels = workspace_->scene().voxels();
  const auto& network = workspace_->network();
  if (!voxels || !workspace_->scene().cloud() || network == followed_.network || lane_->opening()) return;
  followed_.network = network;
  // The cloud itself depends on a network that voxelises scans.
  const std::shared_ptr<const PointCloud> raw = scan();
  const bool grids = voxelises_scans(network.get()) && raw->feature_channels == 0;
  if (grids || raw != workspace_->scene().cloud()) {
    Setting setting = requested();
    if (grids) setting.grid.voxel_m = network->grid->voxel_m;
    opening_.reset();
    return startVoxelizing(raw, setting, true);
  }
  const std::vector<SceneLevel> own = own_levels(*workspace_->scene().cloud(), network.get());
  const auto shown = std::count_if(voxels->levels.begin(), voxels->levels.end(),
                                   [](const auto& level) { return level->stride >= first_numbered_level; });
  const auto differs = [&](const SceneLevel& level) {
    return !has_level(*voxels, level.number) || voxels->level(level.number).rule != level.rule;
  };
  const auto numbered = std::count_if(
      own.begin(), own.end(), [](const SceneLevel& level) { return level.number >= first_numbered_level; });
  const bool no_positions = native_strides(network.get()) > 0 && whole_scene(voxels)->positions.empty();
  if (numbered != shown || std::any_of(own.begin(), own.end(), differs) || no_positions) return voxelize();
  // The map of the scene has the neighbourhood of the network. A job that builds another map must be
  // replaced, because it would show this map later.
  const KernelShape kernel = scene_kernel(*workspace_);
  const ShownMap map = workspace_->scene().map(1);
  const bool other_map = map.densities && map.densities->kernel != kernel;
  const bool other_coming = lane_->doing() == Doing::scene_map && followed_.map_kernel != kernel;
  if (other_map || other_coming) rebuildSceneMap();
}

/// Cancels all work on the former device and voxelises the open scene on the chosen device.
void SceneJobs::followDevice() {
  if (lane_->opening()) return opening_ ? load(*opening_) : voxelize();
  if (workspace_->scene().voxels()) return voxelize();
  // With Doing::scene_map, any other job may replace this job, because no view waits for it.
  lane_->start(tr("Choosing the device"), Doing::scene_map, find_device, {},
               [this](const DeviceFacts& facts) { lane_->showDevice(facts); });
}

void SceneJobs::deliver(const SceneEvent& event) {
  std::visit([this](const auto& one) { take(one); }, event);
}

void SceneJobs::take(const FramesListed& event) {
  if (opening_) {
    opening_->frames = event.frames;
    opening_->reopen = event.reopen;
    opening_->picked = {};
  }
  if (!event.left_out.files.isEmpty()) emit leftOut(event.left_out.files, event.left_out.why);
}

void SceneJobs::take(const FewerFit& event) {
  fitting_every_ = event.every;
}

void SceneJobs::take(const SceneRead& event) {
  // If the GPU is lost after the scene was opened, the CPU repeats the job and this event arrives again.
  if (!opening_) return;
  if (!opening_->frames.empty()) {  // If there are no frames, `scene` stays the requested file or folder.
    opening_->scene = event.scene;
    opening_->frame = event.frame;
  }
  if (event.piped) opening_->ahead = event.cloud;
  opening_->grid = event.grid;
  opening_->read = true;
}

void SceneJobs::take(const std::optional<Misfit>& event) {
  setMisfit(event);
}

/// Replaces the open scene. The former scene stays open until this event arrives.
void SceneJobs::take(const SceneOpened& event) {
  const OpenRequest& wanted = event.wanted;
  const VoxelScene& voxels = *event.voxels;
  opening_.reset();
  tried_.reset();
  sequence_ = {};
  sequence_.reopen = wanted.reopen;
  sequence_.format = wanted.format;
  sequence_.every = wanted.every;
  sequence_.batch = wanted.batch;
  lane_->setDoing(Doing::scene_map);
  selection_->setVoxel(std::nullopt);
  lane_->showDevice(event.device);
  prefetch_.setReading(wanted.format, wanted.every);
  workspace_->scene().setFrames(wanted.frames, wanted.frame);
  workspace_->requested().setGridAndPack(voxels.grid, voxels.pack);
  const bool automatic = event.pack_automatic && !options_.keep_pack;
  sequence_.pack = automatic ? std::nullopt : std::optional(voxels.pack);
  workspace_->requested().setPackAutomatic(automatic);
  setMisfit(std::nullopt);
  rememberScan(event.scan, voxels);
  if (event.stored_weights) workspace_->setNetwork(workspace_->network(), event.stored_weights);
  workspace_->setScene(event.voxels);
  // The job itself builds only the map of stride 1, so the map of the selected stride is built afterwards.
  followed_.stride_waits = true;
  const PointCloud& cloud = *workspace_->scene().cloud();
  workspace_->addLog(QString::fromStdString(cloud.name + ": " + cloud.reading));
  for (const QString& note : notesOf(voxels))
    workspace_->addLog(QString::fromStdString(cloud.name + ": ") + note);
  emit opened(wanted.scene, wanted.reopen);
  if (!event.left_out.files.isEmpty()) emit leftOut(event.left_out.files, event.left_out.why);
  if (!event.why_no_gpu.empty()) emit gpuRefused(QString::fromStdString(event.why_no_gpu));
  if (!event.stored_faults.isEmpty()) emit storedFilesDiffer(event.stored_faults);
}

void SceneJobs::take(const Voxelized& event) {
  lane_->setDoing(Doing::scene_map);
  // If the GPU is lost after this event, the CPU repeats the job. The event then arrives again, and `tried_`
  // is empty.
  if (tried_) sequence_.pack = tried_->automatic ? std::nullopt : tried_->pack;
  tried_.reset();
  lane_->showDevice(event.device);
  selection_->setVoxel(std::nullopt);
  workspace_->requested().setGridAndPack(event.voxels->grid, event.voxels->pack);
  workspace_->requested().setPackAutomatic(!sequence_.pack);
  setMisfit(std::nullopt);
  rememberScan(event.scan, *event.voxels);
  event.new_cloud ? workspace_->setScene(event.voxels) : workspace_->setVoxels(event.voxels);
  followed_.stride_waits = true;
}

void SceneJobs::take(const SceneMap& event) {
  event.showIn(*workspace_);
}

void SceneJobs::take(const ReportOpened& event) {
  const Report& report = *event.report;
  opening_.reset();
  tried_.reset();
  sequence_ = {};
  setMisfit(std::nullopt);
  selection_->clear();
  workspace_->setReport(event.report);
  if (report.graph) options_.relations = event.wanted.relations;
  // Select a layer, because a report contains only densities of layers and none of the scene.
  selection_->setLayer(0);
  const QString name = QFileInfo(event.wanted.scene).fileName();
  workspace_->addLog((report.graph ? tr("%1: measured on %2, %3") : tr("%1: recorded on %2, %3"))
                         .arg(name, QString::fromStdString(report.measurement.device.name),
                              QString::fromStdString(report.created)));
  for (const auto& note : report.notes)
    workspace_->addLog(tr("%1: %2").arg(name, QString::fromStdString(note)));
  for (const auto& lost : report.lost)
    workspace_->addLog(tr("%1 is truncated; missing: %2").arg(name, QString::fromStdString(lost)));
  for (const auto& field : report.ignored)
    workspace_->addLog(tr("%1: unknown field ignored: %2").arg(name, QString::fromStdString(field)));
  emit opened(event.wanted.scene, event.wanted.reopen);
}

void SceneJobs::take(const OpenedNetwork& event) {
  opening_.reset();
  if (!workspace_->results().report()) return emit networkOpened(event);
  emit lane_->failed(Error(ErrorKind::usage, event.file.toStdString() +
                                                 ": the open report contains a run of another network. "
                                                 "Open a scene before you open a network"));
}

/// Restores the grid and packing of the open scene after a request was refused or cancelled, so that the
/// input fields show them again.
void SceneJobs::keepWhatIsOpen() {
  if (!workspace_->scene().voxels()) return;
  workspace_->requested().setGridAndPack(workspace_->scene().voxels()->grid,
                                         workspace_->scene().voxels()->pack);
  workspace_->requested().setPackAutomatic(!sequence_.pack);
}

void SceneJobs::refuse(const Error& error) {
  const bool of_scene = lane_->lastDoing() == Doing::scene;
  // Discard the remedies that belong to an earlier refusal.
  if (!of_scene || error.kind() != ErrorKind::memory) fitting_every_ = 0;
  if (!of_scene || error.kind() != ErrorKind::does_not_fit) setMisfit(misfits_.of_network);
  if (lane_->lastDoing() == Doing::scene_map) followed_.stride_waits = false;
  if (!of_scene) return;
  keepWhatIsOpen();
  if (opening_ && opening_->frames.size() > 1 && opening_->frames == workspace_->scene().frames())
    workspace_->scene().setFrames(opening_->frames, opening_->frame, true);
}

void SceneJobs::setMisfit(const std::optional<Misfit>& misfit) {
  if (!misfit && !misfits_.shown) return;
  misfits_.shown = misfit;
  emit misfitChanged();
}

void SceneJobs::setNetworkMisfit(const std::optional<Misfit>& misfit) {
  if (!misfit && !misfits_.of_network) return;
  const auto& voxels = workspace_->scene().voxels();
  const bool other_pack = misfit && misfit->pack && voxels && misfit->pack->with_batch(1) != voxels->pack;
  if (other_pack && workspace_->requested().packAutomatic() && !lane_->busy()) {
    // A different packing discards no results, because choosing the network has already discarded all of
    // them.
    misfits_.of_network.reset();
    opening_.reset();
    return startVoxelizing(scan(), {workspace_->requested().grid(), misfit->pack, true}, false);
  }
  misfits_.of_network = misfit;
  setMisfit(misfit);
}

Refusal SceneJobs::refusal() const {
  Refusal refusal{misfits_.shown, misfits_.shown && !opening_, fitting_every_, !opening_ || opening_->read,
                  false};
  if (opening_) {
    refusal.with_crop = opening_->read && opening_->grid && opening_->grid->crop_m;
  } else {
    refusal.with_crop = tried_ && tried_->grid.crop_m;
  }
  return refusal;
}

void SceneJobs::again(const std::function<void(std::optional<Grid>&, std::optional<PackSpec>&)>& change) {
  if (opening_) {
    OpenRequest wanted = *opening_;
    change(wanted.grid, wanted.pack);
    return load(wanted);
  }
  const Setting before = tried_ ? *tried_ : requested();
  std::optional<Grid> grid = before.grid;
  std::optional<PackSpec> pack = before.pack;
  change(grid, pack);
  workspace_->requested().setGrid(*grid);
  usePack(pack);
}

void SceneJobs::againWith(const PackSpec& pack) {
  again([&](std::optional<Grid>&, std::optional<PackSpec>& wanted) { wanted = pack; });
}

void SceneJobs::againWithLargerVoxels(double factor) {
  again([&](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->requested().grid();
    for (double& size : grid->voxel_m)
      size *= factor;
  });
}

void SceneJobs::againWithVoxels(const std::array<double, 3>& voxel_m) {
  again([&](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->requested().grid();
    grid->voxel_m = voxel_m;
  });
}

void SceneJobs::againWithoutCrop() {
  again([](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (grid) grid->crop_m.reset();
  });
}

void SceneJobs::againWithFittingCrop() {
  if (!misfits_.shown || !misfits_.shown->crop) return;
  again([box = misfits_.shown->crop->box, this](std::optional<Grid>& grid, std::optional<PackSpec>&) {
    if (!grid) grid = workspace_->requested().grid();
    grid->crop_m = box;
  });
}

void SceneJobs::againWithEvery(std::int64_t every) {
  const bool read_in = !opening_ && workspace_->scene().cloud();
  const std::string scene = read_in    ? workspace_->scene().cloud()->source
                            : opening_ ? opening_->scene.toStdString()
                                       : "";
  if (is_standard_input(scene)) {
    const Error error(
        ErrorKind::input,
        tr("standard input cannot be read twice; save the scene to a file and open that file").toStdString());
    refuse(error);
    return emit lane_->failed(error);
  }
  if (read_in) {  // No request to open a scene was refused, so read the open scene again.
    opening_ = sequence_;
    opening_->scene = sequence_.batch.empty() ? QString::fromStdString(workspace_->scene().cloud()->source)
                                              : QString::fromStdString(sequence_.batch.front().string());
    opening_->frames = workspace_->scene().frames();
    opening_->frame = workspace_->scene().frame();
    opening_->grid = workspace_->requested().grid();
    opening_->pack = keptPack();
  }
  if (!opening_) return;
  OpenRequest wanted = *opening_;
  wanted.every = every;
  wanted.ahead.reset();
  load(wanted);
}

}  // namespace spira::ui

#include "ui/jobs/engine_jobs.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/sequence.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace spira::ui {
namespace {

constexpr int view_strides = 16;  // levels of the view, whatever the network needs

SamplingProtocol interactive_protocol() {
  SamplingProtocol how;
  how.min_samples = 5;
  how.max_samples = 15;
  how.max_time_ms = 2500;
  how.target_iqr_rel = 0.02;
  return how;
}

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

/// Lives on the worker thread.
struct EngineJobs::Host {
  explicit Host(std::shared_ptr<const Registry> all) : registry(std::move(all)) {}

  Backend& device() {
    if (!backend) backend = registry->make("auto");
    return *backend;
  }
  std::shared_ptr<const Registry> registry;
  std::shared_ptr<Backend> backend;
  std::unique_ptr<Session> session;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  std::shared_ptr<const VoxelScene> loaded;  // what the session was loaded from

  Session& session_for(const SceneRequest& request, Job& job);
};

/// The values that a job works with; nothing of the GUI is read on the worker.
struct EngineJobs::SceneRequest {
  std::shared_ptr<const PointCloud> cloud;
  std::shared_ptr<const VoxelScene> voxels;
  std::shared_ptr<const Network> network;
  Grid grid;
  PackSpec pack;
  Plan plan;
  int kernel_size = 3;
  bool scene_map = false;  // there is one
};

Session& EngineJobs::Host::session_for(const SceneRequest& request, Job& job) {
  if (!request.voxels || !request.network)
    throw Error(ErrorKind::usage, "open a scene and choose a network first");
  if (network != request.network) {
    session.reset();
    loaded.reset();
    weights = std::make_shared<const NetworkWeights>(seeded_weights(*request.network, 1, job.stop_token()));
    network = request.network;
  }
  if (!session) {
    static_cast<void>(device());
    session = std::make_unique<Session>(backend, network, weights);
  }
  if (loaded != request.voxels) {
    static_cast<void>(session->load(request.cloud, request.voxels->grid, request.voxels->pack,
                                    request.plan.precision, job));
    loaded = request.voxels;
  }
  return *session;
}

EngineJobs::EngineJobs(std::shared_ptr<const Registry> registry, Workspace* workspace, Selection* selection,
                       QObject* parent)
    : QObject(parent),
      host_(std::make_shared<Host>(std::move(registry))),
      workspace_(workspace),
      selection_(selection),
      runner_(new JobRunner(this)) {
  connect(runner_, &JobRunner::failed, this, &EngineJobs::failed);
}

EngineJobs::~EngineJobs() {
  delete runner_;
}

EngineJobs::SceneRequest EngineJobs::request() const {
  return {workspace_->cloud(),
          workspace_->voxels(),
          workspace_->network(),
          workspace_->grid(),
          workspace_->pack(),
          workspace_->plan(),
          workspace_->sceneKernelSize(),
          workspace_->shownMap(-1).map != nullptr};
}

void EngineJobs::takeVoxels(const std::shared_ptr<const VoxelScene>& voxels) {
  workspace_->setGrid(voxels->grid);
  workspace_->setPack(voxels->pack);
  workspace_->setVoxels(voxels);
}

void EngineJobs::open(const QString& scene) {
  OpenRequest wanted;
  wanted.scene = scene;
  if (keep_grid_) wanted.grid = workspace_->grid();
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

void EngineJobs::openSequence(const QStringList& files) {
  OpenRequest wanted;
  wanted.scene = files.front();
  for (const QString& file : files)
    wanted.frames.emplace_back(file.toStdString());
  if (keep_grid_) wanted.grid = workspace_->grid();
  if (keep_pack_) wanted.pack = workspace_->pack();
  load(wanted);
}

int EngineJobs::wantedFrame() const {
  return opening_ && runner_->busy() ? opening_->frame : workspace_->frame();
}

void EngineJobs::showFrame(int frame) {
  const auto& frames = workspace_->frames();
  if (frame < 0 || frame >= static_cast<int>(frames.size()) || frame == wantedFrame()) return;
  OpenRequest wanted;
  wanted.scene = QString::fromStdString(frames[static_cast<std::size_t>(frame)].string());
  wanted.frames = frames;
  wanted.frame = frame;
  wanted.grid = workspace_->grid();  // frames of a sequence are compared: one grid for all
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
    const auto cloud = generated ? generate_scene(name, 0, 1, job) : load_scene(name, {}, job);
    const Grid grid = wanted.grid ? *wanted.grid : suggest_grid(*cloud);
    post([this, grid] { opening_->grid = grid; });
    const PackSpec pack = wanted.pack ? *wanted.pack : choose_pack(*cloud, grid, kernel, view_strides, job);
    Backend& backend = host->device();
    const auto voxels = voxelize_scene(backend, cloud, grid, pack, kernel, view_strides, job);
    // The former scene stays until this one could be shown.
    post([this, wanted, cloud, voxels, facts = backend.facts()] {
      deliverScene(wanted, cloud, voxels, facts);
    });
    const auto map = map_of_scene(backend, *voxels, {kernel_size, 1, 1}, job);
    post([this, map] { workspace_->setSceneMap(map, 1); });
  };
  runner_->start(tr("Opening %1").arg(wanted.scene), work);
}

void EngineJobs::deliverScene(const OpenRequest& wanted, const std::shared_ptr<const PointCloud>& cloud,
                              const std::shared_ptr<const VoxelScene>& voxels, const DeviceFacts& facts) {
  opening_.reset();
  doing_ = Doing::scene_map;
  workspace_->setFrames(wanted.frames, wanted.frame);
  selection_->setVoxel(std::nullopt);
  workspace_->setDevice(facts);
  workspace_->setCloud(cloud);
  takeVoxels(voxels);
  workspace_->addLog(QString::fromStdString(cloud->name + ": " + cloud->reading));
  for (const auto& note : cloud->notes)
    workspace_->addLog(QString::fromStdString(cloud->name + ": " + note));
  emit opened(wanted.scene);
}

void EngineJobs::voxelize() {
  opening_.reset();
  const SceneRequest now = request();
  if (!now.cloud) return;
  doing_ = Doing::scene;
  const int kernel = now.network ? levels_of(*now.network).max_kernel_size : 5;
  runner_->start(tr("Voxelising"), [this, host = host_, now, kernel](Job& job, const JobRunner::Post& post) {
    const auto voxels =
        voxelize_scene(host->device(), now.cloud, now.grid, now.pack, kernel, view_strides, job);
    post([this, voxels] {
      doing_ = Doing::scene_map;
      selection_->setVoxel(std::nullopt);
      takeVoxels(voxels);
    });
    const auto map = map_of_scene(host->device(), *voxels, {now.kernel_size, 1, 1}, job);
    post([this, map] { workspace_->setSceneMap(map, 1); });
  });
}

void EngineJobs::againWith(const PackSpec& pack) {
  if (opening_) {
    OpenRequest wanted = *opening_;
    wanted.pack = pack;
    return load(wanted);
  }
  workspace_->setPack(pack);
  voxelize();
}

void EngineJobs::againWithLargerVoxels(double factor) {
  Grid grid = opening_ && opening_->grid ? *opening_->grid : workspace_->grid();
  for (double& size : grid.voxel_m)
    size *= factor;
  if (opening_) {
    OpenRequest wanted = *opening_;
    wanted.grid = grid;
    return load(wanted);
  }
  workspace_->setGrid(grid);
  voxelize();
}

void EngineJobs::rebuildSceneMap() {
  if (runner_->busy() && doing_ == Doing::scene) return opening_ ? load(*opening_) : voxelize();
  const SceneRequest now = request();
  if (!now.voxels) return;
  doing_ = Doing::scene_map;
  runner_->start(tr("Building the kernel map"),
                 [this, host = host_, now](Job& job, const JobRunner::Post& post) {
                   const auto map = map_of_scene(host->device(), *now.voxels, {now.kernel_size, 1, 1}, job);
                   post([this, map] { workspace_->setSceneMap(map, 1); });
                 });
}

void EngineJobs::chooseNetwork(const QString& name_or_file) {
  try {
    useNetwork(std::make_shared<const Network>(network_by_name_or_file(name_or_file.toStdString())));
  } catch (const Error& error) {
    emit failed(error);
  }
}

void EngineJobs::useNetwork(const std::shared_ptr<const Network>& network) {
  static_cast<void>(levels_of(*network));
  const bool stale = runner_->busy() && doing_ == Doing::session;
  if (stale) runner_->cancel();  // its layers are those of the former network
  selection_->setLayer(-1);
  workspace_->setNetwork(network);
  if (stale && !workspace_->shownMap(-1).map) rebuildSceneMap();
  workspace_->addLog(
      tr("network %1: %2 layers").arg(QString::fromStdString(network->title)).arg(network->layers.size()));
}

template <class Use> void EngineJobs::withSession(const QString& title, Use use) {
  opening_.reset();
  doing_ = Doing::session;
  runner_->start(title, [this, host = host_, now = request(), use](Job& job, const JobRunner::Post& post) {
    if (!now.scene_map && now.voxels) {  // its job was given up for this one
      const auto map = map_of_scene(host->device(), *now.voxels, {now.kernel_size, 1, 1}, job);
      post([this, map] { workspace_->setSceneMap(map, 1); });
    }
    use(host->session_for(now, job), now, job, post);
  });
}

void EngineJobs::run() {
  workspace_->clearLayers();
  withSession(tr("Running the network"),
              [this](Session& session, const SceneRequest& now, Job& job, const JobRunner::Post& post) {
                session.run_all(now.plan, job, [&](std::shared_ptr<const LayerResult> result) {
                  job.checkpoint({"layers", result->layer + 1, std::ssize(now.network->layers)});
                  post([this, result = std::move(result)] { workspace_->setLayer(result); });
                });
              });
}

void EngineJobs::runLayer(int layer) {
  withSession(tr("Running a layer"), [this, layer](Session& session, const SceneRequest& now, Job& job,
                                                   const JobRunner::Post& post) {
    const auto result = session.run_layer(layer, now.plan, job);
    for (int before = 0; before < layer; ++before) {  // inputs that were missing ran with it
      if (auto input = session.result(before))
        post([this, input = std::move(input)] { workspace_->setLayer(input); });
    }
    post([this, result] {
      workspace_->setLayer(result);
      selection_->setLayer(result->layer);
    });
  });
}

void EngineJobs::measure() {
  withSession(tr("Measuring the network"),
              [this](Session& session, const SceneRequest& now, Job& job, const JobRunner::Post& post) {
                const auto measurement = session.measure(now.plan, interactive_protocol(), job);
                for (int layer = 0; layer < static_cast<int>(now.network->layers.size()); ++layer) {
                  if (auto result = session.result(layer))
                    post([this, result = std::move(result)] { workspace_->setLayer(result); });
                }
                post([this, measurement] {
                  workspace_->setMeasurement(measurement);
                  const Statistics wall = measurement->wall.stats();
                  workspace_->addLog(tr("measured: wall time %1, median of %2, IQR %3")
                                         .arg(QString::fromStdString(ms_text(wall.median)))
                                         .arg(wall.n)
                                         .arg(QString::fromStdString(ms_text(wall.iqr()))));
                });
              });
}

void EngineJobs::sweepThresholds() {
  const int layer = selection_->layer();
  withSession(tr("Sweeping t"), [this, layer](Session& session, const SceneRequest& now, Job& job,
                                              const JobRunner::Post& post) {
    int most = 0;
    for (std::size_t at = 0; at < now.network->layers.size(); ++at) {
      if (layer < 0 || static_cast<int>(at) == layer)
        most = std::max(most, KernelOffsets(now.network->layers[at].kernel_size, 1).max_threshold());
    }
    std::vector<int> all;
    for (int t = 0; t <= most; ++t)
      all.push_back(t);
    const auto show = [this, &post](const Sweep& sweep) {
      post([this, snapshot = std::make_shared<const Sweep>(sweep)] {
        workspace_->setThresholdSweep(snapshot);
      });
    };
    show(sweep_thresholds(session, layer, now.plan, all, interactive_protocol(), job, show));
  });
}

void EngineJobs::sweepPackings(const std::vector<PackSpec>& packs) {
  withSession(tr("Sweeping packings"), [this, packs, host = host_](Session&, const SceneRequest& now,
                                                                   Job& job, const JobRunner::Post& post) {
    const auto show = [this, &post](const Sweep& sweep) {
      post([this, snapshot = std::make_shared<const Sweep>(sweep)] { workspace_->setPackSweep(snapshot); });
    };
    show(sweep_packings(host->backend, host->network, host->weights, now.cloud, now.voxels->grid, now.plan,
                        packs, interactive_protocol(), job, show));
  });
}

}  // namespace spira::ui

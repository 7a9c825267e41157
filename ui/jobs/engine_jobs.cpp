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

/// The packing wanted where it fits, else the first that does.
PackSpec choose_pack(const PointCloud& cloud, const Grid& grid, int kernel_size, int max_stride,
                     PackSpec wanted, bool keep, Job& job) {
  const auto extent = voxel_range(cloud, grid, job).extent(max_stride);
  if (keep || fit(extent, wanted, kernel_size, max_stride).fits()) return wanted;
  const auto packs = packings_that_fit(extent, kernel_size, max_stride);
  return packs.empty() ? wanted : packs.front();
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
};

Session& EngineJobs::Host::session_for(const SceneRequest& request, Job& job) {
  if (!request.voxels || !request.network)
    throw Error(ErrorKind::usage, "open a scene and choose a network first");
  if (network != request.network) {
    session.reset();
    loaded.reset();
    weights = std::make_shared<const NetworkWeights>(seeded_weights(*request.network, 1));
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
  return {workspace_->cloud(), workspace_->voxels(), workspace_->network(),        workspace_->grid(),
          workspace_->pack(),  workspace_->plan(),   workspace_->sceneKernelSize()};
}

void EngineJobs::takeVoxels(const std::shared_ptr<const VoxelScene>& voxels) {
  workspace_->setGrid(voxels->grid);
  workspace_->setPack(voxels->pack);
  workspace_->setVoxels(voxels);
}

void EngineJobs::open(const QString& scene) {
  std::error_code ignored;
  const std::filesystem::path path = scene.toStdString();
  if (!std::filesystem::is_directory(path, ignored)) {
    load(scene, false);
    return;
  }
  try {
    auto frames = list_frames(path);
    const auto first = QString::fromStdString(frames.front().string());
    workspace_->setFrames(std::move(frames), 0);
    load(first, true);
  } catch (const Error& error) {
    emit failed(error);
  }
}

void EngineJobs::showFrame(int frame) {
  const auto& frames = workspace_->frames();
  if (frame < 0 || frame >= static_cast<int>(frames.size()) || frame == workspace_->frame()) return;
  const auto path = QString::fromStdString(frames[static_cast<std::size_t>(frame)].string());
  workspace_->setFrames(frames, frame);
  load(path, true);
}

void EngineJobs::load(const QString& scene, bool same_sequence) {
  const SceneRequest now = request();
  const bool keep_grid = keep_grid_ || (same_sequence && now.cloud && workspace_->frames().size() > 1),
             keep_pack = keep_pack_;
  const int network_kernel = now.network ? levels_of(*now.network).max_kernel_size : 5;
  runner_->start(tr("Opening %1").arg(scene), [this, host = host_, now, keep_grid, keep_pack, network_kernel,
                                               same_sequence, scene, name = scene.toStdString()](
                                                  Job& job, const JobRunner::Post& post) {
    const bool generated = is_generator(name) && !std::filesystem::exists(name);
    const auto cloud = generated ? generate_scene(name, 0, 1, job) : load_scene(name, {}, job);
    const Grid grid = keep_grid ? now.grid : suggest_grid(*cloud);
    const PackSpec pack = choose_pack(*cloud, grid, network_kernel, view_strides,
                                      keep_pack ? now.pack : PackSpec::bits32(), keep_pack, job);
    Backend& backend = host->device();
    const auto voxels = voxelize_scene(backend, cloud, grid, pack, network_kernel, view_strides, job);
    // The former scene stays until this one could be shown.
    post([this, cloud, voxels, facts = backend.facts(), same_sequence, scene] {
      if (!same_sequence) workspace_->setFrames({}, 0);
      selection_->setVoxel(std::nullopt);
      workspace_->setDevice(facts);
      workspace_->setCloud(cloud);
      takeVoxels(voxels);
      workspace_->addLog(QString::fromStdString(cloud->name + ": " + cloud->reading));
      for (const auto& note : cloud->notes)
        workspace_->addLog(QString::fromStdString(cloud->name + ": " + note));
      emit opened(scene);
    });
    const auto map = map_of_scene(backend, *voxels, {now.kernel_size, 1, 1}, job);
    post([this, map] { workspace_->setSceneMap(map, 1); });
  });
}

void EngineJobs::voxelize() {
  const SceneRequest now = request();
  if (!now.cloud) return;
  const int kernel = now.network ? levels_of(*now.network).max_kernel_size : 5;
  runner_->start(tr("Voxelising"), [this, host = host_, now, kernel](Job& job, const JobRunner::Post& post) {
    const auto voxels =
        voxelize_scene(host->device(), now.cloud, now.grid, now.pack, kernel, view_strides, job);
    post([this, voxels] {
      selection_->setVoxel(std::nullopt);
      takeVoxels(voxels);
    });
    const auto map = map_of_scene(host->device(), *voxels, {now.kernel_size, 1, 1}, job);
    post([this, map] { workspace_->setSceneMap(map, 1); });
  });
}

void EngineJobs::rebuildSceneMap() {
  const SceneRequest now = request();
  if (!now.voxels) return;
  runner_->start(tr("Building the kernel map"),
                 [this, host = host_, now](Job& job, const JobRunner::Post& post) {
                   const auto map = map_of_scene(host->device(), *now.voxels, {now.kernel_size, 1, 1}, job);
                   post([this, map] { workspace_->setSceneMap(map, 1); });
                 });
}

void EngineJobs::chooseNetwork(const QString& name_or_file) {
  try {
    const auto network = std::make_shared<const Network>(network_by_name_or_file(name_or_file.toStdString()));
    static_cast<void>(levels_of(*network));
    selection_->setLayer(-1);
    workspace_->setNetwork(network);
    workspace_->addLog(
        tr("network %1: %2 layers").arg(QString::fromStdString(network->title)).arg(network->layers.size()));
  } catch (const Error& error) {
    emit failed(error);
  }
}

template <class Use> void EngineJobs::withSession(const QString& title, Use use) {
  runner_->start(title, [host = host_, now = request(), use](Job& job, const JobRunner::Post& post) {
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

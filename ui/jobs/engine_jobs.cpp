#include "ui/jobs/engine_jobs.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "ui/jobs/engine_host.hpp"
#include "ui/jobs/frame_prefetch.hpp"
#include "ui/theme/screen_number.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {

SamplingProtocol EngineJobs::usualProtocol() {
  SamplingProtocol how;
  how.min_samples = 5;
  how.max_samples = 15;
  how.max_time_ms = 2500;
  how.target_iqr_rel = 0.02;
  return how;
}

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
  if (loaded != request.voxels || loaded_precision != request.plan.precision) {
    loaded.reset();  // Keep nothing if the load fails.
    static_cast<void>(session->load(request.cloud, request.voxels->grid, request.voxels->pack,
                                    request.plan.precision, job));
    loaded = request.voxels;
    loaded_precision = request.plan.precision;
  }
  return *session;
}

EngineJobs::EngineJobs(std::shared_ptr<const Registry> registry, Workspace* workspace, Selection* selection,
                       QObject* parent)
    : QObject(parent),
      registry_(std::move(registry)),
      host_(std::make_shared<Host>(registry_)),
      workspace_(workspace),
      selection_(selection),
      runner_(new JobRunner(this)),
      prefetch_(new FramePrefetch(workspace, this)) {
  connect(runner_, &JobRunner::failed, this, &EngineJobs::refuse);
  connect(workspace_, &Workspace::deviceChoiceChanged, this, &EngineJobs::followDevice);
  connect(runner_, &JobRunner::finished, this, [this](const QString&, bool cancelled) {
    if (cancelled && doing_ == Doing::scene) keepWhatIsOpen();
    if (!runner_->busy()) setViewsWait(false);
  });
}

EngineJobs::~EngineJobs() {
  delete prefetch_;
  delete runner_;
}

/// If a device is lost or out of memory, the job does not fail: it starts again on the CPU.
void EngineJobs::start(const QString& title, JobRunner::Work work) {
  const bool samples = doing_ == Doing::measuring || doing_ == Doing::sweeping || doing_ == Doing::tuning ||
                       doing_ == Doing::trial;
  setViewsWait(samples && workspace_->device().kind == BackendKind::cuda);
  runner_->start(title, [this, host = host_, device = device_, work = std::move(work)](
                            Job& job, const JobRunner::Post& post) {
    try {
      host->want(device);
      work(job, post);
    } catch (const Error& error) {
      if (!is_device_fault(error.kind())) throw;
      // The device is a stored setting from an earlier start, and it is not available now.
      if (!host->backend && device != "auto") {
        host->want("auto");
        post([this, why = std::string(error.what())] {
          device_ = "auto";
          workspace_->chooseDevice(device_);
          emit failed(Error(ErrorKind::device, why + "; the device is chosen automatically"));
        });
        return work(job, post);
      }
      if (!host->onGpu()) throw;
      host->goOnWithCpu();
      post([this, facts = host->device().facts(), why = std::string(error.what())] {
        workspace_->setDevice(facts);
        setViewsWait(false);
        emit failed(Error(ErrorKind::device, why + "; the CPU is used instead"));
      });
      work(job, post);
    }
  });
}

void EngineJobs::setViewsWait(bool wait) {
  if (std::exchange(views_wait_, wait) != wait) emit viewsWaitChanged(wait);
}

/// Cancels the work on the former device and voxelises the open scene on the chosen device.
void EngineJobs::followDevice() {
  if (workspace_->chosenDevice() == device_) return;
  device_ = workspace_->chosenDevice();
  if (runner_->busy() && doing_ == Doing::scene) return opening_ ? load(*opening_) : voxelize();
  if (workspace_->voxels()) return voxelize();
  doing_ = Doing::scene_map;  // The user does not wait for this job, so any other job may replace it.
  start(tr("Choosing the device"), [this, host = host_](Job&, const JobRunner::Post& post) {
    post([this, facts = host->device().facts()] { reportDevice(facts); });
  });
}

void EngineJobs::reportDevice(const DeviceFacts& facts) {
  const DeviceFacts& known = workspace_->device();
  if (facts.name != known.name || facts.kind != known.kind) workspace_->setDevice(facts);
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

void EngineJobs::chooseNetwork(const QString& name_or_file) {
  try {
    useNetwork(std::make_shared<const Network>(network_by_name_or_file(name_or_file.toStdString())));
  } catch (...) {
    emit failed(current_error());
  }
}

void EngineJobs::useNetwork(const std::shared_ptr<const Network>& network) {
  static_cast<void>(levels_of(*network));
  const bool stale = runner_->busy() && doing_ != Doing::scene && doing_ != Doing::scene_map;
  if (stale) runner_->cancel();  // The running job works on the layers of the former network.
  selection_->setLayer(-1);
  workspace_->setNetwork(network);
  if (stale && !workspace_->shownMap(-1).map) rebuildSceneMap();
  workspace_->addLog(tr("network %1: %2")
                         .arg(QString::fromStdString(network->title),
                              counted(std::ssize(network->layers), tr("1 layer"), tr("%1 layers"))));
}

template <class Use> void EngineJobs::withSession(const QString& title, Use use, Doing doing) {
  opening_.reset();
  tried_.reset();
  doing_ = doing;
  start(title, [this, host = host_, now = request(), use](Job& job, const JobRunner::Post& post) {
    if (!now.scene_map && now.voxels)  // The job that builds this map was cancelled when this job started.
      buildSceneMap(host->device(), *now.voxels, now.kernel_size, job, post);
    use(host->session_for(now, job), now, job, post);
  });
}

void EngineJobs::run() {
  workspace_->clearLayers();
  withSession(
      tr("Running the network"),
      [this](Session& session, const SceneRequest& now, Job& job, const JobRunner::Post& post) {
        session.run_all(now.plan, job, [&](std::shared_ptr<const LayerResult> result) {
          job.checkpoint({"layers", result->layer + 1, std::ssize(now.network->layers)});
          post([this, result = std::move(result)] { workspace_->setLayer(result); });
        });
      },
      Doing::running);
}

void EngineJobs::runLayer(int layer) {
  withSession(
      tr("Running a layer"),
      [this, layer](Session& session, const SceneRequest& now, Job& job, const JobRunner::Post& post) {
        const auto result = session.run_layer(layer, now.plan, job);
        // Also deliver the earlier layers. Those without a result had to run first.
        for (int before = 0; before < layer; ++before) {
          if (auto input = session.result(before))
            post([this, input = std::move(input)] { workspace_->setLayer(input); });
        }
        post([this, result] {
          workspace_->setLayer(result);
          selection_->setLayer(result->layer);
        });
      },
      Doing::running);
}

void EngineJobs::measure() {
  withSession(
      tr("Measuring the network"),
      [this, protocol = protocol_](Session& session, const SceneRequest& now, Job& job,
                                   const JobRunner::Post& post) {
        SamplingProtocol how = protocol;
        how.max_time_ms *= 2;  // Each round runs twice: with timers and without.
        const auto measurement = std::make_shared<Measurement>(*session.measure(now.plan, how, job));
        measurement->rendering_paused = session.backend().facts().kind == BackendKind::cuda;
        for (int layer = 0; layer < static_cast<int>(now.network->layers.size()); ++layer) {
          if (auto result = session.result(layer))
            post([this, result = std::move(result)] { workspace_->setLayer(result); });
        }
        Report made = make_report(session, *measurement, {"spirascope"});
        made.tool_version = SPIRA_VERSION;
        post([this, measurement, report = std::make_shared<const Report>(std::move(made))] {
          workspace_->setMeasurement(measurement);
          emit measured(report);
          const Statistics wall = measurement->wall.stats();
          workspace_->addLog(tr("measured: wall time %1, median of %2, IQR %3")
                                 .arg(onScreen(ms_text(wall.median)))
                                 .arg(wall.n)
                                 .arg(onScreen(ms_text(wall.iqr()))));
        });
      },
      Doing::measuring);
}

void EngineJobs::sweepThresholds() {
  const int layer = selection_->layer();
  withSession(
      tr("Sweeping t"),
      [this, layer, how = protocol_](Session& session, const SceneRequest& now, Job& job,
                                     const JobRunner::Post& post) {
        const auto show = [this, &post](const Sweep& sweep) {
          post([this, snapshot = std::make_shared<const Sweep>(sweep)] {
            workspace_->setThresholdSweep(snapshot);
          });
        };
        show(sweep_thresholds(session, layer, now.plan, all_thresholds(*now.network, layer), how, job, show));
      },
      Doing::sweeping);
}

void EngineJobs::sweepPackings(const std::vector<PackSpec>& packs) {
  withSession(
      tr("Sweeping packings"),
      [this, packs, host = host_, how = protocol_](Session&, const SceneRequest& now, Job& job,
                                                   const JobRunner::Post& post) {
        const auto show = [this, &post](const Sweep& sweep) {
          post([this, snapshot = std::make_shared<const Sweep>(sweep)] {
            workspace_->setPackSweep(snapshot);
          });
        };
        show(sweep_packings(host->backend, host->network, host->weights, now.cloud, now.voxels->grid,
                            now.plan, packs, how, job, show));
      },
      Doing::sweeping);
}

void EngineJobs::tryThreshold(int layer, int threshold) {
  constexpr int passes = 7;
  constexpr double max_ms = 1500;
  const auto measure = [this, layer, threshold](Session& session, const SceneRequest& now, Job& job,
                                                const JobRunner::Post& post) {
    ThresholdTrial trial{layer, now.plan.layers.at(static_cast<std::size_t>(layer)), {}};
    trial.setting.threshold = threshold;
    if (!session.result(layer)) static_cast<void>(session.run_layer(layer, now.plan, job));
    trial.stages = layer_stages(session, layer, trial.setting, passes, max_ms, job);
    post([this, trial = std::move(trial)] { workspace_->addTrial(trial); });
  };
  withSession(tr("Measuring t = %1").arg(threshold), measure, Doing::trial);
}

void EngineJobs::setMisfit(const std::optional<Misfit>& misfit) {
  if (!misfit && !misfit_) return;
  misfit_ = misfit;
  emit misfitChanged();
}

void EngineJobs::setNetworkMisfit(const std::optional<Misfit>& misfit) {
  if (!misfit && !network_misfit_) return;
  network_misfit_ = misfit;
  setMisfit(misfit);
}

}  // namespace spira::ui

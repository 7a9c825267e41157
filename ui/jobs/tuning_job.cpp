// Tuning as a job of EngineJobs. The user can stop it and keep its results.
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/tune/tuner.hpp"
#include "ui/jobs/engine_host.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the packing of the open scene if the other scene fits it too, else the first packing that fits.
PackSpec pack_for(const PointCloud& cloud, const Grid& grid, PackSpec wanted, const Levels& levels,
                  Job& job) {
  const auto extent = voxel_range(cloud, grid, job).extent(levels.max_stride);
  if (fit(extent, wanted, levels.max_kernel_size, levels.max_stride).fits()) return wanted;
  const auto packs = packings_that_fit(extent, levels.max_kernel_size, levels.max_stride);
  return packs.empty() ? wanted : packs.front();
}

/// `reading` holds the options with which the open scene was read.
std::vector<TuneScene> scenes_of(const TuneWish& wish, const std::shared_ptr<const PointCloud>& open,
                                 const Grid& grid, PackSpec pack, const Levels& levels,
                                 const LoadOptions& reading, Job& job) {
  std::vector<TuneScene> scenes;
  for (const TuneWish::Scene& one : wish.scenes) {
    job.checkpoint({"reading scenes", 0, 0});
    LoadOptions how = reading;
    if (QFileInfo(one.file).suffix() != QFileInfo(QString::fromStdString(open->source)).suffix())
      how.format.clear();  // The format was named for files of another type.
    auto cloud = one.file.isEmpty() ? open : load_scene(one.file.toStdString(), how, job);
    const PackSpec fitting = pack_for(*cloud, grid, pack, levels, job);
    scenes.push_back({std::move(cloud), grid, fitting, one.weight});
  }
  return scenes;
}

}  // namespace

void EngineJobs::tune(const TuneWish& wish) {
  opening_.reset();
  tried_.reset();
  doing_ = Doing::tuning;
  const auto keep = std::make_shared<std::stop_source>();
  keep_best_ = keep;
  LoadOptions reading;
  reading.format = sequence_.format.toStdString();
  reading.limits = {sequence_.every, memory_limit_};
  const auto work = [this, host = host_, now = request(), wish, keep, reading](Job& job,
                                                                               const JobRunner::Post& post) {
    const std::stop_callback cancelled(job.stop_token(), [keep] { keep->request_stop(); });
    Job inner(keep->get_token(), nullptr, [&job](const Progress& progress) { job.checkpoint(progress); });
    if (!now.network || !now.voxels) throw Error(ErrorKind::usage, "open a scene and choose a network first");
    host->session.reset();  // Otherwise the memory of its buffers would count as used during tuning.
    host->loaded.reset();
    if (host->network != now.network) {
      host->weights =
          std::make_shared<const NetworkWeights>(seeded_weights(*now.network, 1, job.stop_token()));
      host->network = now.network;
    }
    TuneRequest request;
    request.scenes = scenes_of(wish, now.cloud, now.voxels->grid, now.voxels->pack, levels_of(*now.network),
                               reading, inner);
    static_cast<void>(host->device());
    request.backend = host->backend;
    request.network = now.network;
    request.weights = host->weights;
    request.precision = now.plan.precision;
    request.thresholds = wish.thresholds;
    request.algorithms = wish.algorithms;
    request.packings = wish.packings;
    request.budget_ms = wish.budget_ms;
    request.tool_version = SPIRA_VERSION;
    auto profile = std::make_shared<TuningProfile>(
        spira::tune(request, wish.known ? *wish.known : TuningProfile{}, inner));
    profile->command = {"spirascope"};
    if (profile->choices.empty())
      throw Error(ErrorKind::undecided,
                  "no setting could be chosen within the time limit; increase the limit or remove scenes");
    post([this, profile] { emit tuned(profile); });
  };
  start(tr("Tuning"), work);
}

bool EngineJobs::tuning() const {
  return runner_->busy() && !keep_best_.expired();
}

void EngineJobs::stop() {
  const auto keep = keep_best_.lock();
  if (!keep || !runner_->busy() || keep->stop_requested()) return cancel();
  keep->request_stop();
}

}  // namespace spira::ui

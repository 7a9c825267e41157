#include "ui/jobs/engine/tune_jobs.hpp"

#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/tune/sweep.hpp"
#include "engine/tune/tuner.hpp"
#include "ui/jobs/engine/engine_host.hpp"
#include "ui/jobs/engine/scene_jobs.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/measured/tuning.hpp"

#include <QFileInfo>

#include <utility>
#include <variant>

namespace spira::ui {
namespace {

using Profile = std::shared_ptr<const TuningProfile>;
using TuneEvent = std::variant<TuneEstimate, TuneStepDone, Profile>;

struct TuneArgs {
  EngineRequest now;
  TuneWish wish;
  std::stop_source keep;  ///< A stop request ends the job and keeps its results.
  LoadOptions reading;    ///< The options with which the open scene was read.
  RunModel model;         ///< Predicts the settings that are not measured yet.
};

/// Returns `wanted` if the scene fits this packing. Otherwise, returns the first packing that fits, or
/// `wanted` if no packing fits.
PackSpec pack_for(const PointCloud& cloud, const Grid& grid, PackSpec wanted, const Levels& levels,
                  Job& job) {
  const auto extent = voxel_range(cloud, grid, job).extent(levels.needs.levels);
  const PackNeeds needs = levels.needs.with_batch(cloud.batch());
  if (fit(extent, wanted.with_batch(cloud.batch()), needs).fits()) return wanted;
  const auto packs = packings_that_fit(extent, needs);
  return packs.empty() ? wanted : packs.front();
}

std::vector<TuneScene> scenes_of(const TuneArgs& args, Job& job) {
  const auto& open = args.now.cloud;
  const Grid& grid = args.now.voxels->grid;
  const Levels levels = levels_of(*args.now.network);
  std::vector<TuneScene> scenes;
  for (const TuneWish::Scene& one : args.wish.scenes) {
    job.checkpoint({"reading scenes", 0, 0});
    LoadOptions how = args.reading;
    if (QFileInfo(one.file).suffix() != QFileInfo(QString::fromStdString(open->source)).suffix())
      how.format.clear();  // The format of the open scene does not apply to other types of files.
    auto cloud = one.file.isEmpty() ? open : load_scene(one.file.toStdString(), how, job);
    const PackSpec fitting = pack_for(*cloud, grid, args.now.voxels->pack, levels, job);
    scenes.push_back({std::move(cloud), grid, fitting, one.weight});
  }
  return scenes;
}

/// Copies the settings to measure. The scenes are set separately.
void set_wish(TuneRequest& request, const TuneWish& wish, const EngineRequest& now) {
  request.network = now.network;
  request.precision = now.plan.precision;
  request.thresholds = wish.thresholds;
  if (wish.other_dataflows) request.dataflows = all_dataflows(*now.network, -1);
  request.training = wish.training;
  request.algorithms = wish.algorithms;
  request.packings = wish.packings;
  request.budget_ms = wish.budget_ms;
}

void tune_network(EngineHost& host, const TuneArgs& args, Job& job, const Send<TuneEvent>& send) {
  const EngineRequest& now = args.now;
  const TuneWish& wish = args.wish;
  std::stop_source keep = args.keep;
  const std::stop_callback cancelled(job.stop_token(), [&] { keep.request_stop(); });
  Job inner(keep.get_token(), nullptr, [&job](const Progress& progress) { job.checkpoint(progress); });
  if (!now.network || !now.voxels) throw Error(ErrorKind::usage, "open a scene and choose a network first");
  // Free the buffers of the session. Otherwise, tuning would count their memory as used.
  host.discardSession();
  TuneRequest request;
  set_wish(request, wish, now);
  request.weights = host.weightsOf(now, job);
  request.scenes = scenes_of(args, inner);
  request.backend = host.sharedDevice();
  request.tool_version = SPIRA_VERSION;
  request.on_estimate = [&](const TuneEstimate& estimate) { send(estimate); };
  // Compute the tables here, between two samples. On another thread, they would disturb the samples.
  request.on_step = [&](TuneSoFar so_far) {
    auto matrix = std::make_shared<SettingMatrix>(setting_matrix(so_far.profile, *now.network));
    args.model.addTo(*matrix);
    auto groups = std::make_shared<const GroupTable>(group_table(so_far.profile, *now.network));
    send(TuneStepDone{std::make_shared<const TuningProfile>(std::move(so_far.profile)), std::move(matrix),
                      std::move(groups)});
  };
  auto profile =
      std::make_shared<TuningProfile>(tune(request, wish.known ? *wish.known : TuningProfile{}, inner));
  profile->command = {"spirascope"};
  if (profile->choices.empty())
    throw Error(ErrorKind::undecided,
                "no setting could be chosen within the time limit; increase the limit or remove scenes");
  send(Profile(std::move(profile)));
}

}  // namespace

namespace {

/// Returns the times of one pass with t = max from the best available source: the measurement, the single
/// runs of all layers, a sweep of the whole network, or a profile of the open scene.
std::optional<PassTimes> known_pass(const Workspace& workspace, const TuningProfile* profile, int scene) {
  const Network& network = *workspace.network();
  const auto count = static_cast<int>(network.layers.size());
  PassTimes pass;
  if (const auto& measured = workspace.results().measurement()) {
    for (const LayerMeasurement& layer : measured->layers)
      add_pass(pass, pass_times_of(layer.stages, network));
    return pass;
  }
  if (workspace.results().layersRun() == count) {
    for (int layer = 0; layer < count; ++layer)
      add_pass(pass, pass_times_of(workspace.results().layer(layer)->stages, network));
    return pass;
  }
  if (const auto& sweep = workspace.results().thresholdSweep(); sweep && sweep->layer < 0) {
    for (const SweepRow& row : sweep->rows) {
      if (row.threshold == sweep->t_max && row.why_not.empty()) return pass_times_of(row.stages, network);
    }
  }
  return scene < 0 ? std::nullopt : pass_times_of(*profile, scene, network);
}

}  // namespace

std::optional<TuneEstimate> estimate_of(const TuneWish& wish, const Workspace& workspace,
                                        const std::shared_ptr<const TuningProfile>& profile) {
  const auto& network = workspace.network();
  if (workspace.results().report() || !workspace.scene().voxels() || !network || wish.scenes.empty())
    return std::nullopt;
  const bool same_network = profile && profile->network_fingerprint == fingerprint_of(*network);
  const int scene = same_network ? scene_in(*profile, workspace) : -1;
  auto pass = known_pass(workspace, profile.get(), scene);
  if (!pass) return std::nullopt;
  if (const auto& sweep = workspace.results().thresholdSweep()) add_known_times(*pass, *sweep, *network);
  if (scene >= 0) add_known_times(*pass, *profile, scene, *network);
  TuneRequest request;
  set_wish(request, wish, EngineRequest(workspace));
  for (const TuneWish::Scene& one : wish.scenes)
    request.scenes.push_back(
        {workspace.scene().cloud(), workspace.requested().grid(), workspace.requested().pack(), one.weight});
  // Among the scenes of a request, only the first can be a known scene.
  const bool first_is_open = wish.scenes.front().file.isEmpty();
  const bool keep = wish.known && wish.known == profile && first_is_open && scene >= 0;
  return estimate_tuning(request, *pass, keep ? *profile : TuningProfile(), keep ? scene : -1);
}

TuneJobs::TuneJobs(EngineLane* lane, const SceneJobs* scenes, Workspace* workspace, QObject* parent)
    : QObject(parent), lane_(lane), scenes_(scenes), workspace_(workspace) {}

void TuneJobs::tune(const TuneWish& wish) {
  keep_best_ = std::stop_source();
  LoadOptions reading;
  reading.format = scenes_->source().format.toStdString();
  reading.limits = {scenes_->source().every, scenes_->memoryLimit()};
  const bool open_scene_only = wish.scenes.size() == 1 && wish.scenes.front().file.isEmpty();
  const auto& run = workspace_->results().measurement();
  const bool same = open_scene_only && run &&
                    run->plan.precision == workspace_->requested().plan().precision &&
                    run->device.name == workspace_->device().name;
  lane_->start(
      tr("Tuning"), EngineLane::Doing::tuning, tune_network,
      {EngineRequest(*workspace_), wish, keep_best_, reading, same ? run_model(*workspace_) : RunModel()},
      [this, budget_ms = wish.budget_ms](const TuneEvent& event) {
        if (const auto* estimate = std::get_if<TuneEstimate>(&event))
          return emit estimated(*estimate, budget_ms);
        if (const auto* step = std::get_if<TuneStepDone>(&event)) return emit stepDone(*step);
        emit tuned(std::get<Profile>(event));
      });
}

void TuneJobs::stop() {
  if (!tuning() || keep_best_.stop_requested()) return lane_->cancel();
  keep_best_.request_stop();
}

}  // namespace spira::ui

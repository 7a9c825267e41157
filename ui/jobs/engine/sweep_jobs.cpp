#include "ui/jobs/engine/sweep_jobs.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "ui/jobs/engine/engine_host.hpp"
#include "ui/model/measured/threshold_times.hpp"

#include <utility>
#include <variant>

namespace spira::ui {

ThresholdTrials::ThresholdTrials(Workspace* workspace, Selection* selection, EngineLane* lane,
                                 SweepJobs* sweeps, QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection), lane_(lane), sweeps_(sweeps) {
  constexpr int rest_ms = 250;
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &ThresholdTrials::begin);
  connect(selection_, &Selection::triedChanged, this, &ThresholdTrials::follow);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &ThresholdTrials::follow);
  connect(&lane_->task(), &TaskSlot::started, this, [this] { started_ = false; });
  connect(&lane_->task(), &TaskSlot::finished, this, &ThresholdTrials::jobEnded);
}

std::optional<TriedThreshold> ThresholdTrials::wanted() const {
  const int layer = selection_->tried() ? selection_->tried()->layer : selection_->layer();
  if (workspace_->results().report() || !workspace_->scene().voxels() || !workspace_->results().wasRun(layer))
    return std::nullopt;
  const int t = threshold_looked_at(*workspace_, *selection_, layer);
  const Layer& facts = workspace_->network()->layers[static_cast<std::size_t>(layer)];
  if (!why_not_threshold(facts, t).empty()) return std::nullopt;
  if (!compared_threshold(*workspace_, *selection_, layer)) return std::nullopt;
  if (threshold_comparison(*workspace_, *selection_, layer)) return std::nullopt;
  return TriedThreshold{layer, t};
}

void ThresholdTrials::follow() {
  const auto now = wanted();
  if (now == waiting_) return;
  waiting_ = now;
  rest_.stop();
  if (started_ && lane_->trying()) lane_->cancel();
  if (waiting_) rest_.start();
}

void ThresholdTrials::begin() {
  // If another job prevents the trial, jobEnded() starts the trial later.
  if (!waiting_ || wanted() != waiting_ || !lane_->readyToRun()) return;
  const auto baseline = compared_threshold(*workspace_, *selection_, waiting_->layer);
  sweeps_->tryThreshold(waiting_->layer, waiting_->threshold, *baseline);
  started_ = true;
}

/// Starts the next trial if one is waiting. Does not restart a trial that failed or was stopped.
void ThresholdTrials::jobEnded() {
  const bool ours = std::exchange(started_, false);
  if (ours) return follow();
  if (waiting_) rest_.start();
}

namespace {

using Doing = EngineLane::Doing;
using SweepShown = std::shared_ptr<const Sweep>;
using SweepEvent = std::variant<SceneMap, SweepShown>;
using TrialEvent = std::variant<SceneMap, ThresholdTrial>;

struct ThresholdsArgs {
  EngineRequest now;
  int layer = -1;
  SamplingProtocol how;
};

void sweep_t(EngineHost& host, const ThresholdsArgs& args, Job& job, const Send<SweepEvent>& send) {
  Session& session = session_with_map(host, args.now, job, send);
  const auto show = [&](const Sweep& sweep) { send(std::make_shared<const Sweep>(sweep)); };
  show(sweep_thresholds(session, args.layer, args.now.plan, all_thresholds(*args.now.network, args.layer),
                        args.how, job, show));
}

void sweep_flows(EngineHost& host, const ThresholdsArgs& args, Job& job, const Send<SweepEvent>& send) {
  Session& session = session_with_map(host, args.now, job, send);
  const auto show = [&](const Sweep& sweep) { send(std::make_shared<const Sweep>(sweep)); };
  std::vector<std::string> names;
  if (args.layer < 0) {
    names = all_dataflows(*args.now.network);
  } else {
    // Dataflows that the layer cannot run have a row with the reason.
    for (DataflowChoice& choice :
         dataflow_choices(args.now.network->layers.at(static_cast<std::size_t>(args.layer))))
      names.push_back(std::move(choice.name));
  }
  show(sweep_dataflows(session, args.layer, args.now.plan, names, args.how, job, show));
}

struct PairArgs {
  EngineRequest now;
  int layer = 0;
  LayerSetting current, other;
  SamplingProtocol how;
};

void compare_pair(EngineHost& host, const PairArgs& args, Job& job, const Send<SweepEvent>& send) {
  Session& session = session_with_map(host, args.now, job, send);
  const auto show = [&](const Sweep& sweep) { send(std::make_shared<const Sweep>(sweep)); };
  if (!session.result(args.layer)) static_cast<void>(session.run_layer(args.layer, args.now.plan, job));
  const Plan& plan = args.now.plan;
  if (args.current.is_threshold() && args.other.is_threshold())
    return show(sweep_thresholds(session, args.layer, plan, {args.current.threshold, args.other.threshold},
                                 args.how, job, show));
  const Layer& layer = session.network().layers.at(static_cast<std::size_t>(args.layer));
  const int highest = KernelOffsets(layer.kernel(), 1).max_threshold();
  show(sweep_dataflows(session, args.layer, plan,
                       {dataflow_text(args.current, highest), dataflow_text(args.other, highest)}, args.how,
                       job, show));
}

struct PackingsArgs {
  EngineRequest now;
  std::vector<PackSpec> packs;
  SamplingProtocol how;
};

void sweep_packs(EngineHost& host, const PackingsArgs& args, Job& job, const Send<SweepEvent>& send) {
  const EngineRequest& now = args.now;
  static_cast<void>(session_with_map(host, now, job, send));
  const auto show = [&](const Sweep& sweep) { send(std::make_shared<const Sweep>(sweep)); };
  show(sweep_packings(host.sharedDevice(), now.network, host.weightsOf(now, job), now.cloud, now.voxels->grid,
                      now.plan, args.packs, args.how, job, show));
}

struct TrialArgs {
  EngineRequest now;
  int layer = 0, threshold = 0, baseline = 0;
};

/// Returns a sampling protocol that takes enough samples for a verdict, even if the layer is slow.
SamplingProtocol trial_protocol() {
  SamplingProtocol how;
  how.min_samples = static_cast<int>(fewest_samples_for_verdict) + 2;
  how.max_samples = 31;
  how.max_time_ms = 1000;
  return how;
}

void measure_trial(EngineHost& host, const TrialArgs& args, Job& job, const Send<TrialEvent>& send) {
  Session& session = session_with_map(host, args.now, job, send);
  const Plan& plan = args.now.plan;
  const LayerPlan setting = plan.layers.at(static_cast<std::size_t>(args.layer));
  ThresholdTrial trial{args.layer, setting, setting, {}, {}, {}};
  trial.baseline.set_threshold(args.baseline);
  trial.setting.set_threshold(args.threshold);
  if (!session.result(args.layer)) static_cast<void>(session.run_layer(args.layer, plan, job));
  auto stages =
      interleaved_stages(session, args.layer, {trial.baseline, trial.setting}, trial_protocol(), job);
  trial.baseline_stages = std::move(stages.front());
  trial.stages = std::move(stages.back());
  trial.ratio = median_ratio(feature_samples(trial.baseline_stages), feature_samples(trial.stages));
  send(std::move(trial));
}

void time_subject(EngineHost& host, const TimedSubject& subject, Job& job, const Send<LessonTiming>& send) {
  constexpr int rounds = 11;
  Backend& device = host.device();
  auto run = std::make_shared<LessonRun>();
  if (subject.what == Timed::searches) {
    run->searches =
        measure_searches(device, *subject.scene, subject.kernel.size.largest(), subject.stride, rounds, job);
  } else {
    run->neighbours = measure_neighbours(host.sharedDevice(), *subject.scene, subject.kernel, rounds, job);
  }
  run->timed_on = device.facts().name;
  run->source = run->timed_on;
  send({subject, std::move(run)});
}

/// Returns a function that stores the events of a sweep in the Workspace: the kernel map of the scene and
/// each snapshot.
std::function<void(SweepEvent)> show_sweep(Workspace* workspace, void (RunResults::*show)(SweepShown)) {
  return [workspace, show](const SweepEvent& event) {
    if (const auto* map = std::get_if<SceneMap>(&event)) return map->showIn(*workspace);
    (workspace->results().*show)(std::get<SweepShown>(event));
  };
}

}  // namespace

SweepJobs::SweepJobs(EngineLane* lane, Workspace* workspace, Selection* selection, QObject* parent)
    : QObject(parent), lane_(lane), workspace_(workspace), selection_(selection) {}

void SweepJobs::sweepThresholds() {
  lane_->start(tr("Sweeping t"), Doing::sweeping, sweep_t,
               {EngineRequest(*workspace_), selection_->layer(), lane_->protocol()},
               show_sweep(workspace_, &RunResults::setThresholdSweep));
}

void SweepJobs::sweepDataflows() {
  lane_->start(tr("Sweeping dataflows"), Doing::sweeping, sweep_flows,
               {EngineRequest(*workspace_), selection_->layer(), lane_->protocol()},
               show_sweep(workspace_, &RunResults::setDataflowSweep));
}

void SweepJobs::sweepPackings(const std::vector<PackSpec>& packs) {
  lane_->start(tr("Sweeping packings"), Doing::sweeping, sweep_packs,
               {EngineRequest(*workspace_), packs, lane_->protocol()},
               show_sweep(workspace_, &RunResults::setPackSweep));
}

void SweepJobs::tryThreshold(int layer, int threshold, int baseline) {
  lane_->start(tr("Comparing t = %1 with t = %2").arg(threshold).arg(baseline), Doing::trial, measure_trial,
               {EngineRequest(*workspace_), layer, threshold, baseline}, [this](const TrialEvent& event) {
                 if (const auto* map = std::get_if<SceneMap>(&event)) return map->showIn(*workspace_);
                 workspace_->results().addTrial(std::get<ThresholdTrial>(event));
               });
}

void SweepJobs::compareSettings(int layer, const LayerSetting& current, const LayerSetting& other) {
  lane_->start(tr("Comparing two settings"), Doing::sweeping, compare_pair,
               {EngineRequest(*workspace_), layer, current, other, lane_->protocol()},
               [this](const SweepEvent& event) {
                 if (const auto* map = std::get_if<SceneMap>(&event)) return map->showIn(*workspace_);
                 emit settingsCompared(std::get<SweepShown>(event));
               });
}

void SweepJobs::time(const TimedSubject& subject) {
  if (!subject.scene) return;
  lane_->start(subject.what == Timed::searches ? tr("Timing the searches") : tr("Timing the layers"),
               Doing::trial, time_subject, subject,
               [this](const LessonTiming& timing) { emit timed(timing); });
}

}  // namespace spira::ui

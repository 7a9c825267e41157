#include "engine/tune/sweep.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/job/pace.hpp"
#include "engine/map/redundancy.hpp"
#include "engine/measure/duration_estimate.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/run/session.hpp"
#include "engine/tune/choice.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace spira {
namespace {

/// Returns a job for the timed runs of a sweep. The progress that it reports to `job` also counts the
/// `before` passes that recorded the stages.
Job counted_after(std::int64_t before, Job& job) {
  return Job(job.stop_token(), nullptr, [before, &job](const Progress& runs) {
    job.checkpoint({runs.what, before + runs.done, before + runs.total});
  });
}

/// Samples the feasible rows in interleaved rounds. Calls `partial` after each round. `passes_before` is the
/// number of passes before this call, which the progress also counts.
void sample_rows(Sweep& sweep, const std::vector<std::function<void()>>& work, std::int64_t passes_before,
                 Job& job, const std::function<void(const Sweep&)>& partial) {
  std::vector<Contender> contenders;
  std::vector<std::size_t> row_of;
  for (std::size_t at = 0; at < sweep.rows.size(); ++at) {
    if (!sweep.rows[at].why_not.empty()) continue;
    contenders.push_back({sweep.rows[at].label, work[at]});
    row_of.push_back(at);
  }
  const auto take = [&](const std::vector<Samples>& all) {
    for (std::size_t at = 0; at < all.size(); ++at)
      sweep.rows[row_of[at]].wall = all[at];
    judge(sweep);
  };
  const auto after_round = [&](const std::vector<Samples>& all) {
    if (!partial) return;
    take(all);
    partial(sweep);
  };
  Job counted = counted_after(passes_before, job);
  take(sample_interleaved(contenders, sweep.protocol, counted, after_round));
}

/// Records the stages of each setting, one setting after another. Each setting runs one warm-up pass and then
/// a few isolated passes, or only one if a pass takes a long time. sample_rows() continues the progress that
/// this class reports.
class StageRecords {
 public:
  StageRecords(Backend& backend, const SamplingProtocol& protocol, std::ptrdiff_t settings, Job& job)
      : backend_(backend), protocol_(protocol), settings_(static_cast<int>(settings)), job_(job) {}

  StageTree record(const std::function<void(Job&)>& work) {
    Job quiet(job_.stop_token());
    pass([&] { work(quiet); });
    Recorder recorder(backend_.stages());
    Job timed(job_.stop_token(), &recorder);
    double spent_ms = 0;
    for (int at = 0; at < stage_passes && spent_ms < stage_passes_ms; ++at) {
      spent_ms += pass([&] { work(timed); });
      recorder.next_repetition();
    }
    return recorder.take();
  }
  [[nodiscard]] std::int64_t passes() const { return passes_; }

 private:
  double pass(const std::function<void()>& work) {
    const double mean_ms = passes_ > 0 ? spent_ms_ / static_cast<double>(passes_) : 0;
    const std::string what = "stages of each setting" + std::string(at_most_runs_suffix);
    job_.checkpoint({what, passes_, estimate_sweep(protocol_, settings_, mean_ms).most});
    const double ms = time_once_ms(work);
    spent_ms_ += ms;
    ++passes_;
    return ms;
  }

  Backend& backend_;
  const SamplingProtocol& protocol_;
  int settings_;
  Job& job_;
  std::int64_t passes_ = 0;
  double spent_ms_ = 0;
};

std::string layer_text(Session& session, int layer) {
  const Layer& facts = session.network().layers[static_cast<std::size_t>(layer)];
  std::string text = facts.name + " " + cells_text(facts.kernel_size) + " " +
                     std::to_string(facts.in_channels) + "->" + std::to_string(facts.out_channels);
  if (const auto result = session.result(layer)) {
    text += ", " + count_text(result->features->rows) + " voxels";
  }
  return text;
}

}  // namespace

int Sweep::fastest() const {
  int best = -1;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (rows[at].wall.ms.empty()) continue;
    if (best < 0 || rows[at].wall.stats().median < rows[static_cast<std::size_t>(best)].wall.stats().median)
      best = static_cast<int>(at);
  }
  return best;
}

int Sweep::pick() const {
  constexpr int beyond_all = 1'000'000;
  const auto complexity = [&](const SweepRow& row) {
    if (of_dataflows) return static_cast<int>(&row - rows.data());
    return row.threshold < 0 ? row.pack.word_bits()
                             : complexity_of(row.threshold, t_max.value_or(beyond_all));
  };
  int best = fastest();
  if (best < 0 || rows[static_cast<std::size_t>(best)].standing == "undecided") return -1;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (rows[at].standing == "tied" &&
        complexity(rows[at]) < complexity(rows[static_cast<std::size_t>(best)]))
      best = static_cast<int>(at);
  }
  return best;
}

void judge(Sweep& sweep) {
  std::vector<SettingCost> costs;
  for (const SweepRow& row : sweep.rows)
    costs.push_back({0, row.wall.stats().median, static_cast<std::int64_t>(row.wall.ms.size())});
  const SettingVerdicts found = judge_settings(costs, 0, [&](std::size_t best, std::size_t other) {
    return std::optional(TimesApart{sweep.rows[best].wall.ms, sweep.rows[other].wall.ms});
  });
  const auto any = [&](SettingVerdict verdict) {
    return std::find(found.verdicts.begin(), found.verdicts.end(), verdict) != found.verdicts.end();
  };
  const bool undecided = any(SettingVerdict::undecided), tied = any(SettingVerdict::tied);
  for (std::size_t at = 0; at < sweep.rows.size(); ++at) {
    const SettingVerdict own = found.verdicts[at];
    SweepRow& row = sweep.rows[at];
    row.standing.clear();
    if (undecided && own != SettingVerdict::none) {
      row.standing = "undecided";  // With too few samples of one setting, no setting is the fastest.
    } else if (own == SettingVerdict::best) {
      row.standing = tied ? "tied" : "fastest";
    } else if (own == SettingVerdict::tied) {
      row.standing = "tied";
    }
  }
}

/// Returns the subject of a sweep of all layers.
static std::string subject_of(const Network& network) {
  return network.name + (network.skipped.empty() ? ", whole network" : ", all layers that run");
}

namespace {

/// A row of a sweep of settings, and the plan with these settings.
struct SweptSetting {
  SweepRow row;
  Plan plan;
};

/// Measures one layer, or the whole network if `layer` is -1, with each of the settings. `sweep` has no rows.
Sweep sweep_settings(Session& session, int layer, const Plan& plan, std::vector<SweptSetting> settings,
                     Sweep sweep, const SamplingProtocol& how, Job& job,
                     const std::function<void(const Sweep&)>& partial) {
  SPIRA_ASSERT(session.scene() != nullptr, "no scene is loaded");
  Job quiet = job.with_recorder(nullptr);
  if (layer >= 0 && !session.result(layer)) static_cast<void>(session.run_layer(layer, plan, quiet));
  sweep.layer = layer;
  sweep.device = session.backend().facts();
  sweep.protocol = how;
  sweep.subject = layer >= 0 ? layer_text(session, layer) : subject_of(session.network());
  std::vector<std::function<void()>> work;
  // The passes use a job that reports no progress, because the progress of this function is the number of
  // finished runs.
  Job pass(job.stop_token());
  const auto feasible = std::count_if(settings.begin(), settings.end(),
                                      [](const SweptSetting& one) { return one.row.why_not.empty(); });
  StageRecords stages(session.backend(), how, feasible, quiet);
  for (SweptSetting& setting : settings) {
    setting.row.pack = session.scene()->pack;
    const std::function<void(Job&)> run = [&session, layer, with_plan = std::move(setting.plan)](Job& with) {
      if (layer < 0) return session.execute_network(with_plan, with);
      session.execute_layer(layer, with_plan.layers[static_cast<std::size_t>(layer)], with);
    };
    work.emplace_back([run, &pass] { run(pass); });
    if (setting.row.why_not.empty()) setting.row.stages = stages.record(run);
    sweep.rows.push_back(std::move(setting.row));
  }
  sample_rows(sweep, work, stages.passes(), quiet, partial);
  return sweep;
}

/// Returns the reason why a layer cannot run a dataflow. Returns an empty string if it can.
std::string why_not_dataflow(const Layer& layer, const std::string& name) {
  for (const DataflowChoice& choice : dataflow_choices(layer)) {
    if (choice.name == name) return choice.why_not;
  }
  return "the layer has no dataflow '" + shortened(name) + "'";
}

}  // namespace

Sweep sweep_thresholds(Session& session, int layer, const Plan& plan, const std::vector<int>& thresholds,
                       const SamplingProtocol& how, Job& job,
                       const std::function<void(const Sweep&)>& partial) {
  const Network& network = session.network();
  std::vector<SweptSetting> settings;
  for (const int t : thresholds) {
    SweptSetting setting{{}, plan};
    setting.row.threshold = t;
    setting.row.label = "t = " + std::to_string(t);
    if (layer < 0) {
      set_threshold(setting.plan, network, t);
    } else {
      const auto at = static_cast<std::size_t>(layer);
      setting.row.why_not = why_not_threshold(network.layers[at], t);
      setting.plan.layers[at].set_threshold(t);
    }
    settings.push_back(std::move(setting));
  }
  Sweep kind;
  kind.t_max = all_thresholds(network, layer).back();
  return sweep_settings(session, layer, plan, std::move(settings), kind, how, job, partial);
}

Sweep sweep_dataflows(Session& session, int layer, const Plan& plan,
                      const std::vector<std::string>& dataflows, const SamplingProtocol& how, Job& job,
                      const std::function<void(const Sweep&)>& partial) {
  const Network& network = session.network();
  std::optional<KernelMap> map;
  if (layer >= 0) {
    Job quiet = job.with_recorder(nullptr);
    map = session.backend().download(
        *session.build_layer_map(layer, plan.layers[static_cast<std::size_t>(layer)], quiet));
  }
  std::vector<SweptSetting> settings;
  for (const std::string& name : dataflows) {
    SweptSetting setting{{}, plan};
    setting.row.label = name;
    int running = 0;
    for (std::size_t at = 0; at < network.layers.size(); ++at) {
      if (layer >= 0 ? at != static_cast<std::size_t>(layer) : !network.layers[at].convolution()) continue;
      LayerPlan& own = setting.plan.layers[at];
      if (std::string why = why_not_dataflow(network.layers[at], name); !why.empty()) {
        setting.row.why_not = std::move(why);
      } else {
        own = with_dataflow(network.layers[at], own, name);
        ++running;
      }
    }
    if (running > 0) setting.row.why_not.clear();
    if (layer < 0) setting.row.layers = running;
    if (running > 0 && layer >= 0)
      if (const auto counted = redundancy_of(*map, setting.plan.layers[static_cast<std::size_t>(layer)]))
        setting.row.slots_per_pair = counted->slots_per_pair();
    settings.push_back(std::move(setting));
  }
  Sweep kind;
  kind.of_dataflows = true;
  return sweep_settings(session, layer, plan, std::move(settings), kind, how, job, partial);
}

std::vector<std::string> all_dataflows(const Network& network, int layer) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (layer >= 0 && at != static_cast<std::size_t>(layer)) continue;
    for (const std::string& name : dataflows_of(network.layers[at])) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  // Layers with different kernels have different names. Sort them as one layer would.
  const auto rank = [](const std::string& name) {
    constexpr std::array<std::string_view, 7> kinds{"os",          "ws",     "hybrid",     "unsorted",
                                                    "mask-sorted", "gather", "gather-fp16"};
    const std::string_view kind = std::string_view(name).substr(0, name.find(':'));
    const auto number = name.find(':') == std::string::npos ? 0 : std::stoi(name.substr(name.find(':') + 1));
    return std::pair(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin(), number);
  };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return all;
}

std::vector<StageTree> interleaved_stages(Session& session, int layer, const std::vector<LayerPlan>& settings,
                                          const SamplingProtocol& how, Job& job) {
  Job quiet(job.stop_token());
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<Contender> contenders;
  for (const LayerPlan& setting : settings) {
    for (int round = 0; round < how.warmup; ++round)
      session.execute_layer(layer, setting, quiet);
    Recorder& recorder = *recorders.emplace_back(std::make_unique<Recorder>(session.backend().stages()));
    contenders.push_back(
        {"t = " + std::to_string(setting.threshold), [&, layer, setting, stop = job.stop_token()] {
           Job timed(stop, &recorder);
           session.execute_layer(layer, setting, timed);
           recorder.next_repetition();
         }});
  }
  SamplingProtocol rounds = how;
  rounds.warmup = 0;  // The recorder would store warm-up runs, so disable them.
  static_cast<void>(sample_interleaved(contenders, rounds, job));
  std::vector<StageTree> stages;
  for (const auto& recorder : recorders)
    stages.push_back(recorder->take());
  return stages;
}

Sweep sweep_packings(const std::shared_ptr<Backend>& backend, const std::shared_ptr<const Network>& network,
                     const std::shared_ptr<const NetworkWeights>& weights,
                     const std::shared_ptr<const PointCloud>& cloud, const Grid& grid, const Plan& plan,
                     const std::vector<PackSpec>& packs, const SamplingProtocol& how, Job& job,
                     const std::function<void(const Sweep&)>& partial) {
  Job quiet = job.with_recorder(nullptr);
  Sweep sweep;
  sweep.device = backend->facts();
  sweep.protocol = how;
  sweep.subject = subject_of(*network);
  std::vector<std::shared_ptr<Session>> sessions;
  std::vector<std::function<void()>> work;
  // The passes use a job that reports no progress, because the progress of this function is the number of
  // finished runs.
  Job pass(job.stop_token());
  StageRecords stages(*backend, how, std::ssize(packs), quiet);
  for (const PackSpec& pack : packs) {
    SweepRow row;
    row.label = pack.text();
    row.pack = pack.with_batch(cloud->batch());
    auto session = std::make_shared<Session>(backend, network, weights);
    try {
      static_cast<void>(session->load(cloud, grid, pack, plan.precision, pass));
      row.stages = stages.record([&](Job& with) { session->execute_network(plan, with); });
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::does_not_fit) throw;
      row.why_not = error.what();
    }
    work.emplace_back([session, &plan, &pass] { session->execute_network(plan, pass); });
    sweep.rows.push_back(std::move(row));
  }
  sample_rows(sweep, work, stages.passes(), quiet, partial);
  return sweep;
}

std::vector<int> all_thresholds(const Network& network, int layer) {
  int most = 0;
  for (int at = 0; at < static_cast<int>(network.layers.size()); ++at) {
    const Layer& facts = network.layers[static_cast<std::size_t>(at)];
    if (facts.convolution() && !facts.neighbourhood.native() && (layer < 0 || at == layer))
      most = std::max(most, KernelOffsets(facts.kernel(), 1).max_threshold());
  }
  std::vector<int> all(static_cast<std::size_t>(most) + 1);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<PackSpec> packings_to_compare(const VoxelScene& scene, const Network& network) {
  const Levels levels = levels_of(network);
  const auto& axes = scene.fit.axes;
  std::vector<PackSpec> all = packings_to_try({axes[0].extent, axes[1].extent, axes[2].extent},
                                              levels.needs.with_batch(scene.cloud->batch()));
  if (std::find(all.begin(), all.end(), scene.pack) == all.end()) all.push_back(scene.pack);
  return all;
}

std::string sweep_csv(const Sweep& sweep) {
  std::string text = "subject,setting,t,word_bits,n,median_ms,q1_ms,q3_ms,min_ms,max_ms,why_not\r\n";
  for (const SweepRow& row : sweep.rows) {
    const Statistics s = row.wall.stats();
    text += csv_cell(sweep.subject) + "," + csv_cell(row.label) + "," +
            (row.threshold < 0 ? "" : std::to_string(row.threshold)) + "," +
            std::to_string(row.pack.word_bits()) + "," + std::to_string(s.n);
    for (const double value : {s.median, s.q1, s.q3, s.min, s.max})
      text += "," + (s.n == 0 ? std::string() : fixed(value, 6));
    text += "," + (row.why_not.empty() ? std::string() : csv_cell(row.why_not)) + "\r\n";
  }
  return text;
}

}  // namespace spira

// Suite of `spira bench` for training: the passes of single layers, the training steps of networks, and what
// it costs if several passes of a layer must have the same dataflow (section 4.2 of the TorchSparse++ paper).
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/run/backward.hpp"
#include "engine/tune/bindings.hpp"
#include "engine/tune/tune_estimate.hpp"
#include "engine/tune/tuner.hpp"

#include <algorithm>
#include <array>

namespace spira::app {
namespace {

constexpr std::array passes{LayerPass::forward, LayerPass::dgrad, LayerPass::wgrad};
constexpr std::array networks{"resn21", "minkunet42"};

/// A layer whose inputs were computed, and what its backward passes read.
struct MeasuredLayer {
  Session& session;
  int index = 0;
  PassInputs inputs;
  std::int64_t pairs = 0;
  [[nodiscard]] const Layer& layer() const { return session.network().layers.back(); }
  [[nodiscard]] const LayerLevels& levels() const { return session.levels().layers.back(); }
};

/// The minimum work of a pass: reading or writing both features, the map and the weights once, and one
/// product for each pair.
Work work_of(const MeasuredLayer& of, LayerPass pass, const KernelMap& map, Precision precision) {
  const Layer& layer = of.layer();
  const Precision weights = pass == LayerPass::wgrad ? Precision::fp32 : precision;
  return {bytes_of_features(map.inputs, layer.in_channels, precision) +
              bytes_of_features(map.outputs, layer.out_channels, precision) +
              bytes_of_features(std::int64_t{map.offsets->columns()} * layer.in_channels, layer.out_channels,
                                weights) +
              static_cast<double>(map.bytes()),
          2.0 * static_cast<double>(of.pairs) * layer.in_channels * layer.out_channels};
}

BenchSubject pass_subject(const MeasuredLayer& of, LayerPass pass, const char* dataflow,
                          const LayerSetting& setting, const std::shared_ptr<const KernelMap>& map,
                          Precision precision) {
  return {std::string(text_of(pass)) + ", " + dataflow,
          [&of, pass, setting, map](Job& job) {
            if (pass == LayerPass::forward) {
              static_cast<void>(of.session.execute_features(of.index, *map, job, setting.method));
              return;
            }
            Backend& backend = of.session.backend();
            // The stage ends before the wait, so that it does not contain the time to wake up the host.
            const Features gradient = [&] {
              const auto stage = job.stage(std::string(text_of(pass)) + "[" + of.layer().name + "]");
              return compute_pass(backend, of.layer(), of.levels(), pass, setting, *map, of.inputs, job);
            }();
            backend.wait();
          },
          work_of(of, pass, *map, precision)};
}

/// Measures the three passes of a submanifold layer. All of them read one map.
void layer_passes(Bench& bench, int kernel_size, int channels) {
  const std::string width = std::to_string(channels);
  const std::string group = "K=" + std::to_string(kernel_size) + " " + width + ">" + width;
  if (!bench.wants(group)) return;
  const Network network = single_layer_network(kernel_size, 1, channels, channels);
  Plan plan = default_plan(network);
  plan.precision = bench.precision();
  const LoadedNetwork loaded = bench.load(network, plan);
  Session& session = *loaded.session;
  session.run_all(plan, bench.job(), {});
  const int index = static_cast<int>(network.layers.size()) - 1;
  const MeasuredLayer of{session, index, session.pass_inputs(index, bench.job()),
                         session.result(index)->densities.pairs};
  std::vector<BenchSubject> subjects;
  for (const char* dataflow : {"os", "ws", "gather"}) {
    const LayerPlan own = with_dataflow(of.layer(), plan.layers.back(), dataflow);
    const auto map = session.build_layer_map(index, own, bench.job());
    for (const LayerPass pass : passes) {
      if (why_not_pass(of.layer(), of.levels(), pass, own.dataflow()).empty())
        subjects.push_back(pass_subject(of, pass, dataflow, own.dataflow(), map, plan.precision));
    }
  }
  bench.measure(group, RatioOf::stages, std::move(subjects));
}

void prepare(Session& session, Precision precision) {
  TrainingRequest request;
  request.loss_scale = precision == Precision::fp16 ? usual_loss_scale : 1;
  session.prepare_training(request);
}

BenchSubject step_subject(Session& session, std::string name, Plan plan) {
  return {std::move(name),
          [&session, plan = std::move(plan)](Job& job) {
            static_cast<void>(session.execute_training_step(plan, job));
          },
          {}};
}

/// Measures a training step and the forward pass alone. Both begin with points in the memory of the back end
/// and build all maps.
void training_step(Bench& bench, const char* id) {
  const std::string group = std::string("step of ") + id;
  if (!bench.wants(group)) return;
  const Network network = network_preset(id);
  Plan plan = default_plan(network);
  plan.precision = bench.precision();
  const LoadedNetwork loaded = bench.load(network, plan);
  Session& session = *loaded.session;
  session.run_all(plan, bench.job(), {});
  prepare(session, plan.precision);
  bench.measure(
      group, RatioOf::wall,
      {{"forward", [&](Job& job) { session.execute_network(plan, job); }, work_of_network(session, plan)},
       step_subject(session, "training step", plan)});
}

TuneRequest tune_request(Bench& bench, const Network& network) {
  TuneRequest request;
  request.backend = bench.shared_backend();
  request.network = std::make_shared<const Network>(network);
  request.weights = std::make_shared<const NetworkWeights>(seeded_weights(network, 1));
  request.scenes = {{bench.scene().cloud, bench.scene().grid, bench.scene().pack}};
  request.precision = bench.precision();
  request.training = true;
  request.thresholds = {0};  // The tuner adds the largest threshold of each layer.
  request.dataflows = {"unsorted", "mask-sorted:1", "mask-sorted:2"};
  request.protocol = bench.protocol();
  // The tuner only selects the settings; the steps are measured with all samples.
  const int samples = std::min(request.protocol.min_samples, static_cast<int>(fewest_samples_for_verdict));
  request.protocol.min_samples = request.protocol.max_samples = samples;
  // The protocol limits the time of one group; the tuner measures all layers.
  request.budget_ms = request.protocol.max_time_ms * static_cast<double>(network.layers.size());
  request.tool_version = SPIRA_VERSION;
  request.on_estimate = [&bench, name = network.name](const TuneEstimate& estimate) {
    bench.note("tuning " + name + " takes about " + ms_text(estimate.all_ms));
  };
  return request;
}

/// Tunes all passes of a network, and measures training steps with the best settings that each binding
/// allows.
void bindings(Bench& bench, const char* id) {
  const std::string group = std::string("bindings of ") + id;
  if (!bench.wants(group)) return;
  const Network network = network_preset(id);
  const TuningProfile profile = tune(tune_request(bench, network), {}, bench.job());
  if (!profile.stopped.empty())
    bench.note("tuning " + network.name +
               " reached its time limit: layers without samples use the default settings");
  const Plan free = plan_of(profile, network, Binding::free);
  const LoadedNetwork loaded = bench.load(network, free);
  Session& session = *loaded.session;
  prepare(session, free.precision);
  std::vector<BenchSubject> subjects;
  for (const Binding binding :
       {Binding::free, Binding::all_alike, Binding::forward_dgrad, Binding::dgrad_wgrad})
    subjects.push_back(
        step_subject(session, std::string(text_of(binding)), plan_of(profile, network, binding)));
  bench.measure(group, RatioOf::wall, std::move(subjects));
  const Plan alike = plan_of(profile, network, Binding::all_alike);
  const bool equal = alike.layers == free.layers && alike.backward == free.backward;
  const bool few = bench.protocol().min_samples < static_cast<int>(fewest_samples_for_verdict);
  const auto ends = series_of(bench, group, std::array{"free", "all passes alike"});
  bench.add_claim(
      {"Training is faster if the passes of a layer can have different dataflows.",
       "section 6.1 and figure 22: up to 10 % faster than with one dataflow for all passes",
       network.name + ", training step: " +
           medians_text(series_of(
               bench, group, std::array{"free", "all passes alike", "forward = dgrad", "dgrad = wgrad"})) +
           (equal ? "; the best settings are the same for all passes" : ""),
       equal && !few ? Agreement::disagrees : agreement(ends, ComparedWith::first, Verdict::slower)});
}

}  // namespace

void bench_training(Bench& bench) {
  require_training(bench.backend(), network_preset(networks.front()));
  for (const int kernel_size : {3, 5}) {
    for (const int channels : {16, 32, 64, 128, 256}) {
      if (kernel_size == 3 || channels <= 128) layer_passes(bench, kernel_size, channels);
    }
  }
  for (const char* network : networks)
    training_step(bench, network);
  for (const char* network : networks)
    bindings(bench, network);
}

}  // namespace spira::app

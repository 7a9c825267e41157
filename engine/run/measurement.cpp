#include "engine/run/measurement.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/session.hpp"

#include <algorithm>

namespace spira {
namespace {

/// Copies the stage `top` of `all` and all stages below it into the tree `into`.
void take_branch(const StageTree& all, int top, StageTree& into) {
  std::vector<int> moved(all.nodes.size(), -1);
  StageTree branch;
  branch.clock = all.clock;
  for (int node = 0; node < static_cast<int>(all.nodes.size()); ++node) {
    const StageNode& from = all.nodes[static_cast<std::size_t>(node)];
    const bool below = from.parent >= 0 && moved[static_cast<std::size_t>(from.parent)] >= 0;
    if (node != top && !below) continue;
    moved[static_cast<std::size_t>(node)] = static_cast<int>(branch.nodes.size());
    branch.nodes.push_back(from);
    branch.nodes.back().parent = below ? moved[static_cast<std::size_t>(from.parent)] : -1;
  }
  into.clock = all.clock;
  into.merge(branch);
}

LayerMeasurement layer_row(const Session& session, const StageTree& stages, int index) {
  const Layer& layer = session.network().layers[static_cast<std::size_t>(index)];
  LayerMeasurement row;
  if (const auto result = session.result(index)) {
    row = counts_of(layer, *result);
    if (layer.convolution()) row.redundancy = redundancy_of(*result->map, result->plan);
    row.non_finite = count_non_finite(*result->features);
  }
  row.name = layer.name;
  row.stages = stages_of_layer(stages, layer.name);
  row.map_shared = stages.find({"map", layer.name}) < 0;
  return row;
}

/// Returns a timeline without spans for stages that run layer by layer, on one track and without overlap.
Timeline layer_by_layer(Clock clock) {
  Timeline head;
  head.mode = TimelineMode::one_after_another;
  head.clock = clock;
  head.how = "layer by layer, with a time stamp at the start and end of each stage";
  head.tracks = {clock == Clock::cuda_events ? "CUDA stream, layer by layer" : "host"};
  return head;
}

/// Queries the device after each sample and records whether it was throttled. Keeps throttled samples.
class SampleWatch {
 public:
  SampleWatch(Backend& backend, std::vector<std::string>& reasons) : backend_(backend), reasons_(reasons) {}

  void look() {
    const DeviceState now = backend_.state(StateDetail::clock);
    if (now.sm_clock_mhz) clocks_mhz_.push_back(*now.sm_clock_mhz);
    if (!now.throttled_by) return;
    held_back_.push_back(!now.throttled_by->empty());
    for (const auto& reason : *now.throttled_by) {
      if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) reasons_.push_back(reason);
    }
  }
  /// Stores the recorded series in `samples`. Omits a series with fewer values than samples, because the
  /// program cannot know to which samples the values belong.
  void give(Samples& samples) {
    if (held_back_.size() == samples.ms.size()) samples.held_back = std::move(held_back_);
    if (clocks_mhz_.size() == samples.ms.size()) samples.sm_clock_mhz = std::move(clocks_mhz_);
  }

 private:
  Backend& backend_;
  std::vector<std::string>& reasons_;
  std::vector<bool> held_back_;
  std::vector<int> clocks_mhz_;
};

void measure_compiled(const CompiledNetwork& compiled, const SamplingProtocol& how, Backend& backend,
                      Job& job, Measurement& into) {
  into.compiled_how = compiled.run ? compiled.run->facts().how : compiled.why_not;
  if (!compiled.run) return;
  SampleWatch watch(backend, into.held_back_by);
  into.compiled_wall = sample_interleaved({{"timing the compiled network", [&] { compiled.run->run(); }}},
                                          how, job, [&](const std::vector<Samples>&) { watch.look(); })
                           .front();
  watch.give(into.compiled_wall);
  into.compiled_bytes = compiled.run->facts().bytes;
  Timeline in_situ = compiled.run->timeline(static_cast<int>(into.compiled_wall.ms.size()), job);
  if (!in_situ.empty()) into.timeline = std::move(in_situ);
}

/// Runs the layers that have no result yet.
void run_missing_layers(Session& session, const Plan& plan, Job& job) {
  Job pass(job.stop_token());
  const int layers = static_cast<int>(session.network().layers.size());
  for (int layer = 0; layer < layers; ++layer) {
    const auto& there = session.result(layer);
    if (there && there->plan == plan.layers.at(static_cast<std::size_t>(layer))) continue;
    job.checkpoint({"running the layers once", layer, layers});
    static_cast<void>(session.run_layer(layer, plan, pass));
  }
}

}  // namespace

LayerMeasurement counts_of(const Layer& layer, const LayerResult& result) {
  LayerMeasurement row;
  row.name = layer.name;
  row.stages = result.stages;
  row.map_shared = result.map_shared;
  row.outputs = result.levels.transposed ? result.map->inputs : result.map->outputs;
  row.inputs = result.levels.transposed ? result.map->outputs : result.map->inputs;
  if (layer.changes_set()) {
    // The map is that of the result.
    row.inputs = 0;
    for (const int level : result.levels.inputs)
      row.inputs += size_of(result.scene->level(level));
  }
  if (!layer.has_map()) return row;
  row.pairs = result.densities.triplets;
  row.neighbours = result.neighbours;
  // A pool does one operation for each pair and channel.
  row.useful_flops = row.pairs * layer.in_channels * (layer.convolution() ? 2 * layer.out_channels : 1);
  row.map_bytes = result.map->bytes();
  return row;
}

bool has_neighbours(const Measurement& measurement) noexcept {
  return std::any_of(measurement.layers.begin(), measurement.layers.end(),
                     [](const LayerMeasurement& layer) { return layer.neighbours.has_value(); });
}

std::int64_t Measurement::repetitions() const {
  if (!wall.ms.empty() || indexing.nodes.empty()) return std::ssize(wall.ms);
  return std::ssize(indexing.nodes.front().samples_ms);
}

double Measurement::sum_of_stages_ms() const {
  double sum = indexing.sum_of_tops_ms();
  for (const auto& layer : layers)
    sum += layer.stages.sum_of_tops_ms();
  return sum;
}

std::optional<double> Measurement::mark_cost_ms() const {
  if (marked_ms.empty()) return std::nullopt;
  const Statistics with = statistics(marked_ms), without = wall.stats();
  const double cost = with.median - without.median;
  return cost > std::max(with.iqr(), without.iqr()) ? cost : 0.0;
}

std::string kernel_text(const LayerMeasurement& layer) {
  return layer.stages.kernels(layer.stages.find({"features", layer.name}));
}

std::string kernel_text(const PassMeasurement& pass, LayerPass which, const std::string& layer) {
  return pass.stages.kernels(pass.stages.find({std::string(text_of(which)), layer}));
}

StageTree stages_of_layer(const StageTree& stages, const std::string& layer) {
  StageTree own;
  own.clock = stages.clock;
  for (const char* phase : {"map", "features"}) {
    if (const int top = stages.find({phase, layer}); top >= 0) take_branch(stages, top, own);
  }
  return own;
}

StageTree measure_runs(Backend& backend, const std::function<void(Job&)>& run, const SamplingProtocol& how,
                       Measurement& into, Job& job) {
  // The runs use a job that reports no progress, because the progress of this function is the number of
  // finished runs.
  Job pass(job.stop_token());
  into.device = backend.facts();
  into.timer = measure_timer(backend.stages());
  into.state_before = backend.state(StateDetail::all);
  into.protocol = how;
  backend.memory().reset_peak();
  const std::size_t before = backend.memory().used_bytes();
  // Time stamps between the stages lengthen the wall time. Therefore each round runs the network twice: first
  // without time stamps, then with them. The interleaved order makes sure that other load on the machine
  // affects both kinds of runs equally.
  Recorder recorder(backend.stages(), &backend.memory());
  TimelineBuilder times(layer_by_layer(backend.stages().clock()));
  recorder.keep_times(times);
  Job timed(job.stop_token(), &recorder);
  SampleWatch watch(backend, into.held_back_by);
  const auto with_marks = [&](const std::vector<Samples>&) {
    watch.look();
    into.marked_ms.push_back(time_once_ms([&] { run(timed); }));
    recorder.next_repetition();
  };
  into.wall = sample_interleaved({{"timing the network", [&] { run(pass); }}}, how, job, with_marks).front();
  watch.give(into.wall);
  into.peak_bytes = backend.memory().peak_bytes() - before;
  into.marks = recorder.marks();
  StageTree stages = recorder.take();
  into.timeline = times.take();
  into.timeline.marked_ms = into.marked_ms;
  into.timeline.unmarked_ms = into.wall.ms;
  return stages;
}

double unit_time_ms(const Measurement& measurement, const UnitFacts& unit) {
  double sum = 0;
  for (int at = unit.first_layer; at <= unit.last_layer; ++at)
    sum += measurement.layers.at(static_cast<std::size_t>(at)).stages.sum_of_tops_ms();
  return sum;
}

StageTree stages_of_indexing(const StageTree& stages) {
  StageTree indexing;
  indexing.clock = stages.clock;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    if (stages.nodes[static_cast<std::size_t>(node)].parent >= 0) continue;
    const StageKey key = stages.key(node);
    const StageGroup group = key.group();
    if (group == StageGroup::voxelize || group == StageGroup::downsample || key == StageKey("mask"))
      take_branch(stages, node, indexing);
  }
  return indexing;
}

std::shared_ptr<const Measurement> Session::measure(const Plan& plan, const SamplingProtocol& how, Job& job) {
  Job quiet = job.with_recorder(nullptr);
  const MemoryForecast memory = forecast(plan);
  require_memory(memory, backend().facts());
  run_missing_layers(*this, plan, quiet);
  auto measurement = std::make_shared<Measurement>();
  measurement->plan = plan;
  measurement->input = input_values();
  const StageTree stages = measure_runs(
      backend(), [&](Job& pass) { execute_network(plan, pass); }, how, *measurement, quiet);
  measurement->forecast_peak_bytes = memory.run();
  measure_compiled(this->compiled(plan, quiet), how, backend(), quiet, *measurement);
  measurement->state_after = backend().state(StateDetail::all);
  measurement->indexing = stages_of_indexing(stages);
  for (int layer = 0; layer < static_cast<int>(network().layers.size()); ++layer) {
    measurement->layers.push_back(layer_row(*this, stages, layer));
  }
  return measurement;
}

}  // namespace spira

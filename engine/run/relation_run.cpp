#include "engine/run/relation_run.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace spira {
namespace {

/// Returns the input features in the precision of the run, in host memory.
Features input_of(const RelationSettings& settings, std::int64_t nodes) {
  const int channels = settings.channels.front();
  const auto count = static_cast<std::size_t>(nodes) * static_cast<std::size_t>(channels);
  SPIRA_ASSERT(settings.features.empty() || settings.features.size() == count,
               "the features and the nodes have different shapes");
  Features input{nodes, channels, settings.precision,
                 Buffer(make_host_pool(), count * bytes_of(settings.precision))};
  Random random(settings.seed);
  for (std::size_t at = 0; at < count; ++at) {
    const float value =
        settings.features.empty() ? static_cast<float>(random.normal()) : settings.features[at];
    if (settings.precision == Precision::fp32) {
      input.data.host_span<float>()[at] = value;
    } else {
      input.data.host_span<Fp16>()[at] = float_to_fp16(value);
    }
  }
  return input;
}

}  // namespace

std::vector<int> parse_channels(const std::string& text, const std::string& name) {
  constexpr int max_channels = 4096;
  constexpr std::size_t max_layers = 100;
  std::vector<int> channels;
  for (const std::string& word : split_list(text)) {
    const auto value = parse_int(word);
    channels.push_back(value && *value > 0 && *value <= max_channels ? static_cast<int>(*value) : 0);
  }
  if (channels.size() < 2 || channels.size() > max_layers + 1 ||
      std::find(channels.begin(), channels.end(), 0) != channels.end())
    throw Error(ErrorKind::usage, name + " " + shortened(text) +
                                      ": expected 2 to 101 numbers from 1 to 4096, such as 16,64,16");
  return channels;
}

Network relation_network(const std::vector<int>& channels) {
  SPIRA_ASSERT(channels.size() >= 2, "a layer needs the channels of its input and of its output");
  Network network;
  network.name = network.title = "relations";
  network.in_channels = channels.front();
  network.features_from_file = true;
  for (std::size_t at = 0; at + 1 < channels.size(); ++at) {
    Layer layer;
    layer.name = "relations" + std::to_string(at + 1);
    layer.inputs = {at == 0 ? "input" : network.layers.back().name};
    layer.kernel_size = 1;
    layer.in_channels = channels[at];
    layer.out_channels = channels[at + 1];
    layer.batch_norm = false;
    layer.bias = true;
    layer.activation = at + 2 < channels.size() ? Activation::relu : Activation::none;
    network.layers.push_back(std::move(layer));
  }
  return network;
}

RelationRun::RelationRun(std::shared_ptr<Backend> backend, std::shared_ptr<const Triples> triples,
                         RelationSettings settings, Job& job)
    : backend_(std::move(backend)),
      triples_(std::move(triples)),
      settings_(std::move(settings)),
      network_(relation_network(settings_.channels)),
      map_(relation_map(*triples_, settings_.normalise)) {
  static_cast<void>(require_relations(*backend_));
  const DeviceFacts& device = backend_->facts();
  const std::size_t bytes = run_bytes() + lasting_bytes();
  if (device.memory_bytes != 0 && bytes > device.memory_bytes)
    throw Error(device.kind == BackendKind::cuda ? ErrorKind::device_memory : ErrorKind::memory,
                triples_->name + ": the layers need about " + bytes_text(bytes) + "; " + device.name +
                    " has " + bytes_text(device.memory_bytes) + "; use fewer channels");
  // An output has W_0 and, on average, this number of relations.
  const double terms = 1.0 + (static_cast<double>(map_.rows()) / static_cast<double>(map_.nodes));
  for (const Layer& layer : network_.layers) {
    job.checkpoint({"drawing the weights", std::ssize(weights_), std::ssize(network_.layers)});
    weights_.push_back(seeded_layer(layer.name, map_.relations() + 1, layer.in_channels, layer.out_channels,
                                    terms, settings_.seed, job.stop_token()));
    uploaded_.push_back(backend_->upload_weights(weights_.back(), settings_.precision));
  }
  input_ = backend_->upload(input_of(settings_, map_.nodes));
  settings_.features = {};
}

Features RelationRun::compute(std::size_t layer, const RelationMap& map, const Features& in, Job& job) const {
  const Layer& here = network_.layers[layer];
  const auto stage = job.stage(StageKey("features", here.name).text());
  return backend_->extensions().relations->convolve(
      map, in, uploaded_[layer], {here.activation == Activation::relu, settings_.method}, job);
}

Features RelationRun::run(Job& job) const {
  RelationMap map;
  {
    const auto stage = job.stage(StageKey("map", network_.layers.front().name).text());
    map = upload(*backend_, relation_map(*triples_, settings_.normalise));
  }
  std::optional<Features> output;
  for (std::size_t layer = 0; layer < network_.layers.size(); ++layer)
    output = compute(layer, map, output ? *output : input_, job);
  backend_->wait();
  return std::move(*output);
}

std::size_t RelationRun::lasting_bytes() const {
  const auto bytes = [&](std::int64_t rows, int channels) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(channels) *
           bytes_of(settings_.precision);
  };
  std::size_t sum = bytes(map_.nodes, network_.in_channels);
  for (const Layer& layer : network_.layers)
    sum += bytes((map_.relations() + 1) * std::int64_t{layer.in_channels}, layer.out_channels);
  return sum;
}

std::size_t RelationRun::run_bytes() const {
  const auto bytes = [&](int channels) {
    return static_cast<std::size_t>(map_.nodes) * static_cast<std::size_t>(channels) *
           bytes_of(settings_.precision);
  };
  const RelationRequest request{false, settings_.method};
  std::size_t most = 0;
  for (std::size_t at = 0; at < network_.layers.size(); ++at) {
    const Layer& layer = network_.layers[at];
    const std::size_t scratch = backend_->extensions().relations->scratch_bytes(
        map_, layer.in_channels, layer.out_channels, settings_.precision, request);
    most = std::max(most, (at == 0 ? 0 : bytes(layer.in_channels)) + bytes(layer.out_channels) + scratch);
  }
  return map_.bytes() + most;
}

Measurement RelationRun::measure(const SamplingProtocol& how, Job& job) const {
  Job quiet = job.with_recorder(nullptr);
  Job pass(job.stop_token());
  Measurement measurement;
  Plan& plan = measurement.plan;
  plan = default_plan(network_);
  plan.precision = settings_.precision;
  const Features input = backend_->download(input_);
  measurement.input = InputValues{input.rows, count_non_finite_rows(input), 0};
  const StageTree stages = measure_runs(
      *backend_, [this](Job& with) { static_cast<void>(run(with)); }, how, measurement, quiet);
  measurement.state_after = backend_->state(StateDetail::all);
  measurement.forecast_peak_bytes = run_bytes();
  measurement.indexing.clock = stages.clock;
  const RelationMap map = upload(*backend_, map_);
  std::optional<Features> output;
  for (std::size_t at = 0; at < network_.layers.size(); ++at) {
    const Layer& layer = network_.layers[at];
    plan.layers[at].set_threshold(0);
    plan.layers[at].method = settings_.method;
    LayerMeasurement row;
    row.name = layer.name;
    row.stages = stages_of_layer(stages, layer.name);
    row.inputs = row.outputs = map_.nodes;
    row.pairs = map_.nodes + map_.rows();
    row.useful_flops = 2 * row.pairs * layer.in_channels * layer.out_channels;
    row.map_bytes = map_.bytes();
    row.relation_weights = map_.relations() + 1;
    row.map_shared = at > 0;
    output = compute(at, map, output ? *output : input_, pass);
    row.non_finite = count_non_finite(backend_->download(*output));
    measurement.layers.push_back(std::move(row));
  }
  return measurement;
}

std::vector<OutputDifference> RelationRun::compare_with(Backend& reference, Job& job) const {
  Job pass(job.stop_token());
  Relations& truth = require_relations(reference);
  const RelationMap map = upload(*backend_, map_), true_map = upload(reference, map_);
  std::vector<OutputDifference> found;
  Features in = backend_->download(input_);
  for (std::size_t at = 0; at < network_.layers.size(); ++at) {
    const Layer& layer = network_.layers[at];
    job.checkpoint({"checking the outputs", std::ssize(found), std::ssize(network_.layers)});
    Features ours = backend_->download(compute(at, map, backend_->upload(in), pass));
    const UploadedWeights weights = reference.upload_weights(weights_[at], settings_.precision);
    const Features theirs =
        truth.convolve(true_map, reference.upload(in), weights, {layer.activation == Activation::relu}, pass);
    found.push_back(output_difference(ours, reference.download(theirs)));
    found.back().ok = found.back().ok && found.back().non_finite == 0;
    in = std::move(ours);
  }
  return found;
}

}  // namespace spira

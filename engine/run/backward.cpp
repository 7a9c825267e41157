#include "engine/run/backward.hpp"

#include "engine/backend/compute_layer.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/run/joined_inputs.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/session.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace spira {
namespace {

/// Returns the reason why a layer has no gradient, or an empty string.
std::string why_no_gradient(const Layer& layer) {
  if (!layer.convolution()) return "the operation " + std::string(text_of(layer.op)) + " has no gradient yet";
  if (layer.has_scale())
    return "the batch norm of the layer is not folded into the weights; such a batch norm has no gradient "
           "yet";
  if (layer.activation != Activation::none && layer.activation != Activation::relu)
    return "the activation " + std::string(text_of(layer.activation)) + " has no gradient yet; use relu";
  const auto steps = layer.steps();
  if (steps.size() == 2 && steps.front() == LayerStep::activation)
    return "the ReLU of the layer comes before the residual; gradients of this order are not supported yet";
  return {};
}

/// Computes the gradient with respect to the inputs of a layer.
Features dgrad(Backend& backend, const Layer& layer, const LayerLevels& levels, FeatureMethod method,
               const KernelMap& map, const Features& gradient, const UploadedWeights& weights, Job& job) {
  ConvRequest request;
  request.transposed = dgrad_form(layer, levels).transposed;
  request.one_pair_per_row = request.transposed && at_most_one_pair(layer);
  request.method = method;
  job.layout(layout_text(map));
  return backend.convolve(map, gradient, weights, request, job);
}

class BackwardPass {
 public:
  BackwardPass(Backend& backend, BackwardRequest request, Job& job)
      : backend_(backend),
        gradients_(*backend.extensions().gradients),
        request_(std::move(request)),
        network_(*request_.network),
        job_(job),
        parts_(network_.layers.size()) {
    result_.layers.resize(network_.layers.size());
  }

  BackwardResult run() {
    for (std::size_t at = 0; at < request_.first.size(); ++at) {
      if (request_.first[at]) parts_[at].push_back({request_.first[at]});
    }
    for (std::size_t at = network_.layers.size(); at-- > 0;) {
      job_.checkpoint({"gradients", std::ssize(network_.layers) - static_cast<std::int64_t>(at) - 1,
                       std::ssize(network_.layers)});
      if (!parts_[at].empty()) layer(at);
      joined_.release_before(at > 0 ? &network_.layers[at - 1] : nullptr);
      // The readers of this output come later in the network, so their gradients are complete.
      request_.outputs[at].reset();
    }
    return std::move(result_);
  }

 private:
  using Shared = std::shared_ptr<const Features>;
  /// A gradient with respect to the output of a layer. It is a slice of `of`, which may contain the gradients
  /// with respect to several joined inputs.
  struct Part {
    Shared of;
    int first_channel = 0;
  };

  void layer(std::size_t at) {
    const Layer& here = network_.layers[at];
    LayerGradients& result = result_.layers[at];
    const Shared gradient = sum_of_parts(at);
    add_part(here.residual, {gradient});
    if (needs_dgrad(network_, here)) {
      const auto stage = job_.stage(StageKey("dgrad", here.name).text());
      result.dgrad = dataflow_text(here, request_.backward[at].dgrad);
      compute_dgrad(at, *gradient);
    }
    const auto stage = job_.stage(StageKey("wgrad", here.name).text());
    result.wgrad = dataflow_text(here, request_.backward[at].wgrad);
    result.weights = compute_wgrad(at, *gradient);
    if (request_.keep_gradients) result.sum = gradient;
  }

  /// Returns the gradient with respect to the sums of a layer: the sum of the gradients with respect to its
  /// output, 0 where the ReLU is 0. Frees the gradients with respect to the output.
  Shared sum_of_parts(std::size_t at) {
    std::vector<Part> parts;
    parts.swap(parts_[at]);
    const Layer& here = network_.layers[at];
    const bool gate = here.activation == Activation::relu;
    if (!gate && parts.size() == 1 && parts.front().of->channels == here.out_channels)
      return parts.front().of;
    const auto stage = job_.stage(StageKey("dgrad", here.name).text());
    std::vector<ChannelSlice> all;
    for (const Part& part : parts)
      all.push_back({part.of.get(), part.first_channel, here.out_channels});
    return std::make_shared<const Features>(
        gradients_.accumulate(all, gate ? request_.outputs[at].get() : nullptr, job_));
  }

  /// Adds a gradient with respect to the output of the layer `name`. The input of the network needs no
  /// gradient.
  void add_part(const std::string& name, Part part) {
    if (const int index = network_.index_of(name); index >= 0)
      parts_[static_cast<std::size_t>(index)].push_back(std::move(part));
  }

  void compute_dgrad(std::size_t at, const Features& gradient) {
    const Layer& here = network_.layers[at];
    Part part{std::make_shared<const Features>(
        dgrad(backend_, here, request_.levels->layers[at], request_.backward[at].dgrad.method,
              *request_.dgrad_maps[at], gradient, request_.dgrad_weights[at], job_))};
    for (const std::string& input : here.inputs) {
      add_part(input, part);
      part.first_channel += input_of(input).channels;
    }
  }

  MasterWeights compute_wgrad(std::size_t at, const Features& gradient) {
    const Layer& here = network_.layers[at];
    job_.layout(layout_text(*request_.wgrad_maps[at]));
    const WgradRequest request{here.transposed, 1.0F / static_cast<float>(request_.loss_scale)};
    std::vector<const Features*> inputs;
    for (const std::string& input : here.inputs)
      inputs.push_back(&input_of(input));
    return gradients_.wgrad(*request_.wgrad_maps[at], joined_.of(backend_, here, inputs, job_), gradient,
                            request, job_);
  }

  [[nodiscard]] const Features& input_of(const std::string& name) const {
    const int index = network_.index_of(name);
    return index < 0 ? *request_.input : *request_.outputs[static_cast<std::size_t>(index)];
  }

  Backend& backend_;
  Gradients& gradients_;
  BackwardRequest request_;
  const Network& network_;
  Job& job_;
  // The gradients with respect to the output of each layer, one per reader.
  std::vector<std::vector<Part>> parts_;
  JoinedInputs joined_;
  BackwardResult result_;
};

/// Moves the stages of a layer into its row, and all other stages into the tree of the steps.
void share_stages(const StageTree& all, Measurement& measurement) {
  TrainingMeasurement& training = *measurement.training;
  training.stages.clock = all.clock;
  std::vector<std::pair<StageTree*, int>> moved(all.nodes.size());
  for (std::size_t at = 0; at < all.nodes.size(); ++at) {
    StageNode node = all.nodes[at];
    StageTree* to = &training.stages;
    if (node.parent >= 0) {
      std::tie(to, node.parent) = moved[static_cast<std::size_t>(node.parent)];
    } else if (const StageKey key = all.key(static_cast<int>(at));
               key.phase == "dgrad" || key.phase == "wgrad") {
      for (LayerMeasurement& layer : measurement.layers) {
        if (layer.name == key.subject)
          to = key.phase == "dgrad" ? &layer.backward->dgrad.stages : &layer.backward->wgrad.stages;
      }
      to->clock = all.clock;
    }
    moved[at] = {to, static_cast<int>(to->nodes.size())};
    to->nodes.push_back(std::move(node));
  }
}

}  // namespace

std::string why_not_training(const Network& network) {
  if (!network.skipped.empty()) {
    const SkippedLayer& first = network.skipped.front();
    return first.layer.name + " does not run (" + first.why + "), so the network has no gradients";
  }
  for (const Layer& layer : network.layers) {
    if (const std::string why = why_no_gradient(layer); !why.empty()) return layer.name + ": " + why;
  }
  return {};
}

void require_trainable(const Network& network) {
  if (const std::string why = why_not_training(network); !why.empty())
    throw Error(ErrorKind::usage, "training: " + why);
}

void require_training(Backend& backend, const Network& network) {
  if (backend.extensions().gradients == nullptr)
    throw Error(ErrorKind::device, "the " + std::string(text_of(backend.facts().kind)) +
                                       " back end cannot train networks yet; use --backend cpu");
  require_trainable(network);
}

Features compute_pass(Backend& backend, const Layer& layer, const LayerLevels& levels, LayerPass pass,
                      const LayerSetting& setting, const KernelMap& map, const PassInputs& inputs, Job& job) {
  if (pass == LayerPass::dgrad)
    return dgrad(backend, layer, levels, setting.method, map, inputs.gradient, inputs.dgrad_weights, job);
  SPIRA_ASSERT(pass == LayerPass::wgrad, "only dgrad and wgrad can be computed here, not the forward pass");
  MasterWeights weights =
      backend.extensions().gradients->wgrad(map, *inputs.in, inputs.gradient, {layer.transposed, 1.0F}, job);
  return {std::int64_t{weights.columns} * weights.in_channels, weights.out_channels, Precision::fp32,
          std::move(weights.weight)};
}

BackwardResult run_backward(Backend& backend, BackwardRequest request, Job& job) {
  return BackwardPass(backend, std::move(request), job).run();
}

bool overflows(Backend& backend, const BackwardResult& result) {
  const auto finite = [&](const Buffer& buffer) {
    const Buffer copy = backend.results_are_host_memory() ? Buffer() : backend.to_host(buffer);
    const auto values = (backend.results_are_host_memory() ? buffer : copy).host_span<float>();
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  };
  return !std::all_of(result.layers.begin(), result.layers.end(), [&](const LayerGradients& layer) {
    return finite(layer.weights.weight) && finite(layer.weights.bias);
  });
}

std::string overflow_text(const Measurement& measurement) {
  if (!measurement.training || !measurement.training->overflow) return {};
  for (const LayerMeasurement& layer : measurement.layers) {
    if (layer.non_finite.value_or(0) > 0)
      return "overflow: the output of " + layer.name +
             " has NaN or infinite values, so its gradients have such values too";
  }
  const int scale = measurement.training->loss_scale;
  if (scale == 1)
    return "overflow: a gradient is NaN or infinite without a loss scale; use a smaller gradient";
  return "overflow: loss scale " + std::to_string(scale) + " is too large";
}

std::string step_text(const Measurement& measurement) {
  const TrainingMeasurement& training = measurement.training.value();
  double forward = 0, dgrad = 0, wgrad = 0, maps = 0, repack = 0, voxels = 0;
  for (int node = 0; node < static_cast<int>(training.stages.nodes.size()); ++node) {
    if (training.stages.nodes[static_cast<std::size_t>(node)].parent >= 0) continue;
    const std::string phase = training.stages.key(node).phase;
    double& sum = phase == "features" ? forward : phase == "map" ? maps : phase == "repack" ? repack : voxels;
    sum += training.stages.median_ms(node);
  }
  for (const LayerMeasurement& layer : measurement.layers) {
    if (!layer.backward) continue;
    dgrad += layer.backward->dgrad.stages.sum_of_tops_ms();
    wgrad += layer.backward->wgrad.stages.sum_of_tops_ms();
  }
  const double all = forward + dgrad + wgrad + maps + repack + voxels;
  const auto share = [all](const char* name, double ms) {
    return std::string(name) + " " + percent_text(all > 0 ? ms / all : 0, 0);
  };
  const Statistics wall = training.wall.stats();
  return "step " + ms_text(wall.median) + " (median of " + counted_text(wall.n, "sample", "samples") +
         ", IQR " + ms_text(wall.iqr()) + "): " + share("forward", forward) + ", " + share("dgrad", dgrad) +
         ", " + share("wgrad", wgrad) + ", " + share("maps", maps) + ", " + share("repack", repack) + ", " +
         share("voxels", voxels) + "; loss scale " + std::to_string(training.loss_scale) +
         (training.overflow ? ", OVERFLOW" : ", no overflow");
}

MemoryForecast training_forecast(Session& session, const Plan& plan) {
  MemoryForecast memory = session.forecast(plan);
  memory.features =
      forecast_training(session.backend(), *session.scene(), session.network(), plan, memory.indexing) -
      memory.indexing;
  return memory;
}

void measure_training(Session& session, const TrainingRequest& request, const SamplingProtocol& how,
                      Measurement& measurement, Job& job) {
  Job quiet = job.with_recorder(nullptr);
  Job pass(job.stop_token());
  Backend& backend = session.backend();
  const Plan& plan = measurement.plan;
  require_training(backend, session.network());
  require_memory(training_forecast(session, plan), backend.facts());
  session.prepare_training(request);
  TrainingMeasurement training;
  training.loss_scale = request.loss_scale;
  {
    // All steps compute the same bits, so it is enough to check one step.
    const BackwardResult first = session.execute_training_step(plan, pass);
    training.overflow = overflows(backend, first);
    for (std::size_t at = 0; at < measurement.layers.size(); ++at)
      measurement.layers[at].backward =
          LayerMeasurement::Backward{{first.layers[at].dgrad, {}}, {first.layers[at].wgrad, {}}};
  }
  backend.memory().reset_peak();
  const std::size_t before = backend.memory().used_bytes();
  Recorder recorder(backend.stages(), &backend.memory());
  Job timed(job.stop_token(), &recorder);
  const auto step = [&](Job& with) { static_cast<void>(session.execute_training_step(plan, with)); };
  const auto with_marks = [&](const std::vector<Samples>&) {
    step(timed);
    recorder.next_repetition();
  };
  training.wall =
      sample_interleaved({{"timing the training step", [&] { step(pass); }}}, how, quiet, with_marks).front();
  training.peak_bytes = backend.memory().peak_bytes() - before;
  measurement.training = std::move(training);
  share_stages(recorder.take(), measurement);
}

}  // namespace spira

#include "engine/backend/compute_layer.hpp"

#include "engine/backend/dataflow.hpp"

#include <utility>

namespace spira {
namespace {

/// Returns the number of steps that convolve() computes itself: an addition, a ReLU, or both in this order.
std::size_t steps_of_convolution(const Layer& layer, const std::vector<LayerStep>& steps) {
  std::size_t done = 0;
  if (done < steps.size() && steps[done] == LayerStep::add) ++done;
  if (done < steps.size() && steps[done] == LayerStep::activation && layer.activation == Activation::relu)
    ++done;
  return done;
}

}  // namespace

void require_sound(const RowRequest& request) {
  SPIRA_ASSERT(!request.inputs.empty() && request.op != LayerOp::convolution && request.op != LayerOp::pool,
               "not an operation on rows");
  const Features& first = *request.inputs.front();
  int channels = 0;
  for (const Features* input : request.inputs) {
    SPIRA_ASSERT(input->rows == first.rows && input->precision == first.precision,
                 "the inputs of an operation must have the same number of rows and the same precision");
    channels += input->channels;
  }
  const bool joins = request.op == LayerOp::concat;
  const bool sums = request.op == LayerOp::add || request.op == LayerOp::multiply;
  SPIRA_ASSERT(joins || sums || request.inputs.size() == 1, "the operation must have exactly one input");
  if (request.op == LayerOp::group_sum) {
    SPIRA_ASSERT(request.out_channels > 0 && channels % request.out_channels == 0,
                 "the input channels cannot be divided equally among the output channels");
  } else {
    for (const Features* input : request.inputs)
      SPIRA_ASSERT(!sums || input->channels == request.out_channels,
                   "an input and the result have different numbers of channels");
    SPIRA_ASSERT(sums || channels == request.out_channels,
                 "the result must have as many channels as all inputs together");
  }
  for (const RowStep& step : request.steps) {
    if (step.step == LayerStep::norm)
      SPIRA_ASSERT(step.scale != nullptr && step.scale->out_channels == request.out_channels &&
                       step.scale->scale.bytes() != 0,
                   "the scale must have one value for each output channel");
    if (step.step == LayerStep::add)
      SPIRA_ASSERT(step.residual != nullptr && step.residual->rows == first.rows &&
                       step.residual->channels == request.out_channels &&
                       step.residual->precision == first.precision,
                   "the residual and the result have different shapes");
  }
}

void require_sound(const KernelMap& map, const Features& in) {
  SPIRA_ASSERT(in.rows == map.inputs,
               "the number of feature rows differs from the number of inputs of the map");
  for (const KernelMap::Part& part : map.parts)
    SPIRA_ASSERT(part.layout != MapLayout::pair_lists && part.layout != MapLayout::mask_sorted,
                 "a pool needs a dense map with unsorted outputs");
}

void require_sound(const SetSumRequest& request) {
  SPIRA_ASSERT(
      !request.inputs.empty() && request.inputs.size() == request.levels.size() && request.out != nullptr,
      "each input of a sum needs its level");
  for (std::size_t at = 0; at < request.inputs.size(); ++at) {
    const Features &input = *request.inputs[at], &first = *request.inputs.front();
    SPIRA_ASSERT(input.channels == first.channels && input.precision == first.precision &&
                     request.levels[at]->pack == request.out->pack &&
                     request.levels[at]->size.value() == input.rows,
                 "the inputs of a sum do not match their levels");
  }
}

SetSumRequest set_sum_request(const Layer& layer, const LayerInputs& in) {
  return {in.levels, in.parts, in.out, layer.op == LayerOp::drop_axis};
}

void require_sound(const PointRequest& request) {
  SPIRA_ASSERT(request.level != nullptr && request.points != nullptr && request.in != nullptr,
               "points and voxels need their level and their input");
  SPIRA_ASSERT(request.in->rows ==
                   (request.mode == PointMode::mean ? request.points->size() : request.level->size.value()),
               "the number of input rows differs from the number of points or voxels");
}

PointRequest point_request(const Layer& layer, const LayerInputs& in) {
  const bool mean = layer.op == LayerOp::to_voxels;
  return {mean ? PointMode::mean : layer.mode, mean ? in.out : in.levels.at(0), in.points, in.shift,
          in.parts.at(0)};
}

bool at_most_one_pair(const Layer& layer) noexcept {
  if (layer.neighbourhood.native()) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (layer.kernel_size[axis] > layer.stride[axis]) return false;
  }
  return true;
}

ConvRequest conv_request(const Layer& layer, const Features* residual) {
  const auto steps = layer.steps();
  const std::size_t done = steps_of_convolution(layer, steps);
  ConvRequest request;
  request.transposed = layer.transposed;
  request.one_pair_per_row = layer.transposed && at_most_one_pair(layer);
  for (std::size_t at = 0; at < done; ++at) {
    if (steps[at] == LayerStep::add) request.residual = residual;
    if (steps[at] == LayerStep::activation) request.relu = true;
  }
  return request;
}

std::vector<RowStep> remaining_steps(const Layer& layer, const UploadedWeights& weights,
                                     const Features* residual) {
  const auto steps = layer.steps();
  std::vector<RowStep> rest;
  for (std::size_t at = layer.convolution() ? steps_of_convolution(layer, steps) : 0; at < steps.size(); ++at)
    rest.push_back({steps[at], steps[at] == LayerStep::norm ? &weights : nullptr,
                    steps[at] == LayerStep::add ? residual : nullptr,
                    steps[at] == LayerStep::activation ? layer.activation : Activation::none, layer.slope});
  return rest;
}

LayerOp row_operation(const Layer& layer) noexcept {
  const bool copies =
      layer.op == LayerOp::affine || layer.op == LayerOp::activation || layer.op == LayerOp::dense;
  return copies ? LayerOp::concat : layer.op;
}

RowRequest row_request(const Layer& layer, const LayerInputs& in, const UploadedWeights& weights) {
  return {row_operation(layer), in.parts, layer.out_channels, remaining_steps(layer, weights, in.residual),
          layer.norm_epsilon};
}

Features compute_layer(Backend& backend, const Layer& layer, const LayerInputs& in, const KernelMap* map,
                       FeatureMethod method, const UploadedWeights& weights, Job& job) {
  if (!layer.has_map() && !layer.changes_set())
    return backend.compute_rows(row_request(layer, in, weights), job);
  SPIRA_ASSERT(map != nullptr || layer.changes_set(), "a convolution or a pool needs a kernel map");
  auto steps = remaining_steps(layer, weights, in.residual);
  const auto finish = [&](Features result) {
    if (steps.empty()) return result;
    return backend.compute_rows({LayerOp::concat, {&result}, layer.out_channels, std::move(steps)}, job);
  };
  if (layer.moves_points()) return finish(backend.compute_rows(point_request(layer, in), job));
  if (layer.changes_set()) return finish(backend.add_sets(set_sum_request(layer, in), job));
  Features joined;
  if (in.parts.size() > 1) joined = backend.compute_rows({LayerOp::concat, in.parts, layer.in_channels}, job);
  const Features& input = in.parts.size() > 1 ? joined : *in.parts.front();
  if (!layer.convolution()) return finish(backend.pool(*map, input, layer.reduction, job));
  job.layout(layout_text(*map));
  ConvRequest request = conv_request(layer, in.residual);
  request.method = method;
  return finish(backend.convolve(*map, input, weights, request, job));
}

}  // namespace spira

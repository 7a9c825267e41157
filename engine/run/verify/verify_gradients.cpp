#include "engine/backend/dataflow.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/verify/verify_row.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spira {
namespace {

/// Returns features with the values value(row, channel).
template <class Value>
Features made_features(std::int64_t rows, int channels, Precision precision, const Value& value) {
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(channels);
  Features made{rows, channels, precision, Buffer(make_host_pool(), count * bytes_of(precision))};
  std::size_t at = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int channel = 0; channel < channels; ++channel, ++at) {
      if (precision == Precision::fp32) {
        made.data.host_span<float>()[at] = value(row, channel);
      } else {
        made.data.host_span<Fp16>()[at] = float_to_fp16(value(row, channel));
      }
    }
  }
  return made;
}

/// Returns the gradients of the weights as one matrix, so that compare() can read them. The last row contains
/// the gradient of the bias.
Features as_features(const MasterWeights& gradient) {
  const auto weight = gradient.weight.host_span<float>(), bias = gradient.bias.host_span<float>();
  const std::int64_t rows = std::int64_t{gradient.columns} * gradient.in_channels;
  return made_features(rows + 1, gradient.out_channels, Precision::fp32, [&](std::int64_t row, int channel) {
    return row == rows ? bias[static_cast<std::size_t>(channel)]
                       : weight[static_cast<std::size_t>((row * gradient.out_channels) + channel)];
  });
}

Features magnitudes(const Features& features) {
  return made_features(
      features.rows, features.channels, features.precision,
      [&](std::int64_t row, int channel) { return std::abs(feature_at(features, row, channel)); });
}

class GradientVerifier {
 public:
  GradientVerifier(Backend& subject, Backend& reference, const GradientCheck& check, VerifyResult& result,
                   Job& job)
      : subject_(subject),
        reference_(reference),
        check_(check),
        result_(result),
        job_(job),
        precision_(check.in.precision),
        gradient_(random_gradient()) {}

  void run() {
    prepare();
    // The map of a transposed layer is that of a strided layer, so its gradients can have more dataflows than
    // its forward pass.
    Layer reader = check_.layer;
    reader.transposed = false;
    for (const std::string& name : dataflows_of(reader)) {
      if (!check_.dataflows.empty() &&
          std::find(check_.dataflows.begin(), check_.dataflows.end(), name) == check_.dataflows.end())
        continue;
      job_.checkpoint({"verifying gradients", 0, 0});
      const LayerPlan plan = with_dataflow(reader, default_layer_plan(), name);
      if (rounds_products(plan.method)) continue;
      const auto can_run = [&](LayerPass pass) {
        return why_not_pass(check_.layer, check_.levels, pass, plan.dataflow()).empty();
      };
      if (can_run(LayerPass::wgrad)) verify_wgrad(plan, name);
      if (can_run(LayerPass::dgrad)) verify_dgrad(plan, name);
    }
  }

 private:
  [[nodiscard]] LayerPlan default_layer_plan() const {
    LayerPlan plan;
    plan.threshold = feasible_thresholds(check_.layer).back();
    return plan;
  }
  [[nodiscard]] Features random_gradient() const {
    Random random(hash64(std::as_bytes(std::span(check_.layer.name))));
    const std::int64_t rows = check_.levels.transposed ? check_.true_map.inputs : check_.true_map.outputs;
    return made_features(rows, check_.layer.out_channels, precision_,
                         [&](std::int64_t, int) { return static_cast<float>(random.normal()); });
  }

  /// Computes the gradients of the reference and the scales of their errors.
  void prepare() {
    const LayerWeights weights = in_form(check_.weights, WeightForm::transposed);
    const auto uploaded = reference_.upload_weights(weights, precision_);
    ConvRequest request;
    request.transposed = !check_.levels.transposed;
    by_inputs_ = reference_.convolve(check_.true_map, gradient_, uploaded, request, job_);
    by_inputs_scale_ = error_scale(check_.true_map, gradient_, uploaded, request, job_);
    const WgradRequest wgrad{check_.levels.transposed};
    Gradients& gradients = *reference_.extensions().gradients;
    by_weights_ = as_features(gradients.wgrad(check_.true_map, check_.in, gradient_, wgrad, job_));
    const Features scale = as_features(
        gradients.wgrad(check_.true_map, magnitudes(check_.in), magnitudes(gradient_), wgrad, job_));
    for (const float value : scale.data.host_span<float>())
      by_weights_scale_.magnitude.push_back(static_cast<double>(value));
    for (const std::int64_t pairs : triplets_per_column(check_.true_map))
      by_weights_scale_.products.insert(by_weights_scale_.products.end(),
                                        static_cast<std::size_t>(check_.in.channels), pairs);
    by_weights_scale_.products.push_back(gradient_.rows);
  }

  [[nodiscard]] KernelMap map_of(const LayerPlan& plan) {
    const MapKey& key = check_.levels.map;
    return subject_.build_map(
        check_.scene.level(key.stride_in), check_.scene.level(key.stride_out),
        with_positions(request_for(map_use(check_.levels, plan), check_.offsets), check_.scene, key), job_);
  }

  void verify_wgrad(const LayerPlan& plan, const std::string& name) {
    const KernelMap map = map_of(plan);
    const MasterWeights found =
        subject_.extensions().gradients->wgrad(map, check_.in, gradient_, {check_.levels.transposed}, job_);
    add("wgrad, " + name, compare(as_features(found), by_weights_, by_weights_scale_));
  }

  void verify_dgrad(const LayerPlan& plan, const std::string& name) {
    const DgradForm form = dgrad_form(check_.layer, check_.levels);
    ConvRequest request;
    request.transposed = form.transposed;
    request.method = plan.method;
    const auto weights = subject_.upload_weights(in_form(check_.weights, form.form), precision_);
    const KernelMap map = map_of(plan);
    add("dgrad, " + name,
        compare(subject_.convolve(map, gradient_, weights, request, job_), by_inputs_, by_inputs_scale_));
  }

  void add(const std::string& setting, const WorstError& worst) {
    const std::string with(text_of(precision_));
    result_.rows.push_back(verify_row(shape_text(check_.layer), setting + ", " + with, with, true, worst));
  }

  Backend &subject_, &reference_;
  const GradientCheck& check_;
  VerifyResult& result_;
  Job& job_;
  Precision precision_;
  Features gradient_, by_inputs_, by_weights_;
  ErrorScale by_inputs_scale_, by_weights_scale_;
};

}  // namespace

void verify_gradients(Backend& subject, Backend& reference, const GradientCheck& check, VerifyResult& result,
                      Job& job) {
  GradientVerifier(subject, reference, check, result, job).run();
}

}  // namespace spira

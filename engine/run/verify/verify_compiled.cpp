#include "engine/run/verify/verify_compiled.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/session.hpp"
#include "engine/run/verify/verify_bound.hpp"
#include "engine/run/verify/verify_row.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace spira {
namespace {

/// Compares the input features of two back ends. They may sum the points of a voxel in a different order, so
/// a difference of one unit in the last place of the storage type is allowed.
WorstError compare_inputs(const Features& mine, const Features& truth) {
  WorstError worst;
  worst.special_values_agree = mine.rows == truth.rows && mine.channels == truth.channels;
  if (!worst.special_values_agree) return worst;
  const double unit = truth.precision == Precision::fp16 ? 0x1p-10 : 0x1p-23;
  for (std::int64_t row = 0; row < truth.rows; ++row) {
    for (int channel = 0; channel < truth.channels; ++channel) {
      const auto expected = static_cast<double>(feature_at(truth, row, channel));
      const auto found = static_cast<double>(feature_at(mine, row, channel));
      if (!std::isfinite(found) || !std::isfinite(expected)) {
        ++worst.non_finite;
        worst.special_values_agree &= (std::isnan(found) && std::isnan(expected)) || found == expected;
        continue;
      }
      const double error = std::abs(found - expected);
      worst.absolute = std::max(worst.absolute, error);
      worst.ratio = std::max(worst.ratio, error / ((std::abs(expected) * unit) + 0x1p-24));
      if (std::abs(expected) > 1e-3) worst.relative = std::max(worst.relative, error / std::abs(expected));
    }
  }
  return worst;
}

class RunCheck {
 public:
  RunCheck(Backend& reference, const CompiledCheck& check, const BuiltLevels& truth, NetworkRun& run,
           VerifyResult& result, Job& job)
      : reference_(reference),
        check_(check),
        truth_(truth),
        run_(run),
        result_(result),
        job_(job),
        setting_("as one graph, " + std::string(text_of(check.precision)) + ", " + check.pack.text()) {}

  void verify() {
    run_.set_points(*truth_.scene->cloud);
    // Run twice: the second run starts from the state that the first run left in the buffers.
    for (int time = 0; time < 2; ++time)
      run_.run();
    for (std::size_t at = 0; at < truth_.scene->levels.size(); ++at) {
      const CoordSet& expected = *truth_.scene->levels[at];
      const bool equal = all_voxels(run_.level(static_cast<int>(at))) == all_voxels(expected);
      add("level of stride " + std::to_string(expected.stride), equal, {});
    }
    input_ = run_.output(-1);
    add("input features", true, compare_inputs(input_, *truth_.device.features));
    std::set<ShapeKey> seen;
    for (std::size_t at = 0; at < check_.network.layers.size(); ++at) {
      outputs_.push_back(run_.output(static_cast<int>(at)));
      const bool first = seen.insert(shape_key(check_.network.layers[at], check_.levels.layers[at])).second;
      if (first || !check_.quick) verify_layer(at);
    }
  }

 private:
  void add(const std::string& layer, bool equal, const WorstError& worst) {
    result_.rows.push_back(verify_row(layer, setting_, setting_, equal, worst));
  }
  [[nodiscard]] const Features* output_of(const std::string& name) const {
    const int index = check_.network.index_of(name);
    return index < 0 ? &input_ : &outputs_[static_cast<std::size_t>(index)];
  }

  void verify_layer(std::size_t at) {
    const Layer& layer = check_.network.layers[at];
    const MapKey key = check_.levels.layers[at].map;
    job_.checkpoint(
        {"verifying the compiled network", static_cast<std::int64_t>(at), std::ssize(check_.network.layers)});
    std::vector<const Features*> parts;
    for (const auto& name : layer.inputs)
      parts.push_back(output_of(name));
    const Features in = reference_.concat(parts, job_);
    const ConvRequest request{layer.transposed, layer.relu,
                              layer.residual.empty() ? nullptr : output_of(layer.residual)};
    const auto wanted =
        request_for_threshold(std::make_shared<const KernelOffsets>(key.kernel_size, key.stride_in),
                              MapAlgorithm::z_delta, 0, key.submanifold(), MapLayout::output_major);
    const KernelMap map = reference_.build_map(truth_.scene->level(key.stride_in),
                                               truth_.scene->level(key.stride_out), wanted, job_);
    const auto weights = reference_.upload_weights(check_.weights.layers[at], check_.precision);
    add(shape_text(layer), true,
        compare(outputs_[at], reference_.convolve(map, in, weights, request, job_),
                error_scale(map, in, weights, request, job_)));
  }

  Backend& reference_;
  const CompiledCheck& check_;
  const BuiltLevels& truth_;
  NetworkRun& run_;
  VerifyResult& result_;
  Job& job_;
  std::string setting_;
  Features input_;
  std::vector<Features> outputs_;
};

}  // namespace

void verify_compiled(Backend& subject, Backend& reference, const CompiledCheck& check,
                     const BuiltLevels& truth, VerifyResult& result, Job& job) {
  std::vector<UploadedWeights> uploaded;
  for (const auto& layer : check.weights.layers)
    uploaded.push_back(subject.upload_weights(layer, check.precision));
  Plan plan = default_plan(check.network);
  plan.precision = check.precision;
  NetworkRunRequest request =
      run_request(*truth.scene, std::make_shared<const Network>(check.network), plan, job);
  request.weights = &uploaded;
  request.keep_outputs = true;
  const CompiledNetwork compiled = subject.compile(request, job);
  if (compiled.run) return RunCheck(reference, check, truth, *compiled.run, result, job).verify();
  const std::string note = "compiled network not verified: " + compiled.why_not;
  if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
    result.notes.push_back(note);
}

}  // namespace spira

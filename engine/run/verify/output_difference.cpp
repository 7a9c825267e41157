#include "engine/run/verify/output_difference.hpp"

#include "engine/backend/backend.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/run/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace spira {
namespace {

template <class Value, class Widen>
OutputDifference difference_of(const Features& output, const Features& reference, Widen widen) {
  const auto ours = output.data.host_span<Value>(), theirs = reference.data.host_span<Value>();
  const auto values = static_cast<std::size_t>(reference.rows * reference.channels);
  OutputDifference result;
  double largest = 0;
  for (std::size_t at = 0; at < values; ++at) {
    const double a = widen(ours[at]), b = widen(theirs[at]);
    if (std::isfinite(a) && std::isfinite(b)) {
      result.max_abs = std::max(result.max_abs, std::abs(a - b));
      largest = std::max(largest, std::abs(b));
      continue;
    }
    ++result.non_finite;
    result.ok = result.ok && ((std::isnan(a) && std::isnan(b)) || a == b);
  }
  result.max_rel = largest > 0 ? result.max_abs / largest : result.max_abs;
  result.ok = result.ok && result.max_rel <= output_tolerance(reference.precision);
  return result;
}

}  // namespace

double output_tolerance(Precision precision) noexcept {
  return precision == Precision::fp16 ? 1e-2 : 1e-4;
}

OutputDifference output_difference(const Features& output, const Features& reference) {
  SPIRA_ASSERT(output.rows == reference.rows && output.channels == reference.channels &&
                   output.precision == reference.precision,
               "outputs of different shapes");
  if (reference.precision == Precision::fp32)
    return difference_of<float>(output, reference, [](float value) { return static_cast<double>(value); });
  return difference_of<std::uint16_t>(
      output, reference, [](std::uint16_t value) { return static_cast<double>(fp16_to_float(value)); });
}

std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job) {
  Job quiet = job.with_recorder(nullptr);
  Backend& backend = session.backend();
  const int layers = static_cast<int>(session.network().layers.size());
  std::vector<OutputDifference> found;
  for (int layer = 0; layer < layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    job.checkpoint({"checking the output of " + session.network().layers[at].name, layer, layers});
    const auto& there = session.result(layer);
    if (!there || there->plan != plan.layers.at(at)) static_cast<void>(session.run_layer(layer, plan, quiet));
    const int highest = feasible_thresholds(session.network().layers[at]).back();
    const auto map = session.build_layer_map(layer, LayerPlan{highest}, quiet);
    const Features reference = session.execute_features(layer, *map, quiet);
    const Features& ours = *session.result(layer)->features;
    found.push_back(backend.results_are_host_memory() ? output_difference(ours, reference)
                                                      : output_difference(ours, backend.download(reference)));
    found.back().ok = found.back().ok && found.back().non_finite == 0;
  }
  return found;
}

}  // namespace spira

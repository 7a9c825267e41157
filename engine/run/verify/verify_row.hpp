// Declares functions that all checks of verify() share. They create result rows, and test whether two layers
// use the kernels in the same way.
#pragma once

#include "engine/base/text.hpp"
#include "engine/network/levels.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/run/verify/verify_bound.hpp"

#include <string>
#include <tuple>
#include <utility>

namespace spira {

[[nodiscard]] inline VerifyRow verify_row(const std::string& layer, const std::string& setting,
                                          std::string with, bool maps_equal, const WorstError& worst) {
  VerifyRow row;
  row.layer = layer;
  row.setting = setting;
  row.with = std::move(with);
  row.worst_ratio = worst.ratio;
  row.worst_abs = worst.absolute;
  row.worst_rel = worst.relative;
  row.maps_equal = maps_equal;
  row.passed = maps_equal && worst.ratio <= 1.0 && worst.special_values_agree && worst.non_finite == 0;
  if (row.passed) return row;
  if (!maps_equal) {
    row.fault = "differs from the reference";
  } else if (!worst.special_values_agree) {
    row.fault = "NaN or infinity at different positions";
  } else if (worst.ratio > 1.0) {
    row.fault = "error above its bound";
  } else {
    // Values that are NaN or infinite in both results do not prove that the result is correct.
    row.fault = counted_text(worst.non_finite, "value is", "values are") + " NaN or infinite";
  }
  return row;
}

[[nodiscard]] inline std::string shape_text(const Layer& layer) {
  const std::string k = std::to_string(layer.kernel_size);
  return layer.name + " " + k + "x" + k + "x" + k +
         (layer.transposed   ? " up"
          : layer.stride > 1 ? " down"
                             : "") +
         " " + std::to_string(layer.in_channels) + "->" + std::to_string(layer.out_channels);
}

/// Identifies how a layer uses the kernels. Of all layers with equal keys, only one is verified.
using ShapeKey = std::tuple<MapKey, bool, int, int, bool, bool>;
[[nodiscard]] inline ShapeKey shape_key(const Layer& layer, const LayerLevels& levels) {
  return {levels.map,         layer.transposed,       layer.in_channels,
          layer.out_channels, layer.residual.empty(), layer.relu};
}

}  // namespace spira

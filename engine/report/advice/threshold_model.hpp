// Predicts the time of a layer with a threshold t that was not measured, from the densities of the layer and
// the rates of a measured run.
#pragma once

#include "engine/map/densities.hpp"
#include "engine/network/network.hpp"
#include "engine/run/measurement.hpp"

#include <optional>
#include <string_view>

namespace spira {

/// Work of the features of a layer for one t (section 5.4).
struct ThresholdWork {
  std::int64_t dense_slots = 0;   ///< Outputs times output-stationary columns, including empty slots.
  std::int64_t dense_pairs = 0;   ///< Dense slots that have an input.
  std::int64_t sparse_pairs = 0;  ///< Pairs of weight-stationary columns.
};
[[nodiscard]] ThresholdWork work_of(const Densities& densities, int threshold);

/// The source of the rates of a model.
enum class RatesOf { this_layer, other_layers, work_alone };
/// Returns a text such as "from the rates of this layer in this run".
[[nodiscard]] std::string_view text_of(RatesOf rates) noexcept;

struct ModelledTime {
  double features_ms = 0;
  RatesOf rates = RatesOf::this_layer;
};
/// Predicts the time of the features of a layer with another threshold.
/// - Dense work is counted in pairs on a CPU, whose kernels skip empty slots, and in slots on a GPU.
/// - The rate of a dataflow comes from the layer itself if the layer ran this dataflow. Otherwise, it is the
///   rate in useful operations of all layers that ran only this dataflow.
/// - If no layer ran this dataflow, the same rate is assumed for both dataflows.
/// - Time that belongs to neither dataflow is assumed to stay the same.
///
/// Returns an empty optional if the layer was not measured or no rate is known.
[[nodiscard]] std::optional<ModelledTime> modelled_features(const Measurement& measurement,
                                                            const Network& network, int layer,
                                                            const Densities& densities, int threshold);

}  // namespace spira

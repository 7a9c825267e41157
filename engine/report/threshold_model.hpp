// What a layer would take with another t, before it is measured: work from densities, rates from the run.
#pragma once

#include "engine/map/densities.hpp"
#include "engine/network/network.hpp"
#include "engine/run/measurement.hpp"

#include <optional>
#include <string_view>

namespace spira {

/// Work of the features of a layer for one t (section 5.4).
struct ThresholdWork {
  std::int64_t dense_slots = 0;   ///< outputs times output-stationary columns, empty ones too
  std::int64_t dense_pairs = 0;   ///< those of them that have an input
  std::int64_t sparse_pairs = 0;  ///< of weight-stationary columns
};
[[nodiscard]] ThresholdWork work_of(const Densities& densities, int threshold);

/// Where the rates of a model are from.
enum class RatesOf { this_layer, other_layers, work_alone };
[[nodiscard]] std::string_view text_of(
    RatesOf rates) noexcept;  ///< "from the rates of this layer in this run"

struct ModelledTime {
  double features_ms = 0;
  RatesOf rates = RatesOf::this_layer;
};
/// Dense work is pairs on a CPU, whose kernels skip empty cells, and slots on a GPU. Rates are of the layer
/// itself where it ran that dataflow, else of all layers that did, by useful operations; where none did, a
/// piece of work is taken to cost the same in both. What is neither stays as it is. Empty: the layer was not
/// measured.
[[nodiscard]] std::optional<ModelledTime> modelled_features(const Measurement& measurement,
                                                            const Network& network, int layer,
                                                            const Densities& densities, int threshold);

}  // namespace spira

// Predicts the time of a layer for a threshold t that was not measured, from the densities of the layer and
// the rates of a measured run.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/network/network.hpp"
#include "engine/run/measurement.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace spira {

struct SettingMatrix;

/// Work of the feature computation of a layer for one threshold t (section 5.4 of the paper).
struct ThresholdWork {
  /// Number of outputs times number of output-stationary columns. Includes slots without an input.
  std::int64_t dense_slots = 0;
  std::int64_t dense_pairs = 0;   ///< Number of dense slots with an input.
  std::int64_t sparse_pairs = 0;  ///< Number of pairs in the weight-stationary columns.
};
[[nodiscard]] ThresholdWork work_of(const Densities& densities, int threshold);

/// The source of the rates in a prediction.
enum class RatesOf { this_layer, other_layers, work_alone };
/// Returns the source as text, such as "from the time per operation of this layer in this run".
[[nodiscard]] std::string_view text_of(RatesOf rates) noexcept;

struct ModelledTime {
  double features_ms = 0;
  RatesOf rates = RatesOf::this_layer;
};
/// Predicts the time of the feature computation of a layer for another threshold.
/// - Dense work is counted in pairs on a CPU, whose kernels skip slots without an input, and in slots on a
///   GPU.
/// - If the layer ran a dataflow, the rate of this dataflow comes from the layer. Otherwise, it comes from
///   all layers that ran only this dataflow, in useful operations.
/// - If no layer ran a dataflow, both dataflows are assumed to have the same rate.
/// - Time that belongs to neither dataflow is assumed to be constant.
///
/// Returns an empty value if the layer was not measured or no rate is known.
[[nodiscard]] std::optional<ModelledTime> modelled_features(const Measurement& measurement,
                                                            const Network& network, int layer,
                                                            const Densities& densities, int threshold);

/// Predictions are not shown in a matrix if their median error on its measured cells is larger than this
/// limit.
inline constexpr double model_error_limit = 0.25;
/// Predictions are not shown in a matrix if fewer of its measured cells can be predicted.
inline constexpr int fewest_cells_for_model = 4;

/// Predicts the times of all cells of a matrix and compares them with the measured cells: see
/// SettingMatrix::models. If the predictions are accurate enough, changes the cells without samples to
/// CellState::modelled. `run` must have been measured on the device and scene of the matrix. `densities` has
/// one entry for each layer; entries may be `nullptr`.
void add_modelled_cells(SettingMatrix& matrix, const Measurement& run, const Network& network,
                        const std::vector<const Densities*>& densities);

}  // namespace spira

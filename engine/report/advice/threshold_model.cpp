#include "engine/report/advice/threshold_model.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/tune/matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace spira {
namespace {

struct Times {
  double dense_ms = 0, sparse_ms = 0, all_ms = 0;
};

/// Returns the feature times of a layer, separately for each dataflow.
Times times_of(const LayerMeasurement& layer) {
  Times times;
  for (int node = 0; node < static_cast<int>(layer.stages.nodes.size()); ++node) {
    const StageKey stage = layer.stages.key(node);
    if (stage.phase != "features") continue;
    const double ms = layer.stages.median_ms(node);
    if (layer.stages.nodes[static_cast<std::size_t>(node)].parent < 0) times.all_ms += ms;
    if (stage.group() == StageGroup::output_stationary) times.dense_ms += ms;
    if (stage.group() == StageGroup::weight_stationary) times.sparse_ms += ms;
  }
  return times;
}

double operations(const Layer& layer, std::int64_t pairs) {
  return 2.0 * static_cast<double>(pairs) * layer.in_channels * layer.out_channels;
}

/// Returns the milliseconds per operation of all layers that ran only this dataflow, or 0 if no layer did.
double rate_of_others(const Measurement& measurement, bool dense) {
  double ms = 0, flops = 0;
  for (const LayerMeasurement& layer : measurement.layers) {
    const Times times = times_of(layer);
    const double mine = dense ? times.dense_ms : times.sparse_ms,
                 other = dense ? times.sparse_ms : times.dense_ms;
    if (mine <= 0 || other > 0) continue;
    ms += mine;
    flops += static_cast<double>(layer.useful_flops);
  }
  return flops > 0 ? ms / flops : 0;
}

}  // namespace

ThresholdWork work_of(const Densities& densities, int threshold) {
  ThresholdWork work;
  for (const ColumnDensity& column : densities.columns) {
    if (column.l1 >= threshold) {
      work.sparse_pairs += column.matches;
    } else {
      work.dense_slots += densities.outputs;
      work.dense_pairs += column.matches;
    }
  }
  return work;
}

std::optional<ModelledTime> modelled_features(const Measurement& measurement, const Network& network,
                                              int layer, const Densities& densities, int threshold) {
  const auto at = static_cast<std::size_t>(layer);
  if (at >= measurement.layers.size() || densities.outputs == 0) return std::nullopt;
  // The rates of another dataflow do not apply to a threshold.
  if (!divides_at_threshold(network.layers.at(at), measurement.plan.layers.at(at))) return std::nullopt;
  const Times times = times_of(measurement.layers[at]);
  const bool gpu = measurement.device.kind == BackendKind::cuda;
  const ThresholdWork now = work_of(densities, measurement.plan.layers.at(at).threshold);
  const ThresholdWork wanted = work_of(densities, threshold);
  RatesOf rates = RatesOf::this_layer;
  const auto part = [&](bool dense) -> std::optional<double> {
    const std::int64_t before = !dense ? now.sparse_pairs : gpu ? now.dense_slots : now.dense_pairs;
    const std::int64_t after = !dense ? wanted.sparse_pairs : gpu ? wanted.dense_slots : wanted.dense_pairs;
    const double measured = dense ? times.dense_ms : times.sparse_ms;
    if (after == 0) return 0.0;
    if (before > 0 && measured > 0)
      return measured * static_cast<double>(after) / static_cast<double>(before);
    if (const double rate = rate_of_others(measurement, dense); rate > 0) {
      rates = std::max(rates, RatesOf::other_layers);
      return rate * operations(network.layers.at(at), dense ? wanted.dense_pairs : wanted.sparse_pairs);
    }
    const std::int64_t other = dense ? now.sparse_pairs : gpu ? now.dense_slots : now.dense_pairs;
    const double other_ms = dense ? times.sparse_ms : times.dense_ms;
    if (other <= 0 || other_ms <= 0) return std::nullopt;
    rates = RatesOf::work_alone;
    return other_ms * static_cast<double>(after) / static_cast<double>(other);
  };
  const auto dense = part(true), sparse = part(false);
  if (!dense || !sparse || times.all_ms <= 0) return std::nullopt;
  const double rest = std::max(0.0, times.all_ms - times.dense_ms - times.sparse_ms);
  return ModelledTime{*dense + *sparse + rest, rates};
}

namespace {

constexpr std::array all_rates{RatesOf::this_layer, RatesOf::other_layers, RatesOf::work_alone};

/// Sets SettingMatrix::models and MatrixCell::model. They depend on the errors of the predictions for
/// measured cells.
void check_model(SettingMatrix& matrix, const std::array<std::vector<double>, all_rates.size()>& errors,
                 const std::array<int, all_rates.size()>& index) {
  for (std::size_t at = 0; at < all_rates.size(); ++at) {
    if (index.at(at) < 0) continue;
    ModelCheck& check = matrix.models[static_cast<std::size_t>(index.at(at))];
    const std::vector<double>& of_rates = errors.at(at);
    check.basis = text_of(all_rates.at(at));
    check.cells = static_cast<int>(of_rates.size());
    check.median_error = median_of(of_rates);
    check.largest_error = of_rates.empty() ? 0 : *std::max_element(of_rates.begin(), of_rates.end());
    check.shown = check.cells >= fewest_cells_for_model && check.median_error <= model_error_limit;
  }
}

void show_model(SettingMatrix& matrix, const Measurement& run) {
  for (std::size_t layer = 0; layer < matrix.rows.size(); ++layer) {
    MatrixRow& row = matrix.rows[layer];
    const double best_ms = row.best >= 0 ? row.cells[static_cast<std::size_t>(row.best)].features_ms
                           : layer < run.layers.size() ? times_of(run.layers[layer]).all_ms
                                                       : 0;
    for (MatrixCell& cell : row.cells) {
      if (cell.model < 0) continue;
      if (cell.state != CellState::not_measured ||
          !matrix.models[static_cast<std::size_t>(cell.model)].shown) {
        cell.modelled_ms = 0;
        continue;
      }
      cell.state = CellState::modelled;
      if (best_ms > 0) cell.modelled_relative = cell.modelled_ms / best_ms;
    }
  }
}

}  // namespace

void add_modelled_cells(SettingMatrix& matrix, const Measurement& run, const Network& network,
                        const std::vector<const Densities*>& densities) {
  std::array<std::vector<double>, all_rates.size()> errors;
  std::array<int, all_rates.size()> index{-1, -1, -1};
  for (std::size_t layer = 0; layer < matrix.rows.size(); ++layer) {
    if (layer >= densities.size() || densities[layer] == nullptr || layer >= run.layers.size()) continue;
    for (MatrixCell& cell : matrix.rows[layer].cells) {
      const int t = cell.setting.threshold;
      if (!cell.setting.dataflow().is_threshold()) continue;
      if (cell.state == CellState::infeasible || t == run.plan.layers.at(layer).threshold) continue;
      const auto predicted = modelled_features(run, network, static_cast<int>(layer), *densities[layer], t);
      if (!predicted) continue;
      const auto rates = static_cast<std::size_t>(predicted->rates);
      if (index.at(rates) < 0) {
        index.at(rates) = static_cast<int>(matrix.models.size());
        matrix.models.emplace_back();
      }
      cell.model = index.at(rates);
      cell.modelled_ms = predicted->features_ms;
      if (cell.state == CellState::measured && cell.features_ms > 0)
        errors.at(rates).push_back(std::abs((predicted->features_ms / cell.features_ms) - 1));
    }
  }
  check_model(matrix, errors, index);
  show_model(matrix, run);
}

std::string_view text_of(RatesOf rates) noexcept {
  switch (rates) {
    case RatesOf::other_layers:
      return "from the time per operation of other layers in this run";
    case RatesOf::work_alone:
      return "from the amount of work alone, because no layer of this run used the other dataflow";
    case RatesOf::this_layer:
      break;
  }
  return "from the time per operation of this layer in this run";
}

}  // namespace spira

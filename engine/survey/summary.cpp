#include "engine/survey/summary.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/survey/survey.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace spira {
namespace {

using Measure = std::function<std::optional<double>(const FrameRow&)>;

struct Judged {
  std::string name;
  Measure measure;
  bool on_logarithms = false;
  /// The minimum distance of an outlier from the nearer quartile. A value that is closer to the quartiles is
  /// not an outlier, even if all other frames have nearly equal values.
  double min_step = 0;
};

std::optional<double> voxels_of(const FrameRow& row) {
  if (!row.voxels) return std::nullopt;
  return static_cast<double>(*row.voxels);
}

std::vector<double> values_of(const std::vector<FrameRow>& rows, const Measure& measure) {
  std::vector<double> values;
  for (const FrameRow& row : rows) {
    if (const auto value = measure(row)) values.push_back(*value);
  }
  return values;
}

Spread spread_of(const std::vector<FrameRow>& rows, const Measure& measure) {
  return spread(values_of(rows, measure));
}

Measure cells_on(std::size_t axis) {
  return [axis](const FrameRow& row) -> std::optional<double> {
    if (!row.extent) return std::nullopt;
    return static_cast<double>(row.extent->span.at(axis));
  };
}

Measure density_at(int l1) {
  return [l1](const FrameRow& row) -> std::optional<double> {
    if (!row.densities) return std::nullopt;
    for (const L1Density& group : row.densities->groups) {
      if (group.l1 == l1) return group.mean;
    }
    return std::nullopt;
  };
}

std::optional<double> triplets_per_output(const FrameRow& row) {
  if (!row.neighbours) return std::nullopt;
  return row.neighbours->per_output();
}

void add_outliers(SurveySummary& summary, const std::vector<FrameRow>& rows, const Judged& judged) {
  const auto there = [&](double value) { return judged.on_logarithms ? std::log(value) : value; };
  const auto back = [&](double value) { return judged.on_logarithms ? std::exp(value) : value; };
  std::vector<double> values = values_of(rows, judged.measure);
  if (std::ssize(values) < fewest_frames_for_outliers) return;
  std::transform(values.begin(), values.end(), values.begin(), there);
  const Spread seen = spread(std::move(values));
  const double least = judged.on_logarithms ? std::log1p(min_reach) : min_reach * seen.median;
  const double reach = std::max({tukey_reach * (seen.q3 - seen.q1), least, judged.min_step});
  const double low = seen.q1 - reach, high = seen.q3 + reach;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto value = judged.measure(rows[at]);
    if (!value || (there(*value) >= low && there(*value) <= high)) continue;
    summary.outliers.push_back({at, judged.name, *value, back(low), back(high)});
  }
}

void find_outliers(SurveySummary& summary, const std::vector<FrameRow>& rows) {
  summary.outliers_judged = summary.voxels.n >= fewest_frames_for_outliers;
  if (!summary.outliers_judged) return;
  constexpr double one_cell = 1.0;
  add_outliers(summary, rows, {"voxels", voxels_of, true});
  for (std::size_t axis = 0; axis < 3; ++axis)
    add_outliers(summary, rows, {std::string("cells ") + "xyz"[axis], cells_on(axis), false, one_cell});
  for (const DensitySpread& group : summary.densities) {
    add_outliers(
        summary, rows,
        {"density L1 = " + std::to_string(group.l1), density_at(group.l1), false, min_density_reach});
  }
  add_outliers(summary, rows, {"triplets per output", triplets_per_output});
  std::stable_sort(summary.outliers.begin(), summary.outliers.end(),
                   [](const Outlier& a, const Outlier& b) { return a.frame < b.frame; });
}

std::vector<DensitySpread> density_spreads(const std::vector<FrameRow>& rows) {
  const auto first =
      std::find_if(rows.begin(), rows.end(), [](const FrameRow& row) { return row.densities.has_value(); });
  std::vector<DensitySpread> result;
  if (first == rows.end()) return result;
  for (const L1Density& group : first->densities->groups)
    result.push_back({group.l1, group.offsets, spread_of(rows, density_at(group.l1))});
  return result;
}

}  // namespace

std::string outlier_rule() {
  return "more than " + shortest(tukey_reach) +
         " IQR below the first or above the third quartile (Tukey's fences). Voxel counts are compared on a "
         "logarithmic scale. The distance from the quartile must also be more than " +
         percent_text(min_reach, 0) + " of the median, more than one cell for extents, and more than " +
         shortest(min_density_reach) + " for densities. Outliers are only reported for at least " +
         std::to_string(fewest_frames_for_outliers) + " frames.";
}

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.empty()) return {};
  const auto at = [&](double share) { return quantile(values, share); };
  return {std::ssize(values), values.front(), at(0.05), at(0.25), at(0.5), at(0.75), at(0.95), values.back()};
}

SurveySummary summarise(const std::vector<FrameRow>& rows, const std::vector<PackSpec>& packings) {
  SurveySummary summary;
  summary.points = spread_of(rows, [](const FrameRow& row) -> std::optional<double> {
    if (!row.points) return std::nullopt;
    return static_cast<double>(*row.points);
  });
  summary.voxels = spread_of(rows, voxels_of);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    summary.cells.at(axis) = spread_of(rows, cells_on(axis));
    summary.bits.at(axis) = spread_of(rows, [axis](const FrameRow& row) -> std::optional<double> {
      if (!row.extent) return std::nullopt;
      return row.extent->bits.at(axis);
    });
  }
  summary.bits_sum = spread_of(rows, [](const FrameRow& row) -> std::optional<double> {
    if (!row.extent) return std::nullopt;
    return row.extent->bits_sum();
  });
  summary.densities = density_spreads(rows);
  summary.triplets_per_output = spread_of(rows, triplets_per_output);
  summary.fan_in = spread_of(rows, [](const FrameRow& row) -> std::optional<double> {
    if (!row.neighbours) return std::nullopt;
    return row.neighbours->facts.counts.fan_in();
  });
  for (std::size_t at = 0; at < packings.size(); ++at) {
    PackingTally tally{packings[at]};
    for (const FrameRow& row : rows) {
      if (!row.fits.empty()) ++(row.fits.at(at) ? tally.fitting : tally.failing);
    }
    summary.packings.push_back(tally);
  }
  summary.faults =
      std::count_if(rows.begin(), rows.end(), [](const FrameRow& row) { return !row.surveyed(); });
  find_outliers(summary, rows);
  return summary;
}

}  // namespace spira

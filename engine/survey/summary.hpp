// Summarises the frames of a survey: distributions of the measures, the number of frames that fit each
// packing, and outliers.
#pragma once

#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spira {

struct FrameRow;

/// Distribution of one measure over the frames that have it. All zeros if no frame has it. Quantiles
/// interpolate linearly.
struct Spread {
  std::int64_t n = 0;
  double min = 0, p5 = 0, q1 = 0, median = 0, q3 = 0, p95 = 0, max = 0;
};

struct DensitySpread {
  int l1 = 0, offsets = 0;
  /// Distribution over the frames of the mean density of all offsets with this L1 norm.
  Spread mean;
};

struct PackingTally {
  PackSpec pack;
  /// Numbers of frames that fit and do not fit. A frame whose extent is unknown counts as failing if its
  /// fault is `does_not_fit`.
  std::int64_t fitting = 0, failing = 0;
  [[nodiscard]] bool always_fits() const noexcept { return failing == 0 && fitting > 0; }
};

/// A value of one frame outside Tukey's fences q1 - 1.5 IQR and q3 + 1.5 IQR. Fences for voxel counts are
/// computed on logarithms.
struct Outlier {
  std::size_t frame = 0;  ///< Index of the row.
  std::string measure;    ///< Examples: "voxels", "cells x", "density L1 = 2".
  /// `low` and `high` are the fences, in the unit of the value.
  double value = 0, low = 0, high = 0;
};

/// Minimum number of frames for the detection of outliers. A single frame has too much influence on the
/// quartiles of fewer frames: one of eight frames is an eighth of the data.
constexpr std::int64_t fewest_frames_for_outliers = 8;
/// Distance of a fence from its quartile, in units of the interquartile range.
constexpr double tukey_reach = 1.5;
/// Minimum distance of a fence from its quartile, as a share of the median. Frames of a sequence can be so
/// similar that any difference lies outside 1.5 IQR. The distance is also at least one cell for extents, and
/// at least `min_density_reach` for densities.
constexpr double min_reach = 0.05;
constexpr double min_density_reach = 0.001;

struct SurveySummary {
  Spread points, voxels, bits_sum;
  std::array<Spread, 3> cells{}, bits{};  ///< One distribution for each of the axes x, y and z.
  /// One entry per L1 norm, in ascending order. Empty if the request has no densities.
  std::vector<DensitySpread> densities;
  std::vector<PackingTally> packings;  ///< In the order of `Survey::packings`.
  std::int64_t faults = 0;             ///< Number of frames with a fault.
  /// False if fewer than `fewest_frames_for_outliers` frames have voxels.
  bool outliers_judged = false;
  std::vector<Outlier> outliers;  ///< In ascending order of the frames.
};

/// Returns one line that describes how outliers are found.
[[nodiscard]] std::string outlier_rule();
[[nodiscard]] Spread spread(std::vector<double> values);
/// Returns the summary of the rows. `FrameRow::fits` must have the order of `packings`.
[[nodiscard]] SurveySummary summarise(const std::vector<FrameRow>& rows,
                                      const std::vector<PackSpec>& packings);

}  // namespace spira

// Summarises the frames of a survey: the distribution of each measure, the number of frames that fit each
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

/// The distribution of one measure over the frames that have a value. All members are 0 if no frame has a
/// value. Quantiles are interpolated linearly.
struct Spread {
  std::int64_t n = 0;
  double min = 0, p5 = 0, q1 = 0, median = 0, q3 = 0, p95 = 0, max = 0;
};

struct DensitySpread {
  int l1 = 0, offsets = 0;
  /// The distribution over the frames. The value of a frame is the mean density of all offsets with this L1
  /// norm.
  Spread mean;
};

struct PackingTally {
  PackSpec pack;
  /// Number of frames that fit, and number of frames that do not fit. A frame with an unknown extent counts
  /// as failing if its fault is `does_not_fit`.
  std::int64_t fitting = 0, failing = 0;
  [[nodiscard]] bool always_fits() const noexcept { return failing == 0 && fitting > 0; }
};

/// A value that is below q1 - 1.5 IQR or above q3 + 1.5 IQR (Tukey's fences). For voxel counts, the fences
/// are computed from logarithms.
struct Outlier {
  std::size_t frame = 0;  ///< The row of the frame.
  std::string measure;    ///< For example "voxels", "cells x", "density L1 = 2" or
                          ///< "triplets per output".
  /// `low` and `high` are the fences, in the unit of `value`.
  double value = 0, low = 0, high = 0;
};

/// The minimum number of frames for finding outliers. With fewer frames, a single frame changes the quartiles
/// too much.
constexpr std::int64_t fewest_frames_for_outliers = 8;
/// The distance of a fence from its quartile, in units of the interquartile range.
constexpr double tukey_reach = 1.5;
/// The minimum distance of a fence from its quartile, as a share of the median. It is needed because the
/// frames of a sequence can be so similar that every small difference is outside 1.5 IQR. For extents, the
/// distance is also at least one cell, and for densities at least `min_density_reach`.
constexpr double min_reach = 0.05;
constexpr double min_density_reach = 0.001;

struct SurveySummary {
  Spread points, voxels, bits_sum;
  std::array<Spread, 3> cells{}, bits{};  ///< One distribution per axis (x, y, z).
  /// One entry per L1 norm, in ascending order. Empty if no densities were requested.
  std::vector<DensitySpread> densities;
  Spread triplets_per_output, fan_in;  ///< Empty if no neighbours were counted.
  std::vector<PackingTally> packings;  ///< In the order of `Survey::packings`.
  std::int64_t faults = 0;
  /// False if outliers were not searched for, because fewer than `fewest_frames_for_outliers` frames have
  /// voxels.
  bool outliers_judged = false;
  std::vector<Outlier> outliers;  ///< In the order of the frames.
};

/// Returns one line that describes the rule for outliers.
[[nodiscard]] std::string outlier_rule();
[[nodiscard]] Spread spread(std::vector<double> values);
/// Computes the summary of the rows. `FrameRow::fits` must be in the order of `packings`.
[[nodiscard]] SurveySummary summarise(const std::vector<FrameRow>& rows,
                                      const std::vector<PackSpec>& packings);

}  // namespace spira

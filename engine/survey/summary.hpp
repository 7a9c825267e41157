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

/// Distribution of one measure over the frames that have this measure. All values are 0 if no frame has it.
/// Quantiles are interpolated linearly.
struct Spread {
  std::int64_t n = 0;
  double min = 0, p5 = 0, q1 = 0, median = 0, q3 = 0, p95 = 0, max = 0;
};

struct DensitySpread {
  int l1 = 0, offsets = 0;
  /// Distribution over the frames. The value of a frame is the mean density of all offsets with this L1
  /// norm.
  Spread mean;
};

struct PackingTally {
  PackSpec pack;
  /// Number of frames that fit and number of frames that do not fit. A frame with an unknown extent counts
  /// as failing if its fault is `does_not_fit`.
  std::int64_t fitting = 0, failing = 0;
  [[nodiscard]] bool always_fits() const noexcept { return failing == 0 && fitting > 0; }
};

/// A value of one frame outside Tukey's fences (q1 - 1.5 IQR and q3 + 1.5 IQR). The fences of voxel counts
/// are computed on logarithms.
struct Outlier {
  std::size_t frame = 0;  ///< Index of the row of the frame.
  std::string measure;    ///< Such as "voxels", "cells x" or "density L1 = 2".
  /// `low` and `high` are the fences, in the unit of `value`.
  double value = 0, low = 0, high = 0;
};

/// Minimum number of frames for finding outliers. With fewer frames, a single frame influences the quartiles
/// too much: one of eight frames is an eighth of the data.
constexpr std::int64_t fewest_frames_for_outliers = 8;
/// Distance between a quartile and its fence, in units of the interquartile range.
constexpr double tukey_reach = 1.5;
/// Minimum distance between a quartile and its fence, as a share of the median. Frames of a sequence can be
/// so similar that any difference lies outside 1.5 IQR. The distance is also at least one cell for extents,
/// and at least `min_density_reach` for densities.
constexpr double min_reach = 0.05;
constexpr double min_density_reach = 0.001;

struct SurveySummary {
  Spread points, voxels, bits_sum;
  std::array<Spread, 3> cells{}, bits{};  ///< One distribution for each axis (x, y, z).
  /// One entry for each L1 norm, in ascending order. Empty if no densities were requested.
  std::vector<DensitySpread> densities;
  std::vector<PackingTally> packings;  ///< In the order of `Survey::packings`.
  std::int64_t faults = 0;
  /// False if fewer than `fewest_frames_for_outliers` frames have voxels.
  bool outliers_judged = false;
  std::vector<Outlier> outliers;  ///< In ascending order of frames.
};

/// Returns a line that describes the rule for outliers.
[[nodiscard]] std::string outlier_rule();
[[nodiscard]] Spread spread(std::vector<double> values);
/// Returns the summary of the rows. `FrameRow::fits` must be in the order of `packings`.
[[nodiscard]] SurveySummary summarise(const std::vector<FrameRow>& rows,
                                      const std::vector<PackSpec>& packings);

}  // namespace spira

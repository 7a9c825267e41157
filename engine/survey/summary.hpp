// What the frames of a survey say together: distributions, packings that always fit, frames that stand out.
#pragma once

#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spira {

struct FrameRow;

/// Of one measure over the frames that have it; zeros for none. Quantiles interpolate linearly.
struct Spread {
  std::int64_t n = 0;
  double min = 0, p5 = 0, q1 = 0, median = 0, q3 = 0, p95 = 0, max = 0;
};

struct DensitySpread {
  int l1 = 0, offsets = 0;
  Spread mean;  ///< over the frames, of the mean density of the norm's offsets
};

struct PackingTally {
  PackSpec pack;
  std::int64_t fitting = 0, failing = 0;  ///< frames; one without a known extent that did not fit fails
  [[nodiscard]] bool always_fits() const noexcept { return failing == 0 && fitting > 0; }
};

/// A value of a frame outside Tukey's fences: q1 - 1.5 IQR and q3 + 1.5 IQR, on logarithms for voxels.
struct Outlier {
  std::size_t frame = 0;                ///< row
  std::string measure;                  ///< "voxels", "cells x", "density L1 = 2"
  double value = 0, low = 0, high = 0;  ///< fences in the unit of the value
};

/// Quartiles of fewer frames say too little: a frame in eight would be an eighth of what it is judged by.
constexpr std::int64_t fewest_frames_for_outliers = 8;
constexpr double tukey_reach = 1.5;  ///< in interquartile ranges
/// Fences stand at least this share of the median away from the quartiles: frames of a sequence can be so
/// alike that any difference lies outside 1.5 IQR. One cell and least_density_reach are the least.
constexpr double least_reach = 0.05;
constexpr double least_density_reach = 0.001;

struct SurveySummary {
  Spread points, voxels, bits_sum;
  std::array<Spread, 3> cells{}, bits{};  ///< per axis
  std::vector<DensitySpread> densities;   ///< by ascending norm; empty where none were asked for
  std::vector<PackingTally> packings;     ///< by Survey::packings
  std::int64_t faults = 0;                ///< frames with a fault
  bool outliers_judged = false;           ///< false: fewer than fewest_frames_for_outliers have voxels
  std::vector<Outlier> outliers;          ///< by ascending frame
};

/// How outliers are found, in a line.
[[nodiscard]] std::string outlier_rule();
[[nodiscard]] Spread spread(std::vector<double> values);
/// `rows` with `fits` filled for `packings`.
[[nodiscard]] SurveySummary summarise(const std::vector<FrameRow>& rows,
                                      const std::vector<PackSpec>& packings);

}  // namespace spira

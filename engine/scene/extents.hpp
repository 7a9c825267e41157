// The extents of a scene without its outliers, and the origin that follows from them.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct Extents {
  Bounds box;               ///< Contains all points that are not outliers. Zeros if there are no points.
  std::int64_t points = 0;  ///< Points that are not outliers.
  std::int64_t outliers = 0;
  double distance_m = 0;  ///< From `box` to the nearest outlier, measured along one axis.
};

/// Returns the extents of the points inside `crop`, or of all points without one. Outliers are the points
/// behind a wide gap: they are more than four times as far from the median of the scene as any other point.
/// At most a third of the points are outliers, and scenes of fewer than 12 points have none. Points at
/// exactly (0, 0, 0), which sensors store for a missing return, do not count in the median and in these
/// limits. O(n).
[[nodiscard]] Extents extents_of(const PointCloud& cloud, const std::optional<Bounds>& crop);

/// "1 point is an outlier: ...", for the notes of a scene. Empty without outliers.
[[nodiscard]] std::string outlier_note(const Extents& extents);

/// The automatic origin shift for single-precision consumers (the 3D view, feature values): the centre of the
/// extents in whole metres if a coordinate is 10,000 m or more, otherwise zero. Voxel coordinates never
/// depend on it.
[[nodiscard]] Point display_origin(const Extents& extents);
[[nodiscard]] inline Point display_origin(const PointCloud& cloud, const std::optional<Bounds>& crop) {
  return display_origin(extents_of(cloud, crop));
}

}  // namespace spira

// Computes the extents of a scene without its outliers, and from them the origin of the view.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct Extents {
  /// The box that contains all points except outliers. Zeros for a scene without points.
  Bounds box;
  std::int64_t points = 0;  ///< Number of points that are not outliers.
  std::int64_t outliers = 0;
  /// Distance from `box` to the nearest outlier, measured along one axis.
  double distance_m = 0;
};

/// Returns the extents of the points inside `crop`, or of all points if `crop` is empty. Outliers are the
/// points beyond a wide gap: they are more than four times as far from the median of the scene as all other
/// points. At most a third of the points are outliers, and scenes with fewer than 12 points have no outliers.
/// Points at exactly (0, 0, 0), which sensors store for a missing return, are not used to compute the median
/// and the gap. O(n).
[[nodiscard]] Extents extents_of(const PointCloud& cloud, const std::optional<Bounds>& crop);

/// Returns a note such as "1 point is an outlier: ...", or an empty string for a scene without outliers.
[[nodiscard]] std::string outlier_note(const Extents& extents);

/// Returns the origin of the view. It is subtracted from coordinates before they are used in single precision
/// (in the 3D view and in feature values). It is the centre of the extents in whole metres if a coordinate is
/// 10,000 m or more, otherwise zero. Voxel coordinates never depend on this origin.
[[nodiscard]] Point display_origin(const Extents& extents);
[[nodiscard]] inline Point display_origin(const PointCloud& cloud, const std::optional<Bounds>& crop) {
  return display_origin(extents_of(cloud, crop));
}

}  // namespace spira

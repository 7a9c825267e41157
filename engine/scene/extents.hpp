// Computes the extents of a scene without its outliers, and from these extents the origin of the view.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spira {

struct Extents {
  /// The smallest box that contains all points that are not outliers. All zeros if the scene has no points.
  Bounds box;
  std::int64_t points = 0;  ///< Number of points that are not outliers.
  std::int64_t outliers = 0;
  /// The distance from `box` to the nearest outlier, along one axis.
  double distance_m = 0;
  LengthUnit unit = LengthUnit::metres;  ///< Unit of the scene.
};

/// Returns the extents of the points inside `crop`, or of all points if `crop` is empty. A point is an
/// outlier if a wide gap separates it from the other points: it is more than four times as far from the
/// median of the scene as every point before the gap. At most a third of the points can be outliers. Scenes
/// with fewer than 12 points have no outliers. Points at exactly (0, 0, 0) are ignored when the median and
/// the gap are computed, because sensors store them for missing returns. O(n).
[[nodiscard]] Extents extents_of(const PointCloud& cloud, const std::optional<Bounds>& crop);

/// Returns a note such as "1 point is an outlier: ...", or an empty string for a scene without outliers.
[[nodiscard]] std::string outlier_note(const Extents& extents);

/// Returns the origin of the view. The 3D view and the feature values subtract it from the coordinates before
/// they convert them to single precision. If a coordinate is 10,000 m or more, the origin is the centre of
/// the extents, rounded to whole metres; otherwise it is zero. Voxel coordinates never depend on it.
[[nodiscard]] Point display_origin(const Extents& extents);
/// The same for the points inside the crop. Needs the extents only if a coordinate is 10,000 m or more.
[[nodiscard]] Point display_origin(const PointCloud& cloud, const std::optional<Bounds>& crop);

}  // namespace spira

// The points outside the crop, which are drawn faintly so that the user can enlarge the crop box again.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <stop_token>
#include <vector>

namespace spira::ui {

/// Returns the positions [points][3] of the points outside the crop, relative to `origin`, evenly thinned to
/// at most `most` points. Returns an empty list if it is stopped.
[[nodiscard]] std::vector<float> outside_points(const PointCloud& cloud, const Bounds& crop,
                                                const Point& origin, std::size_t most,
                                                const std::stop_token& stop);

}  // namespace spira::ui

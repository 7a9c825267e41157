// The points that a crop leaves out, faint, so that a box can be made larger again.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <stop_token>
#include <vector>

namespace spira::ui {

/// Positions [points][3] relative to the display origin of the cloud; evenly thinned so that there are at
/// most `most`. Empty when stopped.
[[nodiscard]] std::vector<float> outside_points(const PointCloud& cloud, const Bounds& crop, std::size_t most,
                                                const std::stop_token& stop);

}  // namespace spira::ui

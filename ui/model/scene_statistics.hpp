// The figures of a scene as text: counts, extents, occupancy, bits.
#pragma once

#include "engine/run/session.hpp"

#include <QString>

#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Name and value, in the order to be shown. `extents`: of all points, in metres; empty: not measured yet.
[[nodiscard]] std::vector<std::pair<QString, QString>> scene_statistics(const VoxelScene& scene,
                                                                        const std::optional<Bounds>& extents);

}  // namespace spira::ui

// The figures of a scene as text: counts, extents, occupancy, bits.
#pragma once

#include "engine/run/session.hpp"

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Name and value, in the order to be shown. `extents`: of all points, in metres; empty: not measured yet.
[[nodiscard]] std::vector<std::pair<QString, QString>> scene_statistics(const VoxelScene& scene,
                                                                        const std::optional<Bounds>& extents);

/// Name and range of each attribute of the file, as it is stored there.
[[nodiscard]] std::vector<std::pair<QString, QString>> attributeRanges(const PointCloud& cloud);

/// The notes of the file, then those that depend on the grid.
[[nodiscard]] QStringList notesOf(const VoxelScene& scene);

}  // namespace spira::ui

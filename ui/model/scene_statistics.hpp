// Statistics of a scene as text: counts, extents, occupancy, bits.
#pragma once

#include "engine/run/voxel_scene.hpp"
#include "engine/scene/point_cloud.hpp"

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Returns pairs of name and value in display order. `extents`: extents of all points, in metres; empty if
/// not measured yet.
[[nodiscard]] std::vector<std::pair<QString, QString>> scene_statistics(const VoxelScene& scene,
                                                                        const std::optional<Bounds>& extents);

/// Returns the name and range of each attribute of the file, as it is stored there.
[[nodiscard]] std::vector<std::pair<QString, QString>> attributeRanges(const PointCloud& cloud);

/// Returns the notes of the file, followed by the notes about the grid.
[[nodiscard]] QStringList notesOf(const VoxelScene& scene);

}  // namespace spira::ui

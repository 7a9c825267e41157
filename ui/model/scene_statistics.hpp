// Statistics of a scene as text: point and voxel counts, extents, occupancy, and bits of the packing.
#pragma once

#include "engine/run/neighbour_facts.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/scene/point_cloud.hpp"

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Returns pairs of name and value in display order. `extents` are the extents of all points in metres, or
/// empty if they have not been measured.
[[nodiscard]] std::vector<std::pair<QString, QString>> scene_statistics(const VoxelScene& scene,
                                                                        const std::optional<Bounds>& extents);

/// Returns pairs of name and value about the positions of a scene: their kind, their distance to the centres
/// of the voxels, and the number of merged points.
[[nodiscard]] std::vector<std::pair<QString, QString>> position_statistics(const PositionFacts& positions,
                                                                           LengthUnit unit);
/// Returns lengths with their unit, such as "24.2, 3.0, 5.1 mm". Lengths in metres are displayed in
/// millimetres.
[[nodiscard]] QString small_lengths_text(const std::vector<double>& lengths, LengthUnit unit);

/// Returns the name and the value range of each attribute of the file. The values are not converted.
[[nodiscard]] std::vector<std::pair<QString, QString>> attributeRanges(const PointCloud& cloud);

/// Returns the notes about the file, followed by the notes about the grid.
[[nodiscard]] QStringList notesOf(const VoxelScene& scene);

}  // namespace spira::ui

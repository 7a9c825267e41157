// Writes voxels of a level to a file, so that other programs can read a part of a scene.
#pragma once

#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace spira {

/// Writes one row for each entry of `rows`, a row number of the level. The columns are:
/// - the centre (x, y, z in metres), the index (ix, iy, iz), the row in the level, and the number of points;
/// - the means of intensity and colour and the most frequent label, if the scene has them.
/// The extension selects the format: binary PLY or CSV with these column names, or NPY as float64
/// [rows][columns] in this order. Throws `Error(usage)` for another extension, `Error(input)` if the file
/// cannot be written, and `Error(cancelled)`.
void write_voxels(const VoxelScene& scene, int stride, std::span<const std::int32_t> rows,
                  const std::filesystem::path& file, Job& job);

}  // namespace spira

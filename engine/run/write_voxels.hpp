// Writes voxels of a level as a file: part of a scene for other programs.
#pragma once

#include "engine/run/session.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace spira {

/// A row for each of `rows` of the level: centre (x, y, z in metres), index (ix, iy, iz), row in the level,
/// points, and means of intensity and colour and the most frequent label where the scene has them. By the
/// extension: binary PLY or CSV with these names, or NPY, float64 [rows][columns] in this order. Throws
/// Error(usage) for another extension, Error(input) when the file cannot be written, Error(cancelled).
void write_voxels(const VoxelScene& scene, int stride, std::span<const std::int32_t> rows,
                  const std::filesystem::path& file, Job& job);

}  // namespace spira

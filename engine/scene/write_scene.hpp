// Writes point clouds: binary little-endian PLY, NPY, CSV, KITTI .bin, by the extension of the path.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <filesystem>

namespace spira {

/// Writes to a temporary name beside `path` and renames. Throws Error(usage) for an unknown extension,
/// Error(input) when the file cannot be written.
void write_scene(const PointCloud& cloud, const std::filesystem::path& path);

}  // namespace spira

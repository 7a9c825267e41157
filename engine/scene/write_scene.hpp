// Writes point clouds as binary little-endian PLY, NPY, CSV or KITTI .bin, depending on the extension of the
// path.
#pragma once

#include "engine/scene/point_cloud.hpp"

#include <filesystem>
#include <stop_token>

namespace spira {

/// Throws Error(usage) if write_scene() does not know the extension of `path`.
void require_written_format(const std::filesystem::path& path);

/// Throws `Error(usage)` for an unknown extension, and the errors of write_file().
void write_scene(const PointCloud& cloud, const std::filesystem::path& path,
                 const std::stop_token& stop = {});

}  // namespace spira

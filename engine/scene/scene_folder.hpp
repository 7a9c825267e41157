// Reads a folder that holds the arrays of one scene: coord.npy, color.npy, normal.npy, segment20.npy.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/read_limits.hpp"

#include <cstdint>
#include <filesystem>

namespace spira {

/// Returns true if the folder has an array of coordinates and another array that belongs to it. Reads only
/// the file names.
[[nodiscard]] bool is_scene_folder(const std::filesystem::path& folder);

/// Throws `Error(input)`, NotEnoughMemory or `Error(cancelled)`. A file of more than `max_bytes` is an
/// `Error(input)`.
[[nodiscard]] PointCloud read_scene_folder(const std::filesystem::path& folder, std::uint64_t max_bytes,
                                           const ReadLimits& limits, Job& job);

}  // namespace spira

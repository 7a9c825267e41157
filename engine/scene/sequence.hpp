// Lists the frames of a folder as a sequence, and reads a folder of arrays as one scene.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/read_limits.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spira {

class Job;

/// Returns the paths of the scene files of a folder in natural order (frame2 before frame10), without label
/// files and unsupported files. A folder that contains the arrays of one scene is a single frame. For a
/// folder without scene files, returns its sub-folders that contain the arrays of one scene. Throws
/// `Error(input)` with the contents of the folder if it has no frames.
[[nodiscard]] std::vector<std::filesystem::path> list_frames(const std::filesystem::path& folder);
/// Returns true if both lists have the same paths. Compares the paths as text, which is much faster than
/// comparing them part by part.
[[nodiscard]] bool same_files(const std::vector<std::filesystem::path>& a,
                              const std::vector<std::filesystem::path>& b) noexcept;
/// Files that the user selected together. Some of them may not be scenes.
struct PickedFrames {
  struct LeftOut {
    std::filesystem::path file;
    std::string why;
  };
  /// Frames in the given order. A folder is replaced by its frames.
  std::vector<std::filesystem::path> frames;
  std::vector<LeftOut> left_out;
};
/// Returns the frames among the selected files. Throws `Error(input)` with the names of all files if none
/// can be a scene. Throws `Error(cancelled)` between two files, and while a large file is examined.
[[nodiscard]] PickedFrames pick_frames(const std::vector<std::filesystem::path>& files, Job& job);

/// Returns true if the folder has an array of coordinates and another array that belongs to it. Reads only
/// the file names.
[[nodiscard]] bool is_scene_folder(const std::filesystem::path& folder);

/// Throws `Error(input)`, NotEnoughMemory or `Error(cancelled)`. A file of more than `max_bytes` is an
/// `Error(input)`.
[[nodiscard]] PointCloud read_scene_folder(const std::filesystem::path& folder, std::uint64_t max_bytes,
                                           const ReadLimits& limits, Job& job);

}  // namespace spira

// Lists the frames of a folder as a sequence, and reads a folder of arrays as one scene.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spira {

class Job;

/// Returns the paths of the scene files in a folder in natural order (frame2 before frame10), without label
/// files and unsupported files. If the folder contains the arrays of one scene, returns the folder as a
/// single frame. If the folder has no scene files, returns its sub-folders that contain the arrays of one
/// scene. If there are no frames at all, throws `Error(input)` with the contents of the folder.
[[nodiscard]] std::vector<std::filesystem::path> list_frames(const std::filesystem::path& folder);
/// Returns true if both lists contain the same paths in the same order. Compares the paths as text, which is
/// much faster than comparing their parts.
[[nodiscard]] bool same_files(const std::vector<std::filesystem::path>& a,
                              const std::vector<std::filesystem::path>& b) noexcept;
/// The files that the user selected together. Some of them may not be scenes.
struct PickedFrames {
  struct LeftOut {
    std::filesystem::path file;
    std::string why;
  };
  /// The frames in the given order. A selected folder is replaced by its frames.
  std::vector<std::filesystem::path> frames;
  std::vector<LeftOut> left_out;
};
/// Returns the frames among the selected files. If no file can be a scene, throws `Error(input)` with the
/// names of all files. Throws `Error(cancelled)` between two files and while a large file is examined.
[[nodiscard]] PickedFrames pick_frames(const std::vector<std::filesystem::path>& files, Job& job);

/// Returns true if the folder contains an array of coordinates and at least one other array for the same
/// points. Reads only the file names.
[[nodiscard]] bool is_scene_folder(const std::filesystem::path& folder);

/// Reads the arrays of a folder as one scene. Throws `Error(input)` for faulty arrays and for a file of more
/// than `max_bytes`. Throws NotEnoughMemory and `Error(cancelled)`.
[[nodiscard]] PointCloud read_scene_folder(const std::filesystem::path& folder, std::uint64_t max_bytes,
                                           const ReadLimits& limits, Job& job);

}  // namespace spira

// Lists the scene files of a folder as frames of a sequence. Reads a folder of arrays as one scene.
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

/// Returns the paths of the scene files in a folder. Label files and unsupported files are left out. The
/// order is natural: frame2 is before frame10. If the folder contains the arrays of one scene, the folder
/// itself is the only frame. If it contains no scene files, the frames are its sub-folders with the arrays of
/// one scene. If there are no such sub-folders either, throws `Error(input)` with a list of the contents of
/// the folder.
[[nodiscard]] std::vector<std::filesystem::path> list_frames(const std::filesystem::path& folder);
/// Returns true if both lists contain the same paths in the same order. Compares the paths as text, which is
/// much faster than a comparison of their components.
[[nodiscard]] bool same_files(const std::vector<std::filesystem::path>& a,
                              const std::vector<std::filesystem::path>& b) noexcept;
/// The scenes among the files that the user selected.
struct PickedFrames {
  struct LeftOut {
    std::filesystem::path file;
    std::string why;
  };
  /// The frames in the order of selection. A selected folder is replaced by its frames.
  std::vector<std::filesystem::path> frames;
  std::vector<LeftOut> left_out;
};
/// Finds the frames among the selected files. If no file can be a scene, throws `Error(input)` with the names
/// of the files. Can throw `Error(cancelled)` between two files and while it examines a large file.
[[nodiscard]] PickedFrames pick_frames(const std::vector<std::filesystem::path>& files, Job& job);

/// Returns true if the folder contains an array of coordinates and at least one other array for the same
/// points. Checks only the file names.
[[nodiscard]] bool is_scene_folder(const std::filesystem::path& folder);

/// Reads the arrays of a folder as one scene. Throws `Error(input)` if an array is faulty or its file is
/// larger than `max_bytes`. Throws NotEnoughMemory and `Error(cancelled)`.
[[nodiscard]] PointCloud read_scene_folder(const std::filesystem::path& folder, std::uint64_t max_bytes,
                                           const ReadLimits& limits, Job& job);

}  // namespace spira

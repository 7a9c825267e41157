// A folder of frames as a sequence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spira {

class Job;

/// Paths of the scene files of one folder, in natural order (frame2 before frame10),
/// label and unsupported files left out. Throws Error(input) when the folder has none, naming what it holds.
/// A folder that holds the arrays of one scene (scene_folder.hpp) is its only frame; a folder without scene
/// files has its sub-folders of that kind as frames.
[[nodiscard]] std::vector<std::filesystem::path> list_frames(const std::filesystem::path& folder);
/// Compares the names as text, which is much faster than comparing paths part by part.
[[nodiscard]] bool same_files(const std::vector<std::filesystem::path>& a,
                              const std::vector<std::filesystem::path>& b) noexcept;
/// Files that a person took together, of which some may be something else.
struct PickedFrames {
  struct LeftOut {
    std::filesystem::path file;
    std::string why;
  };
  std::vector<std::filesystem::path> frames;  ///< in the order given; a folder stands for its own
  std::vector<LeftOut> left_out;
};
/// Throws Error(input) naming all of them when none can be a scene, Error(cancelled) between two of them and
/// while a large one is looked into.
[[nodiscard]] PickedFrames pick_frames(const std::vector<std::filesystem::path>& files, Job& job);

}  // namespace spira

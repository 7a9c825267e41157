// A folder of frames as a sequence.
#pragma once

#include <filesystem>
#include <vector>

namespace spira {

/// Paths of the scene files of one folder (not its sub-folders), in natural order (frame2 before frame10),
/// label and unsupported files left out. Throws Error(input) when the folder has none, naming what it holds.
[[nodiscard]] std::vector<std::filesystem::path> list_frames(const std::filesystem::path& folder);

}  // namespace spira

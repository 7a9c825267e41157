// A session file: the open files, the parameters and the view (docs/file-formats.md).
#pragma once

#include "ui/model/parameters.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira::ui {

/// Position of the camera, in metres of the scene.
struct CameraPose {
  std::array<double, 3> position_m{}, focal_m{}, up{0, 0, 1};
  bool operator==(const CameraPose&) const = default;
};

enum class OpenKind { built_in, file, folder, files, report };

struct SessionState {
  OpenKind kind = OpenKind::built_in;
  /// The name of a built-in scene, or paths. Paths are absolute in memory and relative to the session file on
  /// disk.
  std::vector<std::string> open;
  std::string format;  ///< Format id that the scene was opened with. If it is empty, the format is detected.
  std::int64_t every = 1;  ///< Only every n-th point of the files is read.
  int frame = 0;
  Parameters parameters;  ///< For a report, only the colouring is used.
  int layer = -1, stride = 1;
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  std::optional<CameraPose> camera;
  std::string layout;  ///< "explore", "profile", "compare", "learn"
  std::string note;    ///< Note about a file of a later version; not written to files.
};

/// `folder`: folder of the session file. If empty, absolute paths are written.
[[nodiscard]] std::string session_json(const SessionState& session, const std::filesystem::path& folder);
/// Throws `Error(input)` such as "FILE: open.frame: -3; expected ..." unless `json` is a valid session of
/// major version 1.
[[nodiscard]] SessionState parse_session(std::string_view json, const std::string& file_name,
                                         const std::filesystem::path& folder);
[[nodiscard]] SessionState read_session(const std::filesystem::path& file);

}  // namespace spira::ui

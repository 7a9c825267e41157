// A session: what is open and how it is looked at, as a file that brings it back (docs/file-formats.md).
#pragma once

#include "ui/model/parameters.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira::ui {

/// Of the camera, in metres of the scene.
struct CameraPose {
  std::array<double, 3> position_m{}, focal_m{}, up{0, 0, 1};
  bool operator==(const CameraPose&) const = default;
};

enum class OpenKind { built_in, file, folder, files, report };

struct SessionState {
  OpenKind kind = OpenKind::built_in;
  /// The name of a built-in scene, or paths: absolute in memory, relative to the session file on disk.
  std::vector<std::string> open;
  std::string format;      ///< id that the scene was opened as; empty: guessed
  std::int64_t every = 1;  ///< only every n-th point of its files is read
  int frame = 0;
  Parameters parameters;  ///< of a report: colouring only
  int layer = -1, stride = 1;
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  std::optional<CameraPose> camera;
  std::string layout;  ///< "explore", "profile", "compare", "learn"
  std::string note;    ///< of a later version; not written
};

/// `folder`: where the file will be; empty: absolute paths are written.
[[nodiscard]] std::string session_json(const SessionState& session, const std::filesystem::path& folder);
/// Throws Error(input) "FILE: open.frame: -3; expected ..." for anything that is not a sound session of major
/// version 1.
[[nodiscard]] SessionState parse_session(std::string_view json, const std::string& file_name,
                                         const std::filesystem::path& folder);
[[nodiscard]] SessionState read_session(const std::filesystem::path& file);

}  // namespace spira::ui

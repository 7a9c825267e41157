// The contents of a session file: the open files, the parameters and the view (docs/file-formats.md).
#pragma once

#include "ui/model/parameters.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira::ui {

/// Position of the camera, in metres, in the coordinates of the scene.
struct CameraPose {
  std::array<double, 3> position_m{}, focal_m{}, up{0, 0, 1};
  bool operator==(const CameraPose&) const = default;
};

enum class OpenKind { built_in, file, folder, files, report };

struct SessionState {
  OpenKind kind = OpenKind::built_in;
  /// Contains the name of a built-in scene, or the paths of the open files. The paths are absolute in memory,
  /// and relative to the session file on disk.
  std::vector<std::string> open;
  std::string format;      ///< Format id with which the scene was opened. If empty, the format is detected.
  std::int64_t every = 1;  ///< Reads only every n-th point of the files.
  int frame = 0;
  bool batch = false;                   ///< True if the files of OpenKind::files were joined to one batch.
  std::uint64_t scene_fingerprint = 0;  ///< voxels_fingerprint() of a voxel file. 0 for other scenes.
  /// The file of the weights and NetworkWeights::fingerprint. Empty for random weights. `parameters.weights`
  /// is not stored.
  std::string weights_file;
  std::uint64_t weights_fingerprint = 0;
  /// The layer that was open as a separate network with its captured input. Empty if the whole network was
  /// open. `open` and `parameters` always describe the whole network and its capture. The selection and the
  /// view then describe the captured layer.
  std::string captured_layer;
  int captured_threshold = 0;     ///< The t of this layer.
  std::string captured_dataflow;  ///< The dataflow of this layer. Empty if t alone describes it.
  Parameters parameters;          ///< If a report is open, only the colouring is used.
  int layer = -1, stride = 1;
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  std::optional<CameraPose> camera;
  std::string layout;  ///< Name of the window layout: "explore", "profile", "compare" or "learn".
  std::string note;    ///< Note for the user if the file has a later version. Not written to files.
};

/// Returns the session as JSON. Paths are written relative to `folder`, the folder of the session file, or as
/// absolute paths if `folder` is empty.
[[nodiscard]] std::string session_json(const SessionState& session, const std::filesystem::path& folder);
/// Parses a session of major version 1. Throws `Error(input)` with a message such as "FILE: open.frame: -3;
/// expected ..." if `json` is not valid.
[[nodiscard]] SessionState parse_session(std::string_view json, const std::string& file_name,
                                         const std::filesystem::path& folder);
[[nodiscard]] SessionState read_session(const std::filesystem::path& file);

}  // namespace spira::ui

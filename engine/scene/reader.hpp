// Opens a scene file: finds the format by content, reads it within limits, says what was assumed.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/read_limits.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// How sure a reader is that the bytes are its format, and why ("size is a multiple of 16; values in a
/// plausible range").
struct Guess {
  double confidence = 0.0;  ///< 0 not at all .. 1 a signature was found
  std::string why;
};

/// A reader sees the whole file as bytes; it never opens files itself. Implementations hold no state.
class SceneReader {
 public:
  SceneReader() = default;
  virtual ~SceneReader() = default;
  SceneReader(const SceneReader&) = delete;
  SceneReader& operator=(const SceneReader&) = delete;

  [[nodiscard]] virtual Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const = 0;
  /// Fills positions and attributes (non-finite points dropped and counted), `format` and `reading`. Throws
  /// NotEnoughMemory, and
  /// Error(input) with a message that begins with `file_name` and names offset or line; takes no memory on
  /// trust of a header.
  [[nodiscard]] virtual PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                        const ReadLimits& limits, Job& job) const = 0;
  /// Reads with the detail that follows the id of a format: "lidar" in "npz:lidar". Throws Error(usage) for
  /// formats without details.
  [[nodiscard]] virtual PointCloud read_as(std::string_view detail, std::span<const std::byte> bytes,
                                           std::string_view file_name, const ReadLimits& limits,
                                           Job& job) const;
  /// Throws Error(usage) if read_as() cannot accept `detail` for any file.
  virtual void check_detail(std::string_view detail) const;
  /// Details that read_as() accepts for these bytes, such as the arrays of an archive. Throws Error(input).
  [[nodiscard]] virtual std::vector<std::string> details(std::span<const std::byte> bytes) const;
};

struct FormatFacts {
  std::string_view
      id;  ///< for --format: "kitti", "nuscenes", "xyzrgb", "rows", "pcd", "ply", "text", "npy", "npz", "las"
  std::string_view label;       ///< "KITTI / SemanticKITTI .bin (x, y, z, intensity as float32)"
  std::string_view extensions;  ///< ".bin" or ".xyz .txt .csv", for dialogs
  const SceneReader* reader;    ///< null: known by name or signature, but not supported (LAZ, E57,
                                ///< OBJ, STL, OFF, PTX)
  bool headerless = false;      ///< The values of all bytes decide whether a file has this format.
};
/// The one list of formats: dialogs, --format, docs and tests are made from it.
[[nodiscard]] std::span<const FormatFacts> formats() noexcept;

/// What the user can do about a file whose format is not clear. Messages leave it out, because each program
/// has its own way: an option, or a command of the window.
enum class FormatRemedy : std::uint8_t { choose_format, describe_rows, describe_big_endian_rows };

/// No format was found, or none clearly.
class UnclearFormat : public Error {
 public:
  UnclearFormat(const std::string& message, FormatRemedy remedy)
      : Error(ErrorKind::input, message), remedy_(remedy) {}
  [[nodiscard]] FormatRemedy remedy() const noexcept { return remedy_; }

 private:
  FormatRemedy remedy_;
};

struct LoadOptions {
  std::string format;                     ///< id, or "id:detail" as in "npz:lidar"; empty: guess
  std::uint64_t max_bytes = 8ULL << 30U;  ///< a larger file is an Error(input)
  ReadLimits limits{};                    ///< free_bytes: never more than the system has left
};
/// Throws Error(usage) if LoadOptions::format cannot be `format`: an unknown id, a format that is not read,
/// or a faulty description after the colon. Reads no file.
void check_format(std::string_view format);

/// Throws Error(usage) for a faulty format before the file is read; Error(input) for what cannot be read;
/// NotEnoughMemory before memory is taken that is not there;
/// Error(cancelled). A SemanticKITTI label file beside a KITTI
/// scan (same stem + ".label", in the same folder or in ../labels) is read with it. `path` "-" is standard
/// input (standard_input.hpp), which is waited for.
[[nodiscard]] std::shared_ptr<const PointCloud> load_scene(const std::filesystem::path& path,
                                                           const LoadOptions& options, Job& job);
/// Throws Error(input) as load_scene() does where a file is of no format that is read. All of it is looked at
/// only where its name does not say the format; then it may take long, and be cancelled.
void require_scene(const std::filesystem::path& path, Job& job);

/// Where load_scene() looks for the labels of a KITTI scan. The first one that exists is read.
[[nodiscard]] std::array<std::filesystem::path, 2> label_files_of(const std::filesystem::path& scan);

/// "scan.pcd.bin": it ends as the files of a format that is read.
[[nodiscard]] bool is_scene_name(const std::string& file_name);

}  // namespace spira

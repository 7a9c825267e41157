// Opens a scene file: detects its format from the content, reads the file within memory limits, and reports
// the assumptions that were made.
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

/// The confidence that a file has the format of a reader, and the reason ("size is a multiple of 16; values
/// in a plausible range").
struct Guess {
  double confidence = 0.0;  ///< from 0 (not this format) to 1 (a signature was found)
  std::string why;
};

/// A reader receives the whole file as bytes and never opens files itself. Implementations are stateless.
class SceneReader {
 public:
  SceneReader() = default;
  virtual ~SceneReader() = default;
  SceneReader(const SceneReader&) = delete;
  SceneReader& operator=(const SceneReader&) = delete;

  [[nodiscard]] virtual Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const = 0;
  /// Returns the points with positions and attributes, `format` and `reading`. Points that are not finite are
  /// dropped and counted. Throws NotEnoughMemory. Throws `Error(input)` with a message that begins with
  /// `file_name` and contains the offset or the line. Never allocates memory from the sizes in a header
  /// alone.
  [[nodiscard]] virtual PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                        const ReadLimits& limits, Job& job) const = 0;
  /// Reads a file with the detail that follows the id of the format, such as "lidar" in "npz:lidar". Throws
  /// `Error(usage)` for formats without details.
  [[nodiscard]] virtual PointCloud read_as(std::string_view detail, std::span<const std::byte> bytes,
                                           std::string_view file_name, const ReadLimits& limits,
                                           Job& job) const;
  /// Throws Error(usage) if read_as() cannot accept `detail` for any file.
  virtual void check_detail(std::string_view detail) const;
  /// Returns the details that read_as() accepts for these bytes, such as the arrays of an archive. Throws
  /// `Error(input)`.
  [[nodiscard]] virtual std::vector<std::string> details(std::span<const std::byte> bytes) const;
};

struct FormatFacts {
  /// Name for --format: "kitti", "nuscenes", "xyzrgb", "rows", "pcd", "ply", "text", "npy", "npz", "las".
  std::string_view id;
  std::string_view label;       ///< "KITTI / SemanticKITTI .bin (x, y, z, intensity as float32)"
  std::string_view extensions;  ///< used by file dialogs: ".bin" or ".xyz .txt .csv"
  /// Null for a format that is known by name or signature but not supported (LAZ, E57, OBJ, STL, OFF, PTX).
  const SceneReader* reader;
  /// True if files of this format have no header, so that the format is detected from the values of all
  /// bytes.
  bool headerless = false;
};
/// Returns the list of all formats. Dialogs, the option --format, documentation and tests use this list.
[[nodiscard]] std::span<const FormatFacts> formats() noexcept;

/// The remedy for a file whose format is not clear. Messages do not contain it, because it differs between
/// the programs: an option of the command line, or a command of the window.
enum class FormatRemedy : std::uint8_t { choose_format, describe_rows, describe_big_endian_rows };

/// Thrown if no format was detected, or if several formats are possible.
class UnclearFormat : public Error {
 public:
  UnclearFormat(const std::string& message, FormatRemedy remedy)
      : Error(ErrorKind::input, message), remedy_(remedy) {}
  [[nodiscard]] FormatRemedy remedy() const noexcept { return remedy_; }

 private:
  FormatRemedy remedy_;
};

struct LoadOptions {
  std::string format;                     ///< id, or "id:detail" as in "npz:lidar"; empty to detect it
  std::uint64_t max_bytes = 8ULL << 30U;  ///< a larger file throws `Error(input)`
  /// The smaller of `free_bytes` and the free memory of the system applies.
  ReadLimits limits{};
};
/// Throws Error(usage) if LoadOptions::format cannot be `format`: an unknown id, a format that is not read,
/// or a faulty description after the colon. Reads no file.
void check_format(std::string_view format);

/// Loads a scene. Throws `Error(usage)` for a faulty format before the file is read, `Error(input)` if the
/// file cannot be read, `Error(cancelled)`, and NotEnoughMemory before memory is exhausted. Also reads the
/// SemanticKITTI label file of a KITTI scan: it has the same stem and the extension ".label", in the same
/// folder or in ../labels. `path` "-" is standard input (standard_input.hpp); the call waits for its end.
[[nodiscard]] std::shared_ptr<const PointCloud> load_scene(const std::filesystem::path& path,
                                                           const LoadOptions& options, Job& job);
/// Throws `Error(input)` like load_scene() if a file has no supported format. Reads the whole file only if
/// its name does not determine the format. This may take long and can be cancelled.
void require_scene(const std::filesystem::path& path, Job& job);

/// Returns the files that load_scene() tries as labels of a KITTI scan. The first existing file is read.
[[nodiscard]] std::array<std::filesystem::path, 2> label_files_of(const std::filesystem::path& scan);

/// Returns true if the name ends like the files of a supported format: "scan.pcd.bin".
[[nodiscard]] bool is_scene_name(const std::string& file_name);

}  // namespace spira

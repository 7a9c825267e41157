// Opens a scene file. Detects its format from the content, reads the file within memory limits, and reports
// assumptions to the user.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Limits how a file is read: the share of the points that is read, and the memory that is available.
struct ReadLimits {
  std::int64_t every = 1;  ///< Every n-th point is read, beginning with the first.
  /// Memory that is available for the points, in bytes. Empty if not known; all points are then read.
  std::optional<std::uint64_t> free_bytes;
};

/// Thrown before memory is allocated if points need more memory than is available. The message ends with the
/// share of the points that fits in memory. The window and the command line add how the user can read only
/// this share.
class NotEnoughMemory : public Error {
 public:
  /// `every` is the smallest n for which every n-th point of the file fits in memory, or 0 if there is no
  /// such n.
  NotEnoughMemory(const std::string& message, std::int64_t every)
      : Error(ErrorKind::memory, message), every_(every) {}
  [[nodiscard]] std::int64_t every() const noexcept { return every_; }

 private:
  std::int64_t every_;
};

/// Returns a text such as "every 2nd" or "every 21st". Returns "all" for 1.
[[nodiscard]] std::string every_text(std::int64_t every);

/// Returns the smallest n such that every n-th of `items` items fits in memory, with `item_bytes` bytes each.
/// Returns 0 if so few items would not represent the scene.
[[nodiscard]] std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes,
                                           std::uint64_t free_bytes);

/// The result of testing whether a file has the format of a reader: a confidence and a reason, such as "size
/// is a multiple of 16; values in a plausible range".
struct Guess {
  /// From 0 (the file does not have this format) to 1 (a signature was found).
  double confidence = 0.0;
  std::string why;
};

/// Reads one format. A reader receives the whole file as bytes and never opens files itself. Implementations
/// are stateless.
class SceneReader {
 public:
  SceneReader() = default;
  virtual ~SceneReader() = default;
  SceneReader(const SceneReader&) = delete;
  SceneReader& operator=(const SceneReader&) = delete;

  [[nodiscard]] virtual Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const = 0;
  /// Returns the points with positions, attributes, `format` and `reading`. Points that are not finite are
  /// dropped and counted. Throws NotEnoughMemory. Throws `Error(input)` with a message that begins with
  /// `file_name` and contains the offset or the line of the fault. Never allocates memory only because of the
  /// sizes in a header.
  [[nodiscard]] virtual PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                        const ReadLimits& limits, Job& job) const = 0;
  /// Reads a file like read(), with a detail that follows the id of the format, such as "lidar" in
  /// "npz:lidar". Throws `Error(usage)` if the format has no details.
  [[nodiscard]] virtual PointCloud read_as(std::string_view detail, std::span<const std::byte> bytes,
                                           std::string_view file_name, const ReadLimits& limits,
                                           Job& job) const;
  /// Throws Error(usage) if read_as() would reject `detail` for every file.
  virtual void check_detail(std::string_view detail) const;
  /// Returns the details that read_as() accepts for these bytes, such as the names of the arrays in an
  /// archive. Throws `Error(input)`.
  [[nodiscard]] virtual std::vector<std::string> details(std::span<const std::byte> bytes) const;
};

struct FormatFacts {
  /// Value of the option --format: "kitti", "nuscenes", "xyzrgb", "rows", "pcd", "ply", "text", "npy", "npz",
  /// "las".
  std::string_view id;
  /// Example: "KITTI / SemanticKITTI .bin (x, y, z, intensity as float32)".
  std::string_view label;
  /// Extensions for file dialogs, such as ".bin" or ".xyz .txt .csv".
  std::string_view extensions;
  /// The reader of the format. Null for a format that is known by its name or signature but is not supported
  /// (LAZ, E57, OBJ, STL, OFF, PTX).
  const SceneReader* reader;
  /// True if files of this format have no header. The format is then detected from the values in the whole
  /// file.
  bool headerless = false;
};
/// Returns all formats. Dialogs, the option --format, documentation and tests use this list.
[[nodiscard]] std::span<const FormatFacts> formats() noexcept;

/// What the user can do if the format of a file is not clear. The error message does not contain this remedy,
/// because it differs between programs: an option of the command line, or a command of the window.
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
  /// Id of the format, or "id:detail" as in "npz:lidar". If empty, the format is detected.
  std::string format;
  std::uint64_t max_bytes = 8ULL << 30U;  ///< A larger file throws `Error(input)`.
  /// Limits of points and memory. If the system has less free memory than `free_bytes`, the smaller value is
  /// used.
  ReadLimits limits{};
};
/// Throws Error(usage) if `format` is not a valid value of LoadOptions::format: the id is unknown, the format
/// cannot be read, or the detail after the colon is wrong. Reads no file.
void check_format(std::string_view format);

/// Loads a scene. Throws `Error(usage)` for a wrong format before the file is read, `Error(input)` if the
/// file cannot be read, `Error(cancelled)`, and NotEnoughMemory before the memory is exhausted. Also reads
/// the SemanticKITTI label file of a KITTI scan. This file has the same stem and the extension ".label", and
/// is in the same folder or in ../labels. If `path` is "-", reads standard input and
/// waits until it ends.
[[nodiscard]] std::shared_ptr<const PointCloud> load_scene(const std::filesystem::path& path,
                                                           const LoadOptions& options, Job& job);
/// Throws `Error(input)` like load_scene() if a file has no supported format. If the file name does not
/// determine the format, reads the whole file. This can take long and can be cancelled.
void require_scene(const std::filesystem::path& path, Job& job);

/// Returns the two files that load_scene() tries as labels of a KITTI scan. It reads the first one that
/// exists.
[[nodiscard]] std::array<std::filesystem::path, 2> label_files_of(const std::filesystem::path& scan);

/// Returns true if the name has an extension of a supported format, such as "scan.pcd.bin".
[[nodiscard]] bool is_scene_name(const std::string& file_name);

// Declares the readers that formats() lists. Each reader is stateless and has a single instance.

[[nodiscard]] const SceneReader& kitti_reader() noexcept;  ///< Reads float32 x 4: x, y, z, intensity.
/// Reads float32 x 5: x, y, z, intensity, and a ring (nuScenes) or an elongation (Waymo).
[[nodiscard]] const SceneReader& nuscenes_reader() noexcept;
[[nodiscard]] const SceneReader& xyzrgb_reader() noexcept;  ///< Reads float32 x 6: x, y, z, r, g, b.
[[nodiscard]] const SceneReader& pcd_reader() noexcept;
[[nodiscard]] const SceneReader& ply_reader() noexcept;
[[nodiscard]] const SceneReader& text_reader() noexcept;
[[nodiscard]] const SceneReader& npy_reader() noexcept;
[[nodiscard]] const SceneReader& npz_reader() noexcept;
[[nodiscard]] const SceneReader& las_reader() noexcept;

/// Returns the reader of rows of numbers without a header, for all layouts that have no other reader.
[[nodiscard]] const SceneReader& row_reader() noexcept;

/// Returns the id of the format of a file without a header: "kitti", "nuscenes", "xyzrgb" or "rows". Returns
/// an empty string if no layout clearly fits. `file_name` must be in lower case.
[[nodiscard]] std::string_view guess_rows(std::span<const std::byte> bytes, std::string_view file_name);
/// Returns an error that explains why guess_rows() finds no layout, with the layouts that were considered.
/// The message begins with `path`.
[[nodiscard]] UnclearFormat no_rows_found(std::span<const std::byte> bytes, std::string_view file_name,
                                          std::string_view path);

// Reads a scene that another program writes to standard input. Standard input can be read only once.

/// The scene name that means standard input. A file with this name can be opened as "./-".
inline constexpr std::string_view standard_input = "-";
inline constexpr std::string_view standard_input_name = "standard input";  ///< Name in messages.

[[nodiscard]] inline bool is_standard_input(const std::filesystem::path& scene) {
  return scene == standard_input;
}

/// Returns all bytes up to the end of standard input. Waits for the writer, with a checkpoint at least every
/// 50 ms. Throws `Error(input)` if standard input is a terminal, is not readable, is empty, or has more than
/// `max_bytes`. Throws NotEnoughMemory as soon as the input exceeds `free_bytes`, because the length of the
/// input is not known in advance. Throws `Error(cancelled)`.
[[nodiscard]] std::vector<std::byte> read_standard_input(std::uint64_t max_bytes,
                                                         std::optional<std::uint64_t> free_bytes, Job& job);

/// Reads any open file descriptor in the same way as read_standard_input(). Messages contain `name`.
[[nodiscard]] std::vector<std::byte> read_to_end(int descriptor, std::string_view name,
                                                 std::uint64_t max_bytes,
                                                 std::optional<std::uint64_t> free_bytes, Job& job);

}  // namespace spira

// Opens a scene file: detects its format from the content, reads it within the memory limits, and reports
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

/// Limits how much of a file is read: the share of its points, and the available memory.
struct ReadLimits {
  std::int64_t every = 1;  ///< The value n: every n-th point is read, beginning with the first.
  /// The memory that is available for the points, in bytes. If empty, the available memory is not known and
  /// all points are read.
  std::optional<std::uint64_t> free_bytes;
};

/// Thrown before memory is allocated if the points need more memory than is available. The message ends with
/// the share of the points that fits. The window and the command line add instructions for reading this
/// share.
class NotEnoughMemory : public Error {
 public:
  /// `every` is the smallest n for which every n-th point of the file fits in memory, or 0 if no n is
  /// suitable.
  NotEnoughMemory(const std::string& message, std::int64_t every)
      : Error(ErrorKind::memory, message), every_(every) {}
  [[nodiscard]] std::int64_t every() const noexcept { return every_; }

 private:
  std::int64_t every_;
};

/// Returns "every 2nd" for 2, "every 21st" for 21, and so on. Returns "all" for 1.
[[nodiscard]] std::string every_text(std::int64_t every);

/// Returns the smallest n for which every n-th of `items` items fits in `free_bytes`. Each item needs
/// `item_bytes`. Returns 0 if this would leave too few items to represent the scene.
[[nodiscard]] std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes,
                                           std::uint64_t free_bytes);

/// The probability that a file has the format of a reader, and the reason, such as "size is a multiple of 16;
/// values in a plausible range".
struct Guess {
  /// From 0 (certainly a different format) to 1 (the file has the signature of the format).
  double confidence = 0.0;
  std::string why;
};

/// Reads one file format. A reader receives the whole file as bytes and opens no files. It has no state.
class SceneReader {
 public:
  SceneReader() = default;
  virtual ~SceneReader() = default;
  SceneReader(const SceneReader&) = delete;
  SceneReader& operator=(const SceneReader&) = delete;

  [[nodiscard]] virtual Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const = 0;
  /// Returns the points with their attributes and sets `format` and `reading`. Drops and counts points that
  /// are not finite. Throws NotEnoughMemory. Throws `Error(input)` with a message that begins with
  /// `file_name` and names the offset or line of the fault. Does not trust the sizes in a header: never
  /// allocates memory for data that the file does not contain.
  [[nodiscard]] virtual PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                        const ReadLimits& limits, Job& job) const = 0;
  /// Like read(), but `detail` is the text that the user added to the id of the format, such as "lidar" in
  /// "npz:lidar". Throws `Error(usage)` if the format accepts no details.
  [[nodiscard]] virtual PointCloud read_as(std::string_view detail, std::span<const std::byte> bytes,
                                           std::string_view file_name, const ReadLimits& limits,
                                           Job& job) const;
  /// Throws `Error(usage)` if `detail` cannot be valid for any file of this format.
  virtual void check_detail(std::string_view detail) const;
  /// Returns the details that read_as() accepts for this file, such as the names of the arrays in an archive.
  /// Throws `Error(input)`.
  [[nodiscard]] virtual std::vector<std::string> details(std::span<const std::byte> bytes) const;
};

struct FormatFacts {
  /// Value of the option --format: "kitti", "nuscenes", "xyzrgb", "rows", "pcd", "ply", "text", "npy", "npz",
  /// "las", "voxels".
  std::string_view id;
  /// For example "KITTI / SemanticKITTI .bin (x, y, z, intensity as float32)".
  std::string_view label;
  /// Extensions for file dialogs, separated by spaces, such as ".xyz .txt .csv".
  std::string_view extensions;
  /// `nullptr` if the program recognises the format by its name or signature but cannot read it (LAZ, E57,
  /// OBJ, STL, OFF, PTX).
  const SceneReader* reader;
  /// True if files of this format have no header. The format is then detected from all values of the file.
  bool headerless = false;
};
/// Returns all formats. The dialogs, the option --format, the documentation and the tests use this list.
[[nodiscard]] std::span<const FormatFacts> formats() noexcept;

/// The suggested fix if the format of a file is not clear. The error message does not contain it, because the
/// fix is an option on the command line and a command in the window.
enum class FormatRemedy : std::uint8_t { choose_format, describe_rows, describe_big_endian_rows };

/// Thrown if no format or more than one format fits a file.
class UnclearFormat : public Error {
 public:
  UnclearFormat(const std::string& message, FormatRemedy remedy)
      : Error(ErrorKind::input, message), remedy_(remedy) {}
  [[nodiscard]] FormatRemedy remedy() const noexcept { return remedy_; }

 private:
  FormatRemedy remedy_;
};

struct LoadOptions {
  /// The id of the format, or "id:detail" as in "npz:lidar". If empty, the format is detected.
  std::string format;
  std::uint64_t max_bytes = 8ULL << 30U;  ///< A larger file throws `Error(input)`.
  /// Limits for points and memory. If the system has less free memory, `free_bytes` is lowered to it.
  ReadLimits limits{};
};
/// Throws `Error(usage)` if `format` is not valid for LoadOptions::format: its id is unknown, the program
/// cannot read the format, or the detail after the colon is wrong. Reads no file.
void check_format(std::string_view format);

/// Loads a scene. If `path` is "-", reads standard input to its end. For a KITTI scan, also reads the
/// SemanticKITTI label file: it has the same stem and the extension ".label", in the same folder or in
/// ../labels. Throws `Error(usage)` for a wrong format before it reads the file, `Error(input)` if the file
/// cannot be read, `Error(cancelled)`, and NotEnoughMemory if the scene does not fit in memory.
[[nodiscard]] std::shared_ptr<const PointCloud> load_scene(const std::filesystem::path& path,
                                                           const LoadOptions& options, Job& job);
/// Throws the same `Error(input)` as load_scene() if a file has no supported format. Reads the whole file if
/// its name does not show the format; this can take a long time and can be cancelled.
void require_scene(const std::filesystem::path& path, Job& job);

/// Returns the paths where load_scene() looks for the labels of a KITTI scan. It uses the first existing
/// file.
[[nodiscard]] std::array<std::filesystem::path, 2> label_files_of(const std::filesystem::path& scan);

/// Returns true if the name has the extension of a supported format, as in "scan.pcd.bin".
[[nodiscard]] bool is_scene_name(const std::string& file_name);

// The functions below return the readers that formats() lists. Each function returns the only instance of its
// reader. Readers have no state.

/// Reads rows of 4 float32 values: x, y, z, intensity.
[[nodiscard]] const SceneReader& kitti_reader() noexcept;
/// Reads rows of 5 float32 values: x, y, z, intensity, and the ring (nuScenes) or the elongation (Waymo).
[[nodiscard]] const SceneReader& nuscenes_reader() noexcept;
/// Reads rows of 6 float32 values: x, y, z, r, g, b.
[[nodiscard]] const SceneReader& xyzrgb_reader() noexcept;
[[nodiscard]] const SceneReader& pcd_reader() noexcept;
[[nodiscard]] const SceneReader& ply_reader() noexcept;
[[nodiscard]] const SceneReader& text_reader() noexcept;
[[nodiscard]] const SceneReader& npy_reader() noexcept;
[[nodiscard]] const SceneReader& npz_reader() noexcept;
[[nodiscard]] const SceneReader& las_reader() noexcept;
[[nodiscard]] const SceneReader& voxel_reader() noexcept;  ///< Reads voxels and their features.

/// Reads rows of numbers without a header, in all layouts that the readers above do not support.
[[nodiscard]] const SceneReader& row_reader() noexcept;

/// Returns the format of a file without a header: "kitti", "nuscenes", "xyzrgb" or "rows". Returns an empty
/// string if no layout fits clearly. `file_name` must be in lower case.
[[nodiscard]] std::string_view guess_rows(std::span<const std::byte> bytes, std::string_view file_name);
/// Returns an error that explains why guess_rows() found no layout. It lists the layouts that were tested.
/// The message begins with `path`.
[[nodiscard]] UnclearFormat no_rows_found(std::span<const std::byte> bytes, std::string_view file_name,
                                          std::string_view path);

// The functions below read a scene that another program writes to standard input. Standard input can be read
// only once.

/// The scene name that means standard input. A file with this name can be opened as "./-".
inline constexpr std::string_view standard_input = "-";
/// The name of standard input in messages.
inline constexpr std::string_view standard_input_name = "standard input";

[[nodiscard]] inline bool is_standard_input(const std::filesystem::path& scene) {
  return scene == standard_input;
}

/// Reads standard input to its end. Throws `Error(input)` if standard input is a terminal, cannot be read, is
/// empty, or has more than `max_bytes`. Throws NotEnoughMemory as soon as the input exceeds `free_bytes`,
/// because its length is not known in advance. While it waits for the writer, it reaches a checkpoint at
/// least every 50 ms and can throw `Error(cancelled)`.
[[nodiscard]] std::vector<std::byte> read_standard_input(std::uint64_t max_bytes,
                                                         std::optional<std::uint64_t> free_bytes, Job& job);

/// Like read_standard_input(), but for any open file descriptor. `name` is the name of the input in messages.
[[nodiscard]] std::vector<std::byte> read_to_end(int descriptor, std::string_view name,
                                                 std::uint64_t max_bytes,
                                                 std::optional<std::uint64_t> free_bytes, Job& job);

}  // namespace spira

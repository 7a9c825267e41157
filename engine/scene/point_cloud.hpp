// Defines PointCloud, a loaded scene as points. It also names the file or the generator of the points.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace spira {

using Point = std::array<double, 3>;  ///< In metres, as in the file, without a shift.
using Colour = std::array<std::uint8_t, 3>;

/// Facts about one attribute of a file: its column, and the range of its values in the file.
struct AttributeFacts {
  std::string name;              ///< Example: "intensity", "r", "normal x".
  std::string column;            ///< Name in the file. Empty if the file has no names.
  double low = 0.0, high = 0.0;  ///< Range of the finite values, or 0 and 0.
  std::int64_t non_finite = 0;   ///< NaN or infinite values of the points that were kept.
  /// True if the cloud contains the attribute. False for attributes that are recognised but not used, such as
  /// normals.
  bool kept = false;
};

/// The points of a scene. Each attribute is either empty or has one value per point. All positions and
/// intensities are finite.
struct PointCloud {
  std::vector<Point> positions;
  std::vector<float> intensity;
  std::vector<Colour> colour;
  std::vector<std::uint32_t> label;

  std::string name;  ///< File name without the folder, or name of the generator.
  /// The path as the user gave it ("-" is standard input), or a text such as "generated:street seed 1".
  std::string source;
  std::string format;  ///< Id of the format, such as "kitti".
  /// Example: "read as KITTI x,y,z,intensity; 124,668 points".
  std::string reading;
  /// Further notes for the user, one line each. Example: "52,744 points were not finite and dropped".
  std::vector<std::string> notes;
  /// All attributes of the file except the coordinates, in the order of the columns.
  std::vector<AttributeFacts> attributes;
  std::vector<std::string> skipped;  ///< Names of the columns that were not used.
  std::int64_t dropped_non_finite = 0;
  std::int64_t every = 1;  ///< Every n-th point of the file was read.
  /// Number of points in the file. 0 if the cloud does not come from a file.
  std::int64_t in_file = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(positions.size()); }
};

struct Bounds {
  Point low{0, 0, 0}, high{0, 0, 0};
  bool operator==(const Bounds&) const = default;
};
/// The box is half-open: it contains `low` but not `high`.
[[nodiscard]] inline bool inside(const Bounds& box, const Point& p) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (p[axis] < box.low[axis] || p[axis] >= box.high[axis]) return false;
  }
  return true;
}
/// Returns a text such as "x -12.50 to 40.00, y ..., z ... m".
[[nodiscard]] std::string text_of(const Bounds& box);
[[nodiscard]] Bounds bounds(const PointCloud& cloud);  ///< Returns zeros for an empty cloud.

/// Throws Error(usage) if write_scene() does not support the extension of `path`.
void require_written_format(const std::filesystem::path& path);

/// Writes the points to a file. Throws `Error(usage)` for an unknown extension, and the errors of
/// write_file().
void write_scene(const PointCloud& cloud, const std::filesystem::path& path,
                 const std::stop_token& stop = {});

}  // namespace spira

// A loaded scene as points, with the file or generator that it comes from.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace spira {

using Point = std::array<double, 3>;  ///< in metres, as in the file (never shifted)
using Colour = std::array<std::uint8_t, 3>;

/// An attribute found in a file: its column and the range of its values as stored in the file.
struct AttributeFacts {
  std::string name;              ///< "intensity", "r", "normal x"
  std::string column;            ///< column name in the file; empty if the file does not name its columns
  double low = 0.0, high = 0.0;  ///< range of the finite values; both 0 if there are none
  std::int64_t non_finite = 0;   ///< NaN or infinite values of the points that were kept
  /// False for attributes that are recognised but not used, such as normals.
  bool kept = false;
};

/// The points of a scene. Each attribute is empty or has one value per point. All positions and intensities
/// are finite.
struct PointCloud {
  std::vector<Point> positions;
  std::vector<float> intensity;
  std::vector<Colour> colour;
  std::vector<std::uint32_t> label;

  std::string name;  ///< file name without folder, or name of the generator
  /// Path as given ("-" is standard input), or "generated:street seed 1".
  std::string source;
  std::string format;   ///< id of the format, "kitti"
  std::string reading;  ///< "read as KITTI x,y,z,intensity; 124,668 points"
  /// Further remarks, one line each ("52,744 points were not finite and dropped").
  std::vector<std::string> notes;
  /// All attributes except the coordinates, in the order of the file's columns.
  std::vector<AttributeFacts> attributes;
  std::vector<std::string> skipped;  ///< names of the columns that were not used
  std::int64_t dropped_non_finite = 0;
  std::int64_t every = 1;  ///< only every n-th point of the file was read
  /// Number of points in the file. 0 if the cloud is not from a file.
  std::int64_t in_file = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(positions.size()); }
};

struct Bounds {
  Point low{0, 0, 0}, high{0, 0, 0};
  bool operator==(const Bounds&) const = default;
};
/// Returns true if `p` is in the half-open box: [low, high) on each axis.
[[nodiscard]] inline bool inside(const Bounds& box, const Point& p) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (p[axis] < box.low[axis] || p[axis] >= box.high[axis]) return false;
  }
  return true;
}
/// Returns "x -12.50 to 40.00, y ..., z ... m".
[[nodiscard]] std::string text_of(const Bounds& box);
[[nodiscard]] Bounds bounds(const PointCloud& cloud);  ///< returns zeros for an empty cloud

/// Throws Error(usage) if write_scene() does not know the extension of `path`.
void require_written_format(const std::filesystem::path& path);

/// Throws `Error(usage)` for an unknown extension, and the errors of write_file().
void write_scene(const PointCloud& cloud, const std::filesystem::path& path,
                 const std::stop_token& stop = {});

}  // namespace spira

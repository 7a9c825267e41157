// A loaded scene as points, and where it came from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace spira {

using Point = std::array<double, 3>;  ///< metres, as in the file (never shifted)
using Colour = std::array<std::uint8_t, 3>;

/// An attribute that was found in a file: its column and the range of its values as they are stored there.
struct AttributeFacts {
  std::string name;              ///< "intensity", "r", "normal x"
  std::string column;            ///< name of the column in the file; empty if the file names no columns
  double low = 0.0, high = 0.0;  ///< over the finite values; both 0 if there are none
  std::int64_t non_finite = 0;   ///< NaN or infinite values of points that were kept
  bool kept = false;             ///< false: recognised, but neither shown nor used (normals)
};

/// Attributes are empty or as long as `positions`. All positions are finite, and so are all intensities.
struct PointCloud {
  std::vector<Point> positions;
  std::vector<float> intensity;
  std::vector<Colour> colour;
  std::vector<std::uint32_t> label;

  std::string name;     ///< file name without folder, or the generator's name
  std::string source;   ///< path as given ("-": standard input), or "generated:street seed 1"
  std::string format;   ///< id of the format, "kitti"
  std::string reading;  ///< "read as KITTI x,y,z,intensity; 124,668 points"
  std::vector<std::string>
      notes;  ///< further remarks, one line each ("52,744 points were not finite and dropped")
  std::vector<AttributeFacts> attributes;  ///< all but the coordinates, in the order of the file's columns
  std::vector<std::string> skipped;        ///< names of the columns that were not used
  std::int64_t dropped_non_finite = 0;
  std::int64_t every = 1;    ///< only every n-th point of the file was read
  std::int64_t in_file = 0;  ///< points that the file holds; 0: it comes from no file

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(positions.size()); }
};

struct Bounds {
  Point low{0, 0, 0}, high{0, 0, 0};
  bool operator==(const Bounds&) const = default;
};
/// Half-open: [low, high) on each axis.
[[nodiscard]] inline bool inside(const Bounds& box, const Point& p) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (p[axis] < box.low[axis] || p[axis] >= box.high[axis]) return false;
  }
  return true;
}
/// "x -12.50 to 40.00, y ..., z ... m"
[[nodiscard]] std::string text_of(const Bounds& box);
[[nodiscard]] Bounds bounds(const PointCloud& cloud);  ///< zeros for an empty cloud

}  // namespace spira

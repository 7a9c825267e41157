// Defines PointCloud, the points of a loaded scene. It also stores the file or the generator of the points.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// The unit of the coordinates of a scene. Voxel files contain cells of unknown size, so their coordinates
/// are cells, not metres.
enum class LengthUnit : std::uint8_t { metres, cells };
[[nodiscard]] std::string_view text_of(LengthUnit unit) noexcept;  ///< Returns "metres" or "cells".
/// Returns a length with its unit, such as "0.05 m", "1 cell" or "3, 4, 0 cells".
[[nodiscard]] std::string with_unit(const std::string& number, LengthUnit unit);

/// In the unit of the scene (PointCloud::unit()), as in the file. No shift is subtracted. Names that end in
/// "_m" are in metres, or in cells if the scene comes from a voxel file.
using Point = std::array<double, 3>;
using Colour = std::array<std::uint8_t, 3>;
constexpr int max_batch = 256;  ///< The largest number of frames in a batch.

/// One attribute of a file: its column, and the range of its values.
struct AttributeFacts {
  std::string name;              ///< For example "intensity", "r" or "normal x".
  std::string column;            ///< Column name in the file. Empty if there is none.
  double low = 0.0, high = 0.0;  ///< Range of the finite values in the file. Both are 0 if there are none.
  std::int64_t non_finite = 0;   ///< Number of kept points whose value is NaN or infinite.
  /// True if the cloud contains the values. False for attributes that the program recognises but does not
  /// use, such as normals.
  bool kept = false;
};

/// The points that the layers of a network read, apart from the voxels of its levels. Row i of a layer on
/// points belongs to point i.
struct PointRows {
  std::vector<Point> positions;  ///< In voxels of level 0, without a shift.
  /// The frame of each point. Empty if the scene is not a batch.
  std::vector<std::uint8_t> frames;
  std::vector<float> features;  ///< Shape: [points][channels]. Empty if the file contains no features.
  int channels = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(positions.size()); }
  [[nodiscard]] int frame(std::int64_t row) const {
    return frames.empty() ? 0 : frames[static_cast<std::size_t>(row)];
  }
};

/// The points of a scene. Each attribute is either empty or has one value per point. All positions and
/// intensities are finite.
struct PointCloud {
  std::vector<Point> positions;
  std::vector<float> intensity;
  std::vector<Colour> colour;
  std::vector<std::uint32_t> label;
  /// Features of the points. The input features of a network are their means over the points of a voxel. If
  /// there are none, the input features are x, y, z and intensity. Voxel files always contain features.
  /// Shape: [points][feature_channels].
  std::vector<float> features;
  int feature_channels = 0;
  bool from_voxel_file = false;  ///< True if each point is a voxel of a voxel file.
  /// The arrays "points" and "point_features" of a voxel file. `nullptr` if the file has no such arrays.
  std::shared_ptr<const PointRows> point_rows{};
  /// For a batch of frames: the index of the first point of each frame, followed by the number of points. The
  /// points of a frame are adjacent, and a frame can be empty. Empty for one frame.
  std::vector<std::int64_t> frame_starts;
  /// Number of frames of a batch, or 1.
  [[nodiscard]] int batch() const noexcept {
    return frame_starts.empty() ? 1 : static_cast<int>(frame_starts.size()) - 1;
  }
  /// Number of input features that a voxel gets from this cloud.
  [[nodiscard]] int input_channels() const noexcept { return feature_channels > 0 ? feature_channels : 4; }
  /// Unit of the coordinates. All texts and files that name a unit use this value or a copy of it.
  [[nodiscard]] LengthUnit unit() const noexcept {
    return from_voxel_file ? LengthUnit::cells : LengthUnit::metres;
  }

  std::string name;  ///< Name of the file without its folder, or name of the generator.
  /// The path as the user entered it ("-" means standard input), or the name of a generated scene, such as
  /// "generated:street seed 1".
  std::string source;
  /// The sources of the frames of a batch, if the batch was joined from several scenes. Otherwise empty.
  std::vector<std::string> frame_sources;
  std::string format;  ///< The id of the format in formats(), such as "kitti".
  /// Describes how the file was read, for example "read as KITTI x,y,z,intensity; 124,668 points".
  std::string reading;
  /// Other notes for the user, one line each, such as "52,744 points were not finite and were dropped".
  std::vector<std::string> notes;
  /// All attributes of the file except the coordinates, in column order.
  std::vector<AttributeFacts> attributes;
  std::vector<std::string> skipped;  ///< Names of the columns that were not used.
  std::int64_t dropped_non_finite = 0;
  std::int64_t every = 1;  ///< The value n: every n-th point of the file was read.
  /// The number of points in the file. 0 if the points do not come from a file.
  std::int64_t in_file = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(positions.size()); }
};

struct Bounds {
  Point low{0, 0, 0}, high{0, 0, 0};
  bool operator==(const Bounds&) const = default;
};
/// Returns true if `p` is in the box. The box is half-open: it contains `low` but not `high`.
[[nodiscard]] inline bool inside(const Bounds& box, const Point& p) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (p[axis] < box.low[axis] || p[axis] >= box.high[axis]) return false;
  }
  return true;
}
/// Returns the box as text, such as "x -12.50 to 40.00, y ..., z ... m".
[[nodiscard]] std::string text_of(const Bounds& box, LengthUnit unit);
[[nodiscard]] Bounds bounds(const PointCloud& cloud);  ///< Returns a box of zeros for an empty cloud.

/// Throws `Error(usage)` if write_scene() cannot write a file with the extension of `path`.
void require_written_format(const std::filesystem::path& path);

/// Writes the points to a file in the format of its extension. Throws `Error(usage)` if the extension is not
/// supported, and the errors of write_file().
void write_scene(const PointCloud& cloud, const std::filesystem::path& path,
                 const std::stop_token& stop = {});

}  // namespace spira

// The points of a scene on the device, and functions that compute their grid cells.
#pragma once

#include "engine/voxel/grid.hpp"
#include "kernels/cuda/device/device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace spira::cuda {

/// Number of input features of a cloud without PointCloud::features: x, y, z and intensity.
constexpr int position_channels = 4;

/// The points of a scene, and the parameters for computing their cells. All members are plain values, because
/// kernels receive the struct by value.
struct PointsOnDevice {
  const double* positions;  ///< Shape: [points][3].
  double voxel_m[3], low[3], high[3];
  std::int64_t shift[3];
  bool cropped;
  PackSpec pack;
  const std::uint8_t* frames;  ///< The frame of each point of a batch, otherwise `nullptr`.
  int frame_cells;             ///< For a batch: the extent of one frame along x.

  [[nodiscard]] __device__ bool keeps(std::int64_t point) const {
    if (!cropped) return true;
    for (int axis = 0; axis < 3; ++axis) {
      const double p = positions[(3 * point) + axis];
      if (p < low[axis] || p >= high[axis]) return false;
    }
    return true;
  }
  /// Returns the coordinate of the point's cell along one axis, relative to the shift. In a batch, it is the
  /// coordinate in the frame of the point.
  [[nodiscard]] __device__ std::int64_t cell(std::int64_t point, int axis) const {
    return static_cast<std::int64_t>(floor(positions[(3 * point) + axis] / voxel_m[axis])) - shift[axis];
  }
  [[nodiscard]] __device__ std::uint64_t key(std::int64_t point) const {
    std::uint64_t v[3];
    for (int axis = 0; axis < 3; ++axis)
      v[axis] = static_cast<std::uint64_t>(cell(point, axis));
    if (frames != nullptr) v[0] += first_cell(point);
    return (v[0] << (pack.y_bits + pack.z_bits)) + (v[1] << pack.z_bits) + v[2];
  }
  /// Returns the first x coordinate of the frame of a point. The frames of a batch are one after another
  /// along x (PackSpec::batch_extent()). There must be frames.
  [[nodiscard]] __device__ std::uint64_t first_cell(std::int64_t point) const {
    return static_cast<std::uint64_t>(frames[point]) << pack.x_bits;
  }
};

[[nodiscard]] inline PointsOnDevice describe(const double* positions, const Grid& grid, const PackSpec& pack,
                                             const std::array<std::int64_t, 3>& shift,
                                             const std::uint8_t* frames, std::int64_t frame_cells) {
  PointsOnDevice points{};
  points.frames = frames;
  points.frame_cells = static_cast<int>(frame_cells);
  points.positions = positions;
  points.cropped = grid.crop_m.has_value();
  points.pack = pack;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    points.voxel_m[axis] = grid.voxel_m[axis];
    points.shift[axis] = shift[axis];
    if (!grid.crop_m) continue;
    points.low[axis] = grid.crop_m->low[axis];
    points.high[axis] = grid.crop_m->high[axis];
  }
  return points;
}

/// The point values whose means are the input features of a voxel.
struct MeanInputs {
  const double* positions;
  /// PointCloud::features if `feature_channels` is not 0, otherwise intensities. `nullptr` means that each
  /// intensity is 1.
  const float* values;
  double origin[3];
  int feature_channels;

  [[nodiscard]] __host__ __device__ int channels() const {
    return feature_channels != 0 ? feature_channels : position_channels;
  }
  /// Returns an input feature of a point in a cloud without features: x, y or z relative to the origin, or
  /// the intensity.
  [[nodiscard]] __device__ double position_value(std::int64_t point, int channel) const {
    // These comparisons avoid an array index that differs between threads, which would move `origin` to local
    // memory.
    const double from = channel == 0 ? origin[0] : channel == 1 ? origin[1] : origin[2];
    if (channel < 3) return positions[(3 * point) + channel] - from;
    return values == nullptr ? 1.0 : static_cast<double>(values[point]);
  }
  [[nodiscard]] __device__ double feature(std::int64_t point, int channel) const {
    return static_cast<double>(values[(point * feature_channels) + channel]);
  }
};

}  // namespace spira::cuda

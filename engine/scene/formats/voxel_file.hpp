// Creates a point cloud from a voxel file, which contains voxels and their features as another library
// computed them.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// The arrays of a voxel file: "coords" and "features", and optionally "points" and "point_features".
struct VoxelRows {
  int columns = 3;                   ///< 3 for the columns x, y, z. 4 for the columns batch index, x, y, z.
  std::vector<std::int64_t> coords;  ///< Shape: [voxels][columns].
  int channels = 0;
  std::vector<float> features;  ///< Shape: [voxels][channels].
  /// The array "points": positions in voxels, with the batch index first if `point_columns` is 4. 0 columns
  /// if the file has no points.
  int point_columns = 0;
  std::vector<double> points{};         ///< Shape: [points][point_columns].
  int point_channels = 0;               ///< 0 if the file has no array "point_features".
  std::vector<float> point_features{};  ///< Shape: [points][point_channels].
};

/// Returns a cloud with one point in the centre of each voxel. Voxels have an edge of 1, so a grid of 1
/// restores the coordinates. If the batch indices differ, the cloud is a batch of as many frames as the
/// largest index + 1, and its points are ordered by frame. Throws `Error(input)` if the arrays have different
/// numbers of rows, if a voxel occurs twice in a frame, if a batch index is not 0 to 255, if a coordinate or
/// a point is beyond +-2^30, or if a value is not finite. Throws `Error(usage)` if `limits` asks for a part
/// of the rows.
[[nodiscard]] PointCloud cloud_of_voxels(VoxelRows rows, std::string_view file_name,
                                         const std::string& format, const ReadLimits& limits, Job& job);

}  // namespace spira

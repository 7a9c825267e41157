// Computes the values of points whose means are the input features of a network.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

enum class PointValue : std::uint8_t {
  x,
  y,
  z,
  intensity,
  red,
  green,
  blue,
  label,
  count,  ///< Number of points in the voxel of the point.
  one     ///< 1 for each point.
};
/// Returns the name in network files: "x", "intensity", "r", "label", "one" ...
[[nodiscard]] std::string_view text_of(PointValue value) noexcept;

/// The coordinates to which x, y and z refer.
enum class PointFrame : std::uint8_t {
  scene,  ///< Metres, as in the file.
  grid,   ///< Voxels of the grid, from the origin of the scene.
  voxel   ///< Metres, from the centre of the voxel.
};
[[nodiscard]] std::string_view text_of(PointFrame frame) noexcept;

/// One input feature of a network: value * scale + add, as the mean over the points of a voxel.
struct InputFeature {
  PointValue value = PointValue::x;
  PointFrame frame = PointFrame::scene;
  double scale = 1, add = 0;
  bool operator==(const InputFeature&) const = default;
};

/// Returns a cloud with the positions of `cloud` and the values that `features` describe, as
/// PointCloud::features. Throws `Error(input)` if the cloud lacks an attribute, such as the intensity or the
/// colours.
[[nodiscard]] std::shared_ptr<const PointCloud> with_input_features(const PointCloud& cloud, const Grid& grid,
                                                                    std::span<const InputFeature> features,
                                                                    Job& job);

}  // namespace spira

// Scenes: the points or voxels that a network reads.
//
//   spira::Scene scan = spira::read_scene("000000.bin");
//   spira::Scene mine = spira::Scene::points(spira::Tensor::view(positions, {count, 3}));
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <spira/tensor.hpp>
#include <spira/version.hpp>
#include <stop_token>
#include <string>

namespace spira::library {
struct Access;
struct SceneState;
}  // namespace spira::library

namespace spira::v0 {

/// Immutable points or voxels in host memory. Copies share their content. All functions are thread-safe.
class Scene {
 public:
  /// Points of a scan. Copies the values.
  /// - `positions`: float32 or float64 [points, 3], x, y, z in metres. Large coordinates need float64.
  /// - `intensity`: float32 [points]. If it is empty, networks that read intensities get 1.
  /// - `name`: identifies the scene in messages and reports. An empty name becomes "points".
  /// Throws `Error(usage)` for another type, shape or memory, and `Error(input)` if a value is NaN or
  /// infinite.
  [[nodiscard]] static Scene points(const Tensor& positions, const Tensor& intensity = {},
                                    const std::string& name = {});
  /// Voxels with their input features, as another library computed them. Copies the values.
  /// - `coordinates`: int32 [voxels, 3], x, y, z in voxels, or [voxels, 4] with the batch index first. The
  ///   outputs then have batch indices too, even if all indices are equal. The number of frames is the
  ///   largest batch index plus 1; the scene cannot contain frames without voxels after it.
  /// - `features`: float32 [voxels, channels], with Network::input_channels() channels.
  /// - `name`: identifies the scene in messages and reports. An empty name becomes "voxels".
  /// The order of the rows is free. Throws `Error(usage)` for another type, shape or memory. Throws
  /// `Error(input)` if a voxel occurs twice, a coordinate is beyond +-2^30, a batch index is not 0 to 255, or
  /// a value is NaN or infinite.
  [[nodiscard]] static Scene voxels(const Tensor& coordinates, const Tensor& features,
                                    const std::string& name = {});

  /// The number of points, or of voxels.
  [[nodiscard]] std::int64_t size() const noexcept;
  /// True if the scene contains voxels with their features.
  [[nodiscard]] bool has_voxels() const noexcept;

 private:
  friend struct library::Access;
  Scene() = default;
  std::shared_ptr<const library::SceneState> state_;
};

/// Reads a scan or a voxel file (docs/file-formats.md), or generates a built-in scene: "street", "room",
/// "random", or "street:7" for the seed 7. The format is detected from the content. `format` sets it instead,
/// such as "kitti". A voxel file whose rows all have the same batch index is one scene without a batch, as
/// for `spira run`. Throws `Error(input)` if the file cannot be read, `Error(usage)` for an unknown format,
/// `Error(memory)` if the points do not fit in memory, and `Error(cancelled)` within 100 ms after a stop
/// request. Thread-safe.
[[nodiscard]] Scene read_scene(const std::string& file, const std::string& format = {},
                               std::stop_token stop = {});

/// Points in voxels, with the means of their features. Scene::voxels() accepts `coordinates` and `features`.
struct Voxels {
  Tensor coordinates;     ///< int32 [voxels, 3]: x, y, z in voxels, sorted by x, then y, then z.
  Tensor features;        ///< float32 [voxels, channels]: the mean over the points of each voxel.
  Tensor voxel_of_point;  ///< int32 [points]: the row of `coordinates` with the voxel of each point.
};
/// Computes the voxel floor(p / voxel_m) of each point p, as Runner::run() does for a network without
/// `input.grid`, and the means of the features of its points. Uses all cores of the CPU.
/// - `positions`: float32 or float64 [points, 3], x, y, z in metres. Large coordinates need float64.
/// - `voxel_m`: the edges of a voxel along x, y and z, in metres.
/// - `features`: float32 [points, channels]. If it is empty, the result has no channels.
/// Throws `Error(usage)` for another type, shape or memory and for edges that are not positive, and
/// `Error(input)` if there are no points or a value is NaN or infinite. Throws `Error(does_not_fit)` if the
/// points span too many voxels or a coordinate is beyond +-2^30, and `Error(cancelled)` within 100 ms after a
/// stop request. Thread-safe.
[[nodiscard]] Voxels voxelize(const Tensor& positions, const std::array<double, 3>& voxel_m,
                              const Tensor& features = {}, std::stop_token stop = {});

}  // namespace spira::v0

// Runs a model on scenes.
//
//   spira::Runner runner(model);
//   spira::Result result = runner.run(scene, {.voxel_m = {0.05, 0.05, 0.05}});
//   const spira::Output& last = result.outputs.back();
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <spira/model.hpp>
#include <spira/scene.hpp>
#include <spira/tensor.hpp>
#include <spira/version.hpp>
#include <stop_token>
#include <string>
#include <vector>

namespace spira::library {
struct RunnerState;
}  // namespace spira::library

namespace spira::v0 {

struct RunOptions {
  /// The edges of a voxel along x, y and z, in metres. Zeros mean the voxel size of the network file. For a
  /// scene of voxels, it must be zeros or ones, because another size would split or merge its voxels.
  std::array<double, 3> voxel_m{};
  /// Names of the layers whose outputs are wanted. Empty means Network::outputs().
  std::vector<std::string> outputs{};
  /// The memory of the features in the result. `cuda` requires a model on a GPU and saves the copy to the
  /// host.
  Memory memory = Memory::host;
  /// Ends the run with `Error(cancelled)` after a stop request: on the CPU within 100 ms, and on a GPU before
  /// the next layer. The copy of the weights in the first run is not ended.
  std::stop_token stop{};
};

/// The output of one layer. The tensors own their values and stay valid after the runner is destroyed.
struct Output {
  std::string layer;
  /// [voxels, channels], float32 or float16 as in the model. A layer with the operation "dense" has the shape
  /// of the network file, with the frames of a batch as the first dimension, and is always in host memory.
  /// The number of frames is the largest batch index plus 1, because the scene does not contain frames
  /// without voxels after it. A layer on points has the shape [points, channels].
  Tensor features;
  /// int32 [voxels, 3]: x, y, z of the voxel of each row, in voxels of the input and therefore multiples of
  /// the stride of the layer; [voxels, 4] with the batch index first for a batch, which is a scene whose
  /// coordinates have a batch index, even if all indices are equal. The voxel of a point p is
  /// floor(p / voxel_m) = coordinates + Result::shift; if the network file has an origin (`low_m` of
  /// `input.grid`), p counts from there. For a layer on points: float32 [points, 3], in voxels and without a
  /// shift. Empty for a dense output. Always in host memory.
  Tensor coordinates;
};

struct Result {
  std::vector<Output> outputs;  ///< In the order of RunOptions::outputs or Network::outputs().
  /// Is added to coordinates. The sum can exceed 32 bits, for example for coordinates of a map.
  std::array<std::int64_t, 3> shift{};
};

/// Runs scenes one after the other. A runner keeps the weights and the memory of its runs on the device. Only
/// one thread at a time may use a runner; use one for each thread. The runners of a model are independent.
class Runner {
 public:
  /// Opens the device. Throws `Error(device)` if this fails. The first run copies the weights to the device,
  /// so it takes longer than later runs, and it throws `Error(memory)` if they do not fit.
  explicit Runner(const Model& model);
  Runner(Runner&& other) noexcept;
  Runner& operator=(Runner&& other) noexcept;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  /// Voxelises the scene and runs all layers. Returns when the outputs are complete, also on a GPU. Throws
  /// - `Error(usage)` if an output is not a layer of the network, or the voxel size is missing or wrong;
  /// - `Error(input)` if the scene lacks an attribute, has another number of features, or has no points;
  /// - `Error(does_not_fit)` if the scene spans too many voxels;
  /// - `Error(memory)`, `Error(device)` and `Error(cancelled)`.
  /// After an error, the runner can run other scenes.
  [[nodiscard]] Result run(const Scene& scene, const RunOptions& options = {});

 private:
  std::unique_ptr<library::RunnerState> state_;
};

}  // namespace spira::v0

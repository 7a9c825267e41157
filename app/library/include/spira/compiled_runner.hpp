// Runs a model on scenes in GPU memory, on a CUDA stream of the program.
//
//   spira::CompiledRunner runner(model, example, {.voxel_m = {0.05, 0.05, 0.05}});
//   runner.enqueue(positions, intensity, stream);  // returns at once
//   // Kernels that are launched on `stream` now can read runner.outputs().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <spira/model.hpp>
#include <spira/scene.hpp>
#include <spira/tensor.hpp>
#include <spira/version.hpp>
#include <string>
#include <vector>

namespace spira::library {
struct CompiledState;
}  // namespace spira::library

namespace spira::v0 {

/// The capacity and the outputs of a compiled network. A scene can have another number of points and other
/// voxels than the example, but it must not exceed the capacity.
struct CompileOptions {
  /// The edges of a voxel along x, y and z, as RunOptions::voxel_m.
  std::array<double, 3> voxel_m{};
  /// Names of the layers whose outputs are wanted. Empty means Network::outputs().
  std::vector<std::string> outputs{};
  /// The largest number of points, and of voxels of each layer, divided by the number of the example. The two
  /// corners below count as points of the example. At least 1.
  double headroom = 1;
  /// Two corners of a box that contains the points of all scenes: in metres, or in voxels for an example of
  /// voxels. The device memory grows with the volume of the box. If both corners are equal, the box is the
  /// bounding box of the example.
  std::array<double, 3> low{}, high{};
};

/// The memory of one output, on the GPU. Every run writes to the same memory. A run writes only the first
/// `rows` rows.
struct CompiledOutput {
  std::string layer;
  /// [capacity, channels], float32 or float16 as in the model. For a layer with the operation "dense", the
  /// whole grid, in the shape of Output::features.
  Tensor features;
  /// int32 [capacity, 3], or [capacity, 4] for an example with batch indices, as Output::coordinates. Add
  /// CompiledRunner::shift() to x, y and z. Empty for a dense output.
  Tensor coordinates;
  /// int32 [1]: the number of voxels of the layer. -1 if the scene exceeded the capacity; then the output
  /// does not belong to any scene.
  Tensor rows;
};

/// A network as one CUDA graph, with fixed memory. A run does not allocate memory, and the host never waits.
/// Only one thread at a time may use a compiled runner.
class CompiledRunner {
 public:
  /// Compiles the network, allocates its memory, and runs the example once. Throws
  /// - `Error(usage)` if the model is not on a GPU, if its network or its plan cannot run as one graph, if an
  ///   output is not a layer, if an option is wrong, or if the example contains points with coordinates of
  ///   10,000 m or more, because x, y and z are input features. The message contains the reason;
  /// - the same errors as Runner::run() for the example, and `Error(memory)`.
  CompiledRunner(const Model& model, const Scene& example, const CompileOptions& options = {});
  CompiledRunner(CompiledRunner&& other) noexcept;
  CompiledRunner& operator=(CompiledRunner&& other) noexcept;
  CompiledRunner(const CompiledRunner&) = delete;
  CompiledRunner& operator=(const CompiledRunner&) = delete;
  /// Waits until all runs have finished.
  ~CompiledRunner();

  /// Adds a run to `stream`, a cudaStream_t; `nullptr` is the default stream. Work that is already in the
  /// stream can still write the inputs, and work that is added later can read the outputs. Runs on different
  /// streams do not overlap, but the program must order the work that reads the outputs before the next run.
  /// The inputs are in the memory of the GPU of the model. They must stay valid and unchanged until the run
  /// has read them; work that is added to the stream later may overwrite them. They have the kind of the
  /// example:
  /// - points: `positions`, float32 or float64 [points, 3] in metres; `values`, float32 [points], the
  ///   intensities. Without `values`, each intensity is 1;
  /// - voxels: `positions`, int32 [voxels, 3], or [voxels, 4] with the batch index first if the example has
  ///   one; `values`, float32 [voxels, channels]. The features of equal voxels are averaged.
  /// Throws `Error(usage)` for another type, shape or memory, `Error(does_not_fit)` if there are more points
  /// than the capacity, and `Error(device)`. Throws `Error(usage)` also if the stream is being captured.
  /// Values are not checked: a point that is NaN or outside the box exceeds the capacity. If a scene exceeds
  /// another capacity than the number of points, `rows` of all its outputs is -1, and the next wait() throws.
  /// The next run is not affected.
  void enqueue(const Tensor& positions, const Tensor& values, void* stream);
  /// Waits until all runs have finished. Throws `Error(does_not_fit)` if a scene exceeded the capacity since
  /// the last call, and `Error(device)` if a run failed.
  void wait();

  /// In the order of CompileOptions::outputs. The tensors stay valid after the runner is destroyed.
  [[nodiscard]] const std::vector<CompiledOutput>& outputs() const noexcept;
  /// Is added to coordinates, as Result::shift. It is the same for all runs.
  [[nodiscard]] const std::array<std::int64_t, 3>& shift() const noexcept;

 private:
  std::unique_ptr<library::CompiledState> state_;
};

}  // namespace spira::v0

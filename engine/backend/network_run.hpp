// Declares compiled networks. A run of a compiled network indexes all layers and then computes all features,
// without returning to the host (section 5.5 of the Spira paper).
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/job/job.hpp"
#include "engine/job/timeline.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/network/weights.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

struct UploadedWeights;

/// The size limits of a compiled network. The network rejects scenes that exceed them.
struct Capacity {
  std::int64_t points = 0;
  std::vector<std::int64_t> voxels;  ///< One limit per level in levels.sets.
  /// Number of cells per axis, counted from the shift, of all levels. In a batch: PackSpec::batch_extent().
  std::array<std::int64_t, 3> extent{};
  std::array<std::int64_t, 3> frame_extent{};  ///< The same for one frame of a batch.
  int batch = 1;                               ///< Number of frames.
  int feature_channels = 0;                    ///< PointCloud::feature_channels of all clouds.
};

/// Points in the memory of the back end (NetworkRun::enqueue()).
struct PointsInMemory {
  /// cells are voxels: int32 [count][3], or [count][4] with the batch index first in a batch.
  enum class Type : std::uint8_t { f32, f64, cells };
  Type type = Type::f32;
  bool batch_index = false;  ///< Only for cells. Must be true if the network was compiled for a batch.
  std::int64_t count = 0;
  const void* positions = nullptr;  ///< float or double [count][3], or the cells.
  /// PointCloud::features as [count][channels], or the intensities. `nullptr` means that each intensity is 1.
  const float* values = nullptr;
};

/// The memory of the back end to which a queued run writes the output of a layer (NetworkRun::enqueue()).
struct OutputMemory {
  int layer = 0;
  /// [capacity][channels] in the precision of the plan. For a layer with the operation dense: one grid for
  /// each frame, with the layout of dense_grid().
  void* features = nullptr;
  /// [capacity][3], or [capacity][4] with the batch index first if `batch_index` is true. x, y and z are in
  /// voxels of level 0, without the shift. `nullptr` for the operation dense.
  std::int32_t* coordinates = nullptr;
  bool batch_index = false;
  /// One value: the number of voxels, or -1 if the scene exceeded the capacity. Then the other values are
  /// not valid.
  std::int32_t* rows = nullptr;
};

struct NetworkRunRequest {
  std::shared_ptr<const Network> network;
  Levels levels;
  Plan plan;
  Grid grid;
  PackSpec pack;
  std::array<std::int64_t, 3> shift{};
  Capacity capacity;
  /// The uploaded weights in the precision of the plan, one entry per layer. They must outlive the run.
  const std::vector<UploadedWeights>* weights = nullptr;
  /// If false, the run only computes voxels, levels and maps, and needs no weights.
  bool features = true;
  /// If true, the outputs of all layers are kept, so that they can be checked. Otherwise only the output of
  /// the last layer is kept.
  bool keep_outputs = false;
  /// If this is not empty, only enqueue() can run the network, and writes these outputs.
  std::vector<OutputMemory> queued_outputs{};
};

struct NetworkRunFacts {
  std::string how;  ///< For example "one CUDA graph of 58 nodes, voxels from an occupancy grid of 54 MB".
  /// Device memory of the compiled network in bytes, predicted before it is allocated.
  std::size_t bytes = 0;
};

/// A compiled network. All calls must come from the thread of its back end, which must outlive it.
class NetworkRun {
 public:
  NetworkRun() = default;
  virtual ~NetworkRun() = default;
  NetworkRun(const NetworkRun&) = delete;
  NetworkRun& operator=(const NetworkRun&) = delete;

  [[nodiscard]] virtual const NetworkRunFacts& facts() const noexcept = 0;
  /// Sets the points for all following runs. If the request has queued outputs, runs the network once. Throws
  /// `Error(does_not_fit)` if they exceed the capacity or are another number of frames.
  virtual void set_points(const PointCloud& cloud) = 0;
  /// Runs the network once and waits until it has finished. Throws `Error(does_not_fit)` if a point is
  /// outside the extent or if a level has more voxels than its capacity. Throws `Error(device)` for device
  /// faults.
  virtual void run() = 0;
  /// Runs the network on points in device memory, after the earlier work of a CUDA stream. Returns before the
  /// run has finished. Work that is added to the stream later sees the outputs (queued_outputs of the
  /// request), which the next run overwrites. Runs on different streams do not overlap. Throws
  /// `Error(does_not_fit)` if there are more points than the capacity. If the scene exceeds another capacity,
  /// OutputMemory::rows becomes -1 and the next wait() throws. Throws
  /// `Error(usage)` if the points are in other memory, or if the stream is being captured. Afterwards, the
  /// thread has the same current device as before.
  virtual void enqueue(const PointsInMemory& points, void* stream);
  /// Waits until all queued runs have finished. Throws `Error(does_not_fit)` if a scene has exceeded the
  /// capacity since the last call.
  virtual void wait();
  /// Runs the network `repetitions` times with timing marks around each piece of work, and returns the
  /// timeline. Also runs the network without marks in between, to measure how much time the marks add. run()
  /// never uses marks. Afterwards, the outputs are the same as after run(). Throws the same errors as run().
  [[nodiscard]] virtual Timeline timeline(int repetitions, Job& job) = 0;
  /// level() returns a copy of a level of the last run, in the memory of the back end. `index` is an index
  /// into levels.sets. output() returns a copy of the output of a layer. `layer` can be any layer if
  /// keep_outputs is set. Otherwise, it must be the last layer or a layer in Network::outputs. Layer -1 is
  /// the input of the network.
  [[nodiscard]] virtual CoordSet level(int index) = 0;
  [[nodiscard]] virtual Features output(int layer) = 0;
};

/// A compiled network, or the reason why it could not be compiled. A network that could not be compiled can
/// still run layer by layer.
struct CompiledNetwork {
  std::unique_ptr<NetworkRun> run;
  std::string why_not;
};

/// The properties of a layer that determine how much memory it needs in addition to its map, its input and
/// its result. The memory forecast uses them.
struct MemoryShape {
  KernelShape kernel;
  int in_channels = 0, out_channels = 0;
  std::int64_t map_inputs = 0, map_outputs = 0;
  bool transposed = false;  ///< True if the rows of the result are the inputs of the map.
  /// `dense` is true if the map has output-stationary parts, `sparse` if it has weight-stationary parts.
  bool dense = true, sparse = false;
  MapLayout dense_layout = MapLayout::z_runs;
  int splits = 0;  ///< Only for the layout mask_sorted.
  Precision precision = Precision::fp32;
  [[nodiscard]] std::int64_t rows() const noexcept { return transposed ? map_inputs : map_outputs; }
  [[nodiscard]] std::size_t values() const noexcept {
    return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(out_channels);
  }
};

constexpr std::size_t bytes_of_pair = 8;

struct PairListShape {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  KernelShape kernel;
  std::int64_t outputs = 0;
  std::size_t columns = 0;  ///< Number of stored columns.
  double pairs = 0;         ///< Estimated sum of the pairs of all columns.
  bool alone = false;       ///< True if this part is the only part of the map.
};

/// The additional memory of a layer in bytes.
struct LayerMemory {
  /// Bytes that are allocated when a layer first needs them. They stay allocated as long as the map.
  std::size_t kept = 0;
  /// Two layers share these bytes if they have the same map and the same `kept_as`.
  int kept_as = 0;
  std::size_t passing = 0;  ///< Bytes that are allocated only while the layer runs.
};

}  // namespace spira

// A whole network in one go: indexing of all layers, then features, without the host in between
// (section 5.5).
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/job/job.hpp"
#include "engine/job/timeline.hpp"
#include "engine/network/weights.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/features.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

struct UploadedWeights;

/// What a run may take at the most; it is compiled for that much and refuses more.
struct Capacity {
  std::int64_t points = 0;
  std::vector<std::int64_t> voxels;      ///< of each of levels.strides
  std::array<std::int64_t, 3> extent{};  ///< in voxels, from the shift on
};

struct NetworkRunRequest {
  std::shared_ptr<const Network> network;
  Levels levels;  ///< of the network
  Plan plan;
  Grid grid;
  PackSpec pack;
  std::array<std::int64_t, 3> shift{};
  Capacity capacity;
  const std::vector<UploadedWeights>* weights = nullptr;  ///< of the plan's precision; they outlive the run
  bool features = true;                                   ///< false: voxel indexing only, without weights
  bool keep_outputs = false;  ///< of all layers, not of the last one only: for checks
};

struct NetworkRunFacts {
  std::string how;        ///< "one CUDA graph of 58 nodes, voxels from an occupancy grid of 54 MB"
  std::size_t bytes = 0;  ///< of device memory, predicted before any of it was taken
};

/// One compiled network. Called from the thread of its back end, which outlives it.
class NetworkRun {
 public:
  NetworkRun() = default;
  virtual ~NetworkRun() = default;
  NetworkRun(const NetworkRun&) = delete;
  NetworkRun& operator=(const NetworkRun&) = delete;

  [[nodiscard]] virtual const NetworkRunFacts& facts() const noexcept = 0;
  /// The points that following runs take. Throws Error(does_not_fit) for more than the capacity.
  virtual void set_points(const PointCloud& cloud) = 0;
  /// Runs once and waits for the end. Throws Error(does_not_fit) where a point lies outside the extent or a
  /// level has more voxels than the capacity, Error(device) for faults of the device.
  virtual void run() = 0;
  /// Runs as often with marks around each piece of the work, in turns with runs that have none; run() itself
  /// never has any. Results are those of run(), faults too.
  [[nodiscard]] virtual Timeline timeline(int repetitions, Job& job) = 0;
  /// Copies of what the last run made, in the back end's memory; level `index` of levels.strides, output of a
  /// layer (any with keep_outputs, else the last only); -1: the network's own input.
  [[nodiscard]] virtual CoordSet level(int index) = 0;
  [[nodiscard]] virtual Features output(int layer) = 0;
};

/// A run, or why there is none: then the network runs layer by layer.
struct CompiledNetwork {
  std::unique_ptr<NetworkRun> run;
  std::string why_not;
};

}  // namespace spira

// Queued runs of a compiled network (NetworkRun::enqueue()). The points and the outputs are in memory of the
// caller, and the runs are ordered by streams of the caller. The host never waits: the device itself finds
// scenes that exceed the capacity, and prepares the network for the next run.
#pragma once

#include "engine/backend/network_run.hpp"
#include "kernels/cuda/network/network_graph.hpp"
#include "kernels/cuda/voxels/occupancy.cuh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spira::cuda {

/// Where the network reads its points. Without `channels`, each point has one value, its intensity.
struct FedPoints {
  double* positions;
  float* values;
  int channels;
};
/// Where the network reads the number of points and, in a batch, their frames.
struct FedCount {
  std::int64_t* points;
  std::uint8_t* frames;
  int batch;
};
/// Throws `Error(usage)` with the name of the tensor unless its memory belongs to the device. `data` can be
/// `nullptr`.
void require_own_memory(const Device& device, const void* data, const char* name);
/// Copies points to the network. A batch index that does not exist counts as a point outside the box.
void feed_points(const Device& device, const PointsInMemory& from, const FedPoints& to, const FedCount& count,
                 RunStatus* status);

/// The output of a layer in the arena. Row i + 1 starts `stride` values after row i.
struct PlacedRows {
  const void* values;
  int channels, stride;
  OccupancyLevel level;
};
/// Copies the features and the coordinates of an output.
void write_rows(const Device& device, const PlacedRows& rows, const PackSpec& pack, Precision precision,
                const OutputMemory& to);

/// The cells of a dense output. Axis number i of the grid is the axis `order[i]`. A voxel with the coordinate
/// c is in the cell (c + shift) / stride.
struct DenseCells {
  int cells[3], stride[3], order[3];
  std::int64_t shift[3];
  int batch;
  Precision precision;
};
[[nodiscard]] DenseCells dense_cells(const Layer& layer, PerAxis stride, const NetworkRunRequest& request);
/// Writes an output as dense grids, in the layout of dense_grid(). A voxel outside the cells sets
/// RunStatus::outside_grid.
void write_dense(const Device& device, const PlacedRows& rows, const Occupancy& grid, const DenseCells& dense,
                 const OutputMemory& to);

class NetworkQueue {
 public:
  /// The number of rows of an output on the device, and where finish() writes it.
  struct Rows {
    std::int32_t* to;
    const std::int64_t* from;
  };
  /// `status` is the status of the captured network. Waits for the stream of `device`.
  NetworkQueue(const Device& device, RunStatus* status, const std::vector<Rows>& outputs);
  /// Waits until all runs have finished, because the caller frees the memory that they use.
  ~NetworkQueue();
  NetworkQueue(const NetworkQueue&) = delete;
  NetworkQueue& operator=(const NetworkQueue&) = delete;

  /// Adds kernels to the capture that write the number of rows of all outputs. If the scene exceeded the
  /// capacity, they write -1 instead, store the status for wait(), and set `buffers` and the status of the
  /// network to zero.
  void finish(const std::array<Buffer*, 4>& buffers);

  /// Calls launch(stream) so that its work follows the previous run, which can be on another stream. Throws
  /// `Error(usage)` if the stream is being captured.
  template <class Launch> void run(cudaStream_t stream, Launch&& launch) {
    require_no_capture(stream);
    try {
      SPIRA_CUDA(cudaStreamWaitEvent(stream, done_.get(), 0));
      launch(stream);
      SPIRA_CUDA(cudaEventRecord(done_.get(), stream));
    } catch (...) {
      abandon(stream);
      throw;
    }
  }
  /// Waits until all runs have finished. Returns the status of the last scene that exceeded the capacity, or
  /// an empty status, and forgets it.
  [[nodiscard]] RunStatus wait();

 private:
  static void require_no_capture(cudaStream_t stream);
  /// Makes later runs follow the part of a failed run that was launched.
  void abandon(cudaStream_t stream) noexcept;

  Device device_;
  RunStatus* status_;
  Mapped<RunStatus> exceeded_;
  int outputs_;
  Buffer rows_;    // One Rows for each output.
  Buffer failed_;  // An int: 1 if the scene exceeded the capacity.
  Event done_;     // Follows the last run.
};

}  // namespace spira::cuda

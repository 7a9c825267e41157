// Kernels that copy the points and the outputs of queued runs.
#include "kernels/cuda/network/network_queue.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace spira::cuda {
namespace {

struct FeedTask {
  PointsInMemory from;
  FedPoints to;
  FedCount count;
  RunStatus* status;
};

template <class Value> __global__ void feed_kernel(const __grid_constant__ FeedTask task) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x,
                     threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  if (first == 0) *task.count.points = task.from.count;
  const auto* positions = static_cast<const Value*>(task.from.positions);
  const int skipped = task.from.batch_index ? 1 : 0, columns = 3 + skipped;
  for (std::int64_t point = first; point < task.from.count; point += threads) {
    const Value* row = positions + (point * columns);
    for (int axis = 0; axis < 3; ++axis)
      task.to.positions[(3 * point) + axis] = static_cast<double>(row[skipped + axis]);
    if (skipped == 0) continue;
    const auto frame = static_cast<std::int64_t>(row[0]);
    const bool exists = frame >= 0 && frame < task.count.batch;
    if (!exists) task.status->outside = 1;
    if (task.count.batch > 1) task.count.frames[point] = exists ? static_cast<std::uint8_t>(frame) : 0;
  }
  const std::int64_t values = task.from.count * max(1, task.to.channels);
  for (std::int64_t at = first; at < values; at += threads)
    task.to.values[at] = task.from.values == nullptr ? 1.0F : task.from.values[at];
}

/// The coordinates of a key, and the frame of a batch.
struct FrameVoxel {
  int frame;
  int at[3];
  template <class Key> __device__ FrameVoxel(const PackSpec& pack, Key key) {
    const Cell cell = cell_of(pack, key, Axes{0, 0, 0});
    frame = cell.x >> pack.x_bits;
    at[0] = cell.x - (frame << pack.x_bits);
    at[1] = cell.y;
    at[2] = cell.z;
  }
};

struct RowsTask {
  PlacedRows rows;
  PackSpec pack;
  std::int32_t* coordinates;
  int columns;  ///< 4 with a batch index, otherwise 3.
};

/// Copies the features in units of `Unit`, because rows have different lengths and alignments. Writes the
/// coordinates of the rows from their keys.
template <class Key, class Unit>
__global__ void rows_kernel(const __grid_constant__ RowsTask task, int units, int unit_stride,
                            Unit* features) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x,
                     threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t rows = task.rows.level.rows().get();
  const auto* from = static_cast<const Unit*>(task.rows.values);
  for (std::int64_t at = first; at < rows * units; at += threads) {
    const std::int64_t row = at / units;
    features[at] = from[(row * unit_stride) + (at - (row * units))];
  }
  const auto* keys = static_cast<const Key*>(task.rows.level.keys);
  for (std::int64_t row = first; row < rows; row += threads) {
    const FrameVoxel voxel(task.pack, keys[row]);
    std::int32_t* to = task.coordinates + (row * task.columns);
    if (task.columns == 4) *to++ = voxel.frame;
    for (int axis = 0; axis < 3; ++axis)
      to[axis] = voxel.at[axis];
  }
}

struct DenseTask {
  PlacedRows rows;
  PackSpec pack;
  DenseCells dense;
  RunStatus* status;
};

template <class Key, class Value>
__global__ void dense_kernel(const __grid_constant__ DenseTask task, Value* grid) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t row = at / task.rows.channels;
  const auto channel = static_cast<int>(at - (row * task.rows.channels));
  if (row >= task.rows.level.rows().get()) return;
  const FrameVoxel voxel(task.pack, static_cast<const Key*>(task.rows.level.keys)[row]);
  std::int64_t cell = 0, cells = 1;
  for (const int axis : task.dense.order) {
    const std::int64_t shifted = voxel.at[axis] + task.dense.shift[axis];
    const std::int64_t place = shifted / task.dense.stride[axis];
    if (shifted < 0 || place >= task.dense.cells[axis]) {
      task.status->outside_grid = 1;
      return;
    }
    cell = (cell * task.dense.cells[axis]) + place;
    cells *= task.dense.cells[axis];
  }
  const std::int64_t plane = (static_cast<std::int64_t>(voxel.frame) * task.rows.channels) + channel;
  grid[(plane * cells) + cell] =
      static_cast<const Value*>(task.rows.values)[(row * task.rows.stride) + channel];
}

/// Reads a status in host memory. Earlier kernels of the stream have written it.
__device__ bool failed(const volatile RunStatus& status) {
  bool bad = status.outside != 0 || status.outside_grid != 0;
  for (int level = 0; level < max_levels; ++level)
    bad = bad || status.overfull[level] != 0;
  return bad;
}

template <class Rows>
__global__ void count_kernel(const Rows* outputs, int count, RunStatus* status, RunStatus* exceeded,
                             int* bad) {
  __shared__ bool is_bad;
  if (threadIdx.x == 0) {
    is_bad = failed(*status);
    *bad = is_bad ? 1 : 0;
    if (is_bad) {
      *exceeded = *status;
      *status = {};
    }
  }
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < count; at += static_cast<int>(blockDim.x))
    *outputs[at].to = is_bad ? -1 : static_cast<std::int32_t>(*outputs[at].from);
}

struct Block {
  std::uint8_t* data;
  std::int64_t bytes;
};
struct Blocks {
  Block blocks[4];
};
/// Sets the blocks to zero, if the scene exceeded the capacity. The network leaves them at zero otherwise.
__global__ void recover_kernel(const __grid_constant__ Blocks all, const int* bad) {
  if (*bad == 0) return;
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x,
                     threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (const Block& block : all.blocks) {
    const std::int64_t words = block.bytes / 16;
    for (std::int64_t at = first; at < words; at += threads)
      reinterpret_cast<uint4*>(block.data)[at] = {0, 0, 0, 0};
    for (std::int64_t at = (words * 16) + first; at < block.bytes; at += threads)
      block.data[at] = 0;
  }
}

/// Calls visit(Unit{}) with the widest unit that divides the length of rows, their distance and the address
/// of the first row, which can be in the middle of joined channels.
template <class Visit>
void visit_unit(const void* first, std::size_t row_bytes, std::size_t distance, Visit&& visit) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const auto divides = [&](std::size_t bytes) {
    return row_bytes % bytes == 0 && distance % bytes == 0 && address % bytes == 0;
  };
  if (divides(sizeof(uint4))) return visit(uint4{});
  if (divides(sizeof(std::uint32_t))) return visit(std::uint32_t{});
  visit(std::uint16_t{});
}

template <class Visit> void visit_key(const PackSpec& pack, Visit&& visit) {
  pack.word_bits() == 32 ? visit(std::uint32_t{}) : visit(std::uint64_t{});
}

}  // namespace

void require_own_memory(const Device& device, const void* data, const char* name) {
  if (data == nullptr) return;
  cudaPointerAttributes facts{};
  SPIRA_CUDA(cudaPointerGetAttributes(&facts, data));
  const bool device_memory = facts.type == cudaMemoryTypeDevice || facts.type == cudaMemoryTypeManaged;
  if (!device_memory || facts.device != device.index)
    throw Error(ErrorKind::usage, std::string(name) + ": is not in the memory of the GPU of the model");
}

void feed_points(const Device& device, const PointsInMemory& from, const FedPoints& to, const FedCount& count,
                 RunStatus* status) {
  const FeedTask task{from, to, count, status};
  const unsigned blocks = blocks_for(std::max(std::int64_t{1}, from.count));
  switch (from.type) {
    case PointsInMemory::Type::f32:
      feed_kernel<float><<<blocks, threads_per_block, 0, device.stream>>>(task);
      break;
    case PointsInMemory::Type::f64:
      feed_kernel<double><<<blocks, threads_per_block, 0, device.stream>>>(task);
      break;
    case PointsInMemory::Type::cells:
      feed_kernel<std::int32_t><<<blocks, threads_per_block, 0, device.stream>>>(task);
      break;
  }
  SPIRA_CUDA(cudaGetLastError());
}

void write_rows(const Device& device, const PlacedRows& rows, const PackSpec& pack, Precision precision,
                const OutputMemory& to) {
  const std::size_t value = bytes_of(precision), row_bytes = static_cast<std::size_t>(rows.channels) * value,
                    distance = static_cast<std::size_t>(rows.stride) * value;
  const RowsTask task{rows, pack, to.coordinates, to.batch_index ? 4 : 3};
  visit_key(pack, [&]<class Key>(Key) {
    visit_unit(rows.values, row_bytes, distance, [&]<class Unit>(Unit) {
      const int units = static_cast<int>(row_bytes / sizeof(Unit));
      rows_kernel<Key><<<blocks_for(rows.level.capacity * units), threads_per_block, 0, device.stream>>>(
          task, units, static_cast<int>(distance / sizeof(Unit)), static_cast<Unit*>(to.features));
    });
  });
  SPIRA_CUDA(cudaGetLastError());
}

DenseCells dense_cells(const Layer& layer, PerAxis stride, const NetworkRunRequest& request) {
  DenseCells dense{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    dense.order[axis] = static_cast<int>(layer.dense_zyx ? 2 - axis : axis);
    dense.cells[axis] = static_cast<int>(layer.cells[axis]);
    dense.stride[axis] = stride[axis];
    dense.shift[axis] = request.shift[axis];
  }
  dense.batch = request.capacity.batch;
  dense.precision = request.plan.precision;
  return dense;
}

void write_dense(const Device& device, const PlacedRows& rows, const Occupancy& grid, const DenseCells& dense,
                 const OutputMemory& to) {
  std::size_t values = static_cast<std::size_t>(dense.batch) * static_cast<std::size_t>(rows.channels);
  for (const int cells : dense.cells)
    values *= static_cast<std::size_t>(cells);
  SPIRA_CUDA(cudaMemsetAsync(to.features, 0, values * bytes_of(dense.precision), device.stream));
  const DenseTask task{rows, grid.pack, dense, grid.status};
  const unsigned blocks = blocks_for(rows.level.capacity * rows.channels);
  visit_key(grid.pack, [&]<class Key>(Key) {
    dense.precision == Precision::fp16 ? dense_kernel<Key>
        <<<blocks, threads_per_block, 0, device.stream>>>(task, static_cast<std::uint16_t*>(to.features))
                                       : dense_kernel<Key>
        <<<blocks, threads_per_block, 0, device.stream>>>(task, static_cast<std::uint32_t*>(to.features));
  });
  SPIRA_CUDA(cudaGetLastError());
}

NetworkQueue::NetworkQueue(const Device& device, RunStatus* status, const std::vector<Rows>& outputs)
    : device_(device),
      status_(status),
      outputs_(static_cast<int>(outputs.size())),
      rows_(device_copy(device, std::span(outputs))),
      failed_(device.pool, sizeof(int)),
      done_(make_event()) {
  // Wait for the copy, because `outputs` may be destroyed after this call.
  SPIRA_CUDA(cudaStreamSynchronize(device.stream));
}

NetworkQueue::~NetworkQueue() {
  // This call fails only if the device is lost.
  static_cast<void>(cudaEventSynchronize(done_.get()));
}

void NetworkQueue::require_no_capture(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  SPIRA_CUDA(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone)
    throw Error(ErrorKind::usage,
                "stream: is being captured; a run of a compiled network cannot be captured");
}

void NetworkQueue::abandon(cudaStream_t stream) noexcept {
  // The points of the failed run may have set the status.
  static_cast<void>(cudaMemsetAsync(status_, 0, sizeof(RunStatus), stream));
  static_cast<void>(cudaEventRecord(done_.get(), stream));
  // This call clears the error. Otherwise the next launch would report it again.
  static_cast<void>(cudaGetLastError());
}

void NetworkQueue::finish(const std::array<Buffer*, 4>& buffers) {
  count_kernel<<<1, 32, 0, device_.stream>>>(values<Rows>(rows_), outputs_, status_, exceeded_.get(),
                                             values<int>(failed_));
  SPIRA_CUDA(cudaGetLastError());
  Blocks all{};
  for (std::size_t at = 0; at < buffers.size(); ++at)
    all.blocks[at] = {values<std::uint8_t>(*buffers[at]), static_cast<std::int64_t>(buffers[at]->bytes())};
  recover_kernel<<<static_cast<unsigned>(device_.sm_count * 4), threads_per_block, 0, device_.stream>>>(
      all, values<int>(failed_));
  SPIRA_CUDA(cudaGetLastError());
}

RunStatus NetworkQueue::wait() {
  SPIRA_CUDA(cudaEventSynchronize(done_.get()));
  return std::exchange(*exceeded_.get(), RunStatus{});
}

}  // namespace spira::cuda

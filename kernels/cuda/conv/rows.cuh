// Declares operations on rows, for features anywhere in device memory.
#pragma once

#include "engine/backend/backend.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/map/map_source.cuh"

namespace spira::cuda {

/// Features in device memory. `stride` is the number of values from the start of one row to the start of the
/// next.
struct RowsInMemory {
  const void* data = nullptr;
  int channels = 0, stride = 0;
};
/// A step of a row operation. The pointers are `nullptr` if the step does not need them.
struct StepOnDevice {
  LayerStep step = LayerStep::activation;
  Activation activation = Activation::none;
  float slope = 0;
  const float *scale = nullptr, *shift = nullptr;
  RowsInMemory residual;
};
/// A row operation on the device. It is passed as a kernel argument. `out` may be equal to an input if the
/// operation is `concat` with one input.
struct RowsOnDevice {
  static constexpr int max_inputs = 64, max_steps = 3;
  LayerOp op = LayerOp::concat;
  int inputs = 0, steps = 0;
  RowsInMemory in[max_inputs];
  StepOnDevice step[max_steps];
  void* out = nullptr;
  int out_channels = 0, out_stride = 0;
  float epsilon = 0;  ///< For a layer norm or an instance norm.
  /// For an instance norm: the memory of channel_statistics_bytes(), whose content need not be set.
  double* statistics = nullptr;

  /// Appends a step to the operation. Only an addition uses `residual`.
  void add(const RowStep& from, RowsInMemory residual);
};

/// Computes a row operation on features in device memory.
void run_rows(const Device& device, RowCount rows, Precision precision, const RowsOnDevice& work);
/// Returns the bytes of RowsOnDevice::statistics for an instance norm.
[[nodiscard]] std::size_t channel_statistics_bytes(int channels) noexcept;

/// The arguments of copy_columns(), which copies a part of each row from one array in device memory to
/// another. All numbers of bytes must be even.
struct ColumnCopy {
  std::int64_t rows = 0;
  std::size_t bytes = 0;  ///< Number of bytes of each row.
  const void* from = nullptr;
  std::size_t from_step = 0;  ///< Number of bytes from the start of one row to the start of the next.
  void* to = nullptr;
  std::size_t to_step = 0;
};
void copy_columns(const Device& device, const ColumnCopy& copy);

/// A pool on features in device memory. Reads the rows of `in` and writes the rows of `out`.
struct PoolOnDevice {
  RowsInMemory in;
  void* out = nullptr;
  int out_stride = 0;
  PoolReduction reduction = PoolReduction::max;
  int cells = 0;  ///< Number of cells of the kernel.
};
/// Reduces the matches of each output of all parts of a map, which must be dense.
void run_pool(const Device& device, const MapSource& source, Precision precision, const PoolOnDevice& work);

}  // namespace spira::cuda

// The inner loops of images of cells. They are compiled once per instruction set, like the
// inner loops in panel.hpp.
#pragma once

#include <cstdint>

namespace spira::cpu {

/// A rectangle of cells of the output of a layer, and what the layer reads for them. All images are in fp32,
/// and the channels of adjacent columns are adjacent. They may have any alignment.
struct CellRect {
  std::int64_t rows = 0, columns = 0;  ///< Cells of the output.
  int kernel_size = 3, step = 1, in_channels = 0, out_channels = 0;
  /// The first input cell that the first output reads. All cells that the outputs read must exist, so an
  /// image needs a border of zeros.
  const float* in = nullptr;
  std::int64_t in_row = 0;          ///< Number of values between two rows of the input.
  const float* weight = nullptr;    ///< From CellKernels::pack.
  const float* bias = nullptr;      ///< Shape: [out_channels].
  const float* residual = nullptr;  ///< The values to add to the first output. Can be `nullptr`, or `out`.
  std::int64_t residual_row = 0;    ///< Number of values between two rows of the residual.
  bool relu = false;
  float* out = nullptr;      ///< The first output.
  std::int64_t out_row = 0;  ///< Number of values between two rows of the output.
};

/// Function pointers to the inner loops of one instruction set.
struct CellKernels {
  /// Returns the number of values of packed weights. `inner` is K^2 * in_channels.
  std::int64_t (*packed_size)(std::int64_t inner, int out_channels);
  /// Stores weights of the shape [K^2][in_channels][out_channels] in the order in which `convolve` reads
  /// them.
  void (*pack)(const float* weight, std::int64_t inner, int out_channels, float* packed);
  /// Computes all outputs of a rectangle. Each output is one sum over rows, columns and channels of the
  /// kernel in this order, so it does not depend on the division of an image into rectangles.
  void (*convolve)(const CellRect& rect);
  /// Convert between fp16 and fp32. `round` rounds values in fp32 to the nearest fp16 value.
  void (*widen)(const std::uint16_t* from, std::int64_t count, float* to);
  void (*narrow)(const float* from, std::int64_t count, std::uint16_t* to);
  void (*round)(float* values, std::int64_t count);
};

/// Returns the kernels of the instruction set of panel_kernels().
[[nodiscard]] const CellKernels& cell_kernels();
/// Returns the kernels of all instruction sets that this processor supports, in the order of
/// runnable_panel_kernels().
[[nodiscard]] const CellKernels* const* runnable_cell_kernels();

}  // namespace spira::cpu

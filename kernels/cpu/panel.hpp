// The inner loops of feature computation. They are compiled once per instruction set, and the fastest version
// is selected at run time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace spira::cpu {

/// Function pointers to the inner loops of one instruction set. All matrices are dense and row-major. They
/// may have any alignment.
struct PanelKernels {
  const char* instructions;  ///< Name of the instruction set: "baseline", "AVX2" or "AVX-512".
  /// Copies rows of `features` (fp32 or fp16) as fp32: panel[i] = features[index[i]].
  void (*gather_fp32)(const float* features, int channels, const std::int32_t* index, std::int64_t count,
                      float* panel);
  void (*gather_fp16)(const std::uint16_t* features, int channels, const std::int32_t* index,
                      std::int64_t count, float* panel);
  /// Computes out[rows][out_channels] = panel[rows][in_channels] * weight[in_channels][out_channels].
  void (*multiply)(const float* panel, std::int64_t rows, int in_channels, const float* weight,
                   int out_channels, float* out);
  /// Computes sums[in_channels][out_channels] += left[rows][in_channels]^T * right[rows][out_channels].
  void (*add_transposed_product)(const float* left, std::int64_t rows, int in_channels, const float* right,
                                 int out_channels, float* sums);
  /// Computes sums[index[i]] += rows[i].
  void (*scatter_add)(const float* rows, int channels, const std::int32_t* index, std::int64_t count,
                      float* sums);
};

/// Returns `rows`, rounded up so that Eigen sums each row in the same order, independent of the position of
/// the row and of the other rows (trap 10 in docs/architecture.md). The additional rows are padding, and
/// their products are not read. Without padding, Eigen uses a different order for tiny matrices, and for the
/// last 1 to 3 rows of a panel if their number is not a multiple of 4. The division of rows into panels
/// depends on the number of threads.
[[nodiscard]] constexpr std::int64_t padded_rows(std::int64_t rows, int in_channels, int out_channels) {
  constexpr std::int64_t rows_in_registers = 4, tiny = 20;
  const std::int64_t least = tiny - in_channels - out_channels;
  return (std::max(rows, least) + rows_in_registers - 1) / rows_in_registers * rows_in_registers;
}

/// Returns the name of the kernels in reports, such as "AVX2 panels".
[[nodiscard]] std::string panels_name(const PanelKernels& kernels);
/// Returns the kernels of the fastest instruction set that this processor supports.
[[nodiscard]] const PanelKernels& panel_kernels();
/// Returns the kernels of all instruction sets that this processor supports, slowest first. Stores their
/// number in `count`. Tests run all of them.
[[nodiscard]] const PanelKernels* const* runnable_panel_kernels(int& count);

}  // namespace spira::cpu

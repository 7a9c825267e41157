// The inner loops of feature computation, compiled once per instruction set and chosen at run time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace spira::cpu {

/// Function pointers to the inner loops of one instruction set. All matrices are dense and row-major.
/// Pointers need no alignment.
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
  /// Computes sums[index[i]] += rows[i].
  void (*scatter_add)(const float* rows, int channels, const std::int32_t* index, std::int64_t count,
                      float* sums);
};

/// Returns the number of rows to multiply at once, which is at least `rows`. With this number, each row is
/// summed in the same order, independent of its position and of the other rows. Eigen uses another order for
/// the last 1 to 3 rows of a panel if their number is not a multiple of 4, and for tiny matrices. The
/// division of rows into panels depends on the number of threads. Therefore panels are padded with rows whose
/// products are not read (trap 10).
[[nodiscard]] constexpr std::int64_t padded_rows(std::int64_t rows, int in_channels, int out_channels) {
  constexpr std::int64_t rows_in_registers = 4, tiny = 20;
  const std::int64_t least = tiny - in_channels - out_channels;
  return (std::max(rows, least) + rows_in_registers - 1) / rows_in_registers * rows_in_registers;
}

/// Returns the kernels of the fastest instruction set that this processor supports.
[[nodiscard]] const PanelKernels& panel_kernels();
/// Returns the kernels of all instruction sets that this processor supports, slowest first. Stores their
/// number in `count`. Tests run all of them.
[[nodiscard]] const PanelKernels* const* runnable_panel_kernels(int& count);

}  // namespace spira::cpu

// The inner loops of feature computation, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstdint>

namespace spira::cpu {

/// All matrices are dense and row-major; pointers need no alignment.
struct PanelKernels {
  const char* instructions;  ///< "baseline", "AVX2", "AVX-512"
  /// panel[i] = rows of `features` (fp32 or fp16) chosen by index[i].
  void (*gather_fp32)(const float* features, int channels, const std::int32_t* index, std::int64_t count,
                      float* panel);
  void (*gather_fp16)(const std::uint16_t* features, int channels, const std::int32_t* index,
                      std::int64_t count, float* panel);
  /// out[rows][out_channels] = panel[rows][in_channels] * weight[in_channels][out_channels].
  void (*multiply)(const float* panel, std::int64_t rows, int in_channels, const float* weight,
                   int out_channels, float* out);
  /// sums[index[i]] += rows[i].
  void (*scatter_add)(const float* rows, int channels, const std::int32_t* index, std::int64_t count,
                      float* sums);
};

/// The fastest set that this processor has.
[[nodiscard]] const PanelKernels& panel_kernels();
/// All sets that this processor can run, slowest first: tests run each.
[[nodiscard]] const PanelKernels* const* runnable_panel_kernels(int& count);

}  // namespace spira::cpu

// Gather-GEMM-scatter, the baseline of feature computation: gather, one matrix product per column,
// scatter-add (as in TorchSparse).
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/features.hpp"
#include "kernels/cpu/panel.hpp"

namespace spira::cpu {

struct GatherGemm {
  const Features* in;
  const float* weight;  ///< Shape: [K^3][C_in][C_out].
  int out_channels;
  float* sums;  ///< Shape: [result rows][C_out]. Must be zero before the call.
  const PanelKernels* kernels;
};
/// Computes sums += x W for every pair of a map in pair_lists layout, one column after the other. Divides the
/// rows of a column among the threads. Atomics are not needed, because a column has at most one pair per
/// result row. The order of the sums is always the same. Records the stages "gather", "gemm" and "scatter".
void gather_gemm_scatter(ThreadPool& threads, const KernelMap& map, bool transposed, const GatherGemm& work,
                         Job& job);

}  // namespace spira::cpu

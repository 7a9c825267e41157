// The baseline of feature computation: gather, one matrix product a column, scatter-add (as in TorchSparse).
#pragma once

#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/features.hpp"
#include "kernels/cpu/panel.hpp"

namespace spira::cpu {

struct GatherGemm {
  const Features* in;
  const float* weight;  ///< [K^3][C_in][C_out]
  int out_channels;
  float* sums;  ///< [result rows][C_out], zeros before
  const PanelKernels* kernels;
};
/// sums += x W of every pair of a map in pair_lists. Columns one after the other; the rows of a column are
/// parted among the threads, and each result row has one pair of a column at the most: no atomics, the same
/// sums in the same order every time. Recorded as gather, gemm and scatter.
void gather_gemm_scatter(ThreadPool& threads, const KernelMap& map, bool transposed, const GatherGemm& work,
                         Job& job);

}  // namespace spira::cpu

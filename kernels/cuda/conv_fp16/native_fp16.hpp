// Computes the features of native layers in fp16 from the pair lists of a map, in which an output can have
// several pairs in a column (KernelMap::many()).
#pragma once

#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/order/column_starts.hpp"

namespace spira::cuda {

/// The pair lists of all columns in device memory, and the ranges of the units of outputs in them. An output
/// is a row of the result, so it is an input of the map if the layer is transposed.
struct NativePairs {
  const int2* pairs = nullptr;            ///< (output, input). Sorted by column, output and input.
  const std::uint32_t* starts = nullptr;  ///< See ColumnStarts::starts.
  std::int64_t outputs = 0;
};

/// Computes the results of all outputs. An output without a pair gets the bias and the residual only. The
/// products of an output are added in fp32 in the order of its pairs, so that the results are the same in
/// each call. If layer.sums is set, the kernel writes the sums instead of results.
void native_fp16(const Device& device, const NativePairs& pairs, const LayerOnDevice& layer);

}  // namespace spira::cuda

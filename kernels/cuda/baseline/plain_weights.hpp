// Unpacks fp16 weights into the plain order [K^3][C_in][C_out], for matrix products by cuBLAS.
#pragma once

#include "kernels/cuda/conv_fp16/weight_fragments.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// `packed` must contain fp16 weights in the order of pack_fragments(). Queues the work on the stream and
/// does not wait.
[[nodiscard]] Buffer plain_weights(const Device& device, const FragmentShape& shape, const Buffer& packed);

}  // namespace spira::cuda

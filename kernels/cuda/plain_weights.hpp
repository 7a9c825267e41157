// Weights as [K^3][C_in][C_out] again, for kernels that are not ours.
#pragma once

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/weight_fragments.hpp"

namespace spira::cuda {

/// `packed`: fp16, as pack_fragments() left it. Queues on the stream.
[[nodiscard]] Buffer plain_weights(const Device& device, const FragmentShape& shape, const Buffer& packed);

}  // namespace spira::cuda

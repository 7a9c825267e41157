// Computes eq. 2 as written in the paper, in double precision.
#pragma once

#include "engine/backend/backend.hpp"

#include <memory>

namespace spira::reference {

[[nodiscard]] Features convolve(const std::shared_ptr<MemoryPool>& pool, const KernelMap& map,
                                const Features& in, const UploadedWeights& weights,
                                const ConvRequest& request, Job& job);

}  // namespace spira::reference

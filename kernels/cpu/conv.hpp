// Computes features on the CPU: eq. 2 with bias, residual and ReLU (sections 2.2 and 5.4).
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/base/thread_pool.hpp"

#include <memory>
#include <vector>

namespace spira::cpu {

[[nodiscard]] Features convolve(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                const KernelMap& map, const Features& in, const UploadedWeights& weights,
                                const ConvRequest& request, Job& job);
[[nodiscard]] Features concat(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                              const std::vector<const Features*>& parts, Job& job);
[[nodiscard]] UploadedWeights upload(const std::shared_ptr<MemoryPool>& pool, const LayerWeights& weights,
                                     Precision precision);

}  // namespace spira::cpu

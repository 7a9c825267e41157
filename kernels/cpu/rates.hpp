// What the processor can do at the most: the floors that benches compare with.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/memory/buffer.hpp"

#include <memory>

namespace spira::cpu {

/// A copy and a product on all threads. Whatever the storage of features, products are of fp32.
[[nodiscard]] DeviceRates measure_rates(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                        Job& job);

}  // namespace spira::cpu

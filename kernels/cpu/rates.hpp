// Measures the highest rates of the processor. Benchmarks derive lower bounds of run times from them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/memory/buffer.hpp"

#include <memory>

namespace spira::cpu {

/// Measures a copy and a matrix product on all threads. The product always uses fp32, whatever the storage
/// precision of features.
[[nodiscard]] DeviceRates measure_rates(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                        Job& job);

}  // namespace spira::cpu

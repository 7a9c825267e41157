// What the device can do at the most: the floors that benches compare with.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/job/job.hpp"
#include "engine/voxel/features.hpp"
#include "kernels/cuda/device.hpp"

namespace spira::cuda {

/// A copy by the runtime and a product by cuBLAS, timed by `stages`. Waits.
[[nodiscard]] DeviceRates measure_rates(const Device& device, StageSource& stages, Precision precision,
                                        Job& job);

}  // namespace spira::cuda

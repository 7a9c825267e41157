// Measures the highest rates that the device reaches: memory copy and matrix product. Benchmarks compute
// lower bounds of time from them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/job/job.hpp"
#include "engine/voxel/features.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// Times a copy by the CUDA runtime and a matrix product by cuBLAS with `stages`. Waits for the device.
[[nodiscard]] DeviceRates measure_rates(const Device& device, StageSource& stages, Precision precision,
                                        Job& job);

}  // namespace spira::cuda

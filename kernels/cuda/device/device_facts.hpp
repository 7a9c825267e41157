// Lists the CUDA devices of the machine with their properties, and checks whether kernels run on them.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <string>
#include <vector>

namespace spira::cuda {

/// Returns the properties of a device except `path`, which stays empty. Throws Error(device) if the driver
/// returns an error.
[[nodiscard]] DeviceFacts facts_of(int device);
/// Returns a description of the machine code that runs on a device, for example "sm_90 code, bulk copies" or
/// "PTX of compute_90 compiled for sm_100, bulk copies". Must be called after a kernel has run on the device.
/// Throws Error(device) if the driver returns an error.
[[nodiscard]] std::string path_of(int device);
/// Returns one row per device. If there is no device, returns one row that contains the reason. Runs a test
/// kernel on each device; if this fails, the row of the device contains the reason. Preserves the current
/// device of the calling thread. Never throws.
[[nodiscard]] std::vector<DeviceListing> list_devices();

}  // namespace spira::cuda

// Lists the CUDA devices of the machine with their properties, and checks whether kernels run on them.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <string>
#include <vector>

namespace spira::cuda {

/// Returns the properties of a device, except `path`, which stays empty. Throws Error(device) if the driver
/// fails.
[[nodiscard]] DeviceFacts facts_of(int device);
/// Returns a text that describes the machine code that runs on a device, for example "sm_90 code, bulk
/// copies" or "PTX of compute_90 compiled for sm_100, bulk copies". A kernel must have run on the device
/// before. Throws Error(device) if the driver fails.
[[nodiscard]] std::string path_of(int device);
/// Returns one row per device. If there is no device, returns one row that contains the reason. Runs a kernel
/// on each device; if this fails, the row of the device contains the reason. Preserves the current device of
/// the calling thread. Never throws.
[[nodiscard]] std::vector<DeviceListing> list_devices();

}  // namespace spira::cuda

// Lists the CUDA devices of the machine with their properties, and checks whether kernels run on them.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <string>
#include <vector>

namespace spira::cuda {

/// Returns the facts of a device. Leaves `path` empty. Throws Error(device) if the driver fails.
[[nodiscard]] DeviceFacts facts_of(int device);
/// Returns a text that describes which compiled copy of the kernels runs on a device, for example "sm_90
/// code, bulk copies" or "PTX of compute_90 compiled for sm_100, bulk copies". The device must have run a
/// kernel before. Throws Error(device) if the driver fails.
[[nodiscard]] std::string path_of(int device);
/// Returns one row for each device, or one row with the reason if there is no device. Runs a kernel on each
/// device to check that it is usable; rows of other devices contain the reason. Keeps the current device of
/// the calling thread. Never throws.
[[nodiscard]] std::vector<DeviceListing> list_devices();

}  // namespace spira::cuda

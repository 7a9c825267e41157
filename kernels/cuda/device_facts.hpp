// The CUDA devices of the machine: what they are, and whether kernels run on them.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <string>
#include <vector>

namespace spira::cuda {

/// Throws Error(device). `path` is left empty.
[[nodiscard]] DeviceFacts facts_of(int device);
/// Which copy of the kernels runs on a device that has run one: "sm_90 code, bulk copies", "PTX of compute_90
/// compiled for sm_100, bulk copies". Throws Error(device).
[[nodiscard]] std::string path_of(int device);
/// Runs a kernel on each; the calling thread's device stays what it was. Never throws; rows that are not
/// usable say why. At least one row.
[[nodiscard]] std::vector<DeviceListing> list_devices();

}  // namespace spira::cuda

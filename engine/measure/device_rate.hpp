// What back ends share where they measure the rates of their device.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <functional>
#include <string>
#include <vector>

namespace spira {

/// From the median of samples that each did `work` (bytes, operations).
[[nodiscard]] DeviceRate rate_of(double work, std::string how, std::vector<double> samples_ms);
/// What `measure` gives. Where the device cannot, for want of memory as a rule, a rate that says why: floors
/// are left out then, and nothing else fails. Other errors than Error(device) go on.
[[nodiscard]] DeviceRate rate_or_why(const std::function<DeviceRate()>& measure);

}  // namespace spira

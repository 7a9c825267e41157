// Declares functions with which back ends measure the rates of their device.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <functional>
#include <string>
#include <vector>

namespace spira {

/// Returns the rate from the median of samples. Each sample did the same `work`, in bytes or operations.
[[nodiscard]] DeviceRate rate_of(double work, std::string how, std::vector<double> samples_ms);
/// Calls `measure` and returns its result. If a device fault occurs, usually for lack of memory, returns a
/// rate without a value and with the reason. Lower bounds that follow from the rate are then omitted, but
/// nothing else fails. Other errors are not caught.
[[nodiscard]] DeviceRate rate_or_why(const std::function<DeviceRate()>& measure);

}  // namespace spira

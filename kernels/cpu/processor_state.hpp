// Reads the momentary state of the processors from Linux: whether their clocks are fixed, and how many
// threads of other processes run.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <filesystem>

namespace spira::cpu {

/// `processors` is a folder with cpufreq/policy*. Without such a folder, as in most virtual machines, the
/// state of the clocks is unknown. Threads of this process are not counted. Tests pass other folders.
[[nodiscard]] DeviceState processor_state(
    const std::filesystem::path& proc = "/proc",
    const std::filesystem::path& processors = "/sys/devices/system/cpu");

}  // namespace spira::cpu

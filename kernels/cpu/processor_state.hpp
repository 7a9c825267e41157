// What Linux tells about the processors at a moment: whether their clocks are fixed, and who else runs.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <filesystem>

namespace spira::cpu {

/// `processors`: a folder with cpufreq/policy*; where there is none, as in most virtual machines, clocks are
/// not known. Threads of this process do not count as others. For tests the folders can be others.
[[nodiscard]] DeviceState processor_state(
    const std::filesystem::path& proc = "/proc",
    const std::filesystem::path& processors = "/sys/devices/system/cpu");

}  // namespace spira::cpu

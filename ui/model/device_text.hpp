// What a back end ran on, and where a report comes from, in words.
#pragma once

#include "engine/report/report.hpp"

#include <QString>

namespace spira::ui {

[[nodiscard]] QString unitsText(const DeviceFacts& device);  ///< "2 threads, AVX-512" or "132 SMs, sm_90"
[[nodiscard]] QString dateText(const std::string& created);  ///< "21 Nov 2026, 22:28 UTC" of ISO 8601, in UTC
/// "Recorded on NVIDIA H200 (132 SMs, sm_90), driver 580.1, 21 Nov 2026, 22:28 UTC, CUDA events"
[[nodiscard]] QString recordedText(const Report& report);

}  // namespace spira::ui

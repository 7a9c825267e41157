// Text that describes the device of a back end and the origin of a report.
#pragma once

#include "engine/report/report.hpp"

#include <QString>

namespace spira::ui {

[[nodiscard]] QString unitsText(const DeviceFacts& device);  ///< "2 threads, AVX-512" or "132 SMs, sm_90"
/// "21 Nov 2026, 22:28 UTC" for an ISO 8601 date.
[[nodiscard]] QString dateText(const std::string& created);
/// "Recorded on NVIDIA H200 (132 SMs, sm_90), driver 580.1, 21 Nov 2026, 22:28 UTC, CUDA events"
[[nodiscard]] QString recordedText(const Report& report);

}  // namespace spira::ui

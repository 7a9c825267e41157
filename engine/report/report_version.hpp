// Defines the version of reports that report_json() writes and read_report() supports.
#pragma once

namespace spira {

constexpr int report_major = 1, report_minor = 11;

}  // namespace spira

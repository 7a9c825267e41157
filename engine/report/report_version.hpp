// The version of reports: what report_json() writes is what read_report() knows.
#pragma once

namespace spira {

constexpr int report_major = 1, report_minor = 11;

}  // namespace spira

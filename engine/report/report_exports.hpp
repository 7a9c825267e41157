// What a report is exported as, once for the command line and the window: the trace, its tables and the
// summary.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace spira {

enum class ReportExport : std::uint8_t { stages, samples, timeline, sweeps, densities, trace, summary };

/// Throws Error(input) for a trace whose spans overlap (trace_json).
[[nodiscard]] std::string export_text(const Report& report, ReportExport what);
/// "measurements", as the file beside a table names it; empty: it is no table.
[[nodiscard]] std::string_view table_name(ReportExport what) noexcept;
/// Writes the export with write_file(). Next to a table that goes to a regular file it writes FILE.meta.json,
/// which says where the table is from. Throws as write_file().
void write_export(const std::filesystem::path& file, const Report& report, ReportExport what,
                  const std::stop_token& stop = {});

}  // namespace spira

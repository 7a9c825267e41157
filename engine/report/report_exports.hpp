// Exports a report for the command line and the window: the trace, the tables and the summary.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace spira {

enum class ReportExport : std::uint8_t { stages, samples, timeline, sweeps, densities, trace, summary };

/// Throws `Error(input)` if spans of the trace overlap (see trace_json()).
[[nodiscard]] std::string export_text(const Report& report, ReportExport what);
/// Returns the name of a table, such as "measurements", for the file next to it. Returns an empty text if the
/// export is not a table.
[[nodiscard]] std::string_view table_name(ReportExport what) noexcept;
/// Writes the export with write_file(). If the export is a table and `file` is a regular file, also writes
/// FILE.meta.json, which records where the table comes from. Throws as write_file() does.
void write_export(const std::filesystem::path& file, const Report& report, ReportExport what,
                  const std::stop_token& stop = {});

}  // namespace spira

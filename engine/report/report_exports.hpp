// Exports a report for the command line and the window: the trace, the tables and the summary.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns one tidy table (RFC 4180) with one row per series. The columns are:
/// - report, device and scene;
/// - layer, phase, mode (isolated, wall, one graph), cache, t, word_bits;
/// - n, median and quartiles, iqr_rel, the clock, flags;
/// - the whole path of the stage, peak_bytes (empty if it was not measured) and percentiles.
/// The whole network has no layer. Its phases are "wall" and, if it was compiled, "one graph".
[[nodiscard]] std::string measurements_csv(const Report& report);
/// Returns the series of measurements_csv() with one row per sample, in the order of measurement: layer,
/// stage, sample (from 0), ms.
[[nodiscard]] std::string samples_csv(const Report& report);
/// Returns the spans of the timeline as recorded, one row per span: mode, track, layer, stage, inside (the
/// enclosing stage), start_ms and end_ms since the reference mark. The length of the span in all repetitions
/// follows: n, median_ms, q1_ms, q3_ms, min_ms, max_ms. Never add these times to the times of
/// measurements_csv(): they come from another mode.
[[nodiscard]] std::string timeline_csv(const Report& report);
/// Returns one row per column of each kernel map: map (as in the report), dx, dy, dz, l1, matches, n_out,
/// density.
[[nodiscard]] std::string densities_csv(const Report& report);
/// Returns the rows of both sweeps as sweep_csv() writes them. Returns only the heading if there are no
/// sweeps. `nullptr` means that a sweep was not measured.
[[nodiscard]] std::string sweeps_csv(const Report& report);
[[nodiscard]] std::string sweeps_csv(const std::vector<std::shared_ptr<const Sweep>>& sweeps);
/// Returns lines that begin with #, for the head of a table: report, device, network and scene.
[[nodiscard]] std::string csv_comment(const Report& report);
/// Returns the facts of csv_comment() and further facts as JSON, for a file next to the table `table`, such
/// as "measurements".
[[nodiscard]] std::string csv_meta_json(const Report& report, const std::string& table);
/// Returns a trace for Perfetto with one X event per stage. A report contains durations but no start times.
/// The medians are therefore placed end to end in a separate process, with children inside their parents;
/// the member otherData of the trace explains this. A recorded timeline is process 1 (host) or 2 (GPU), with
/// one thread per stream. Arrows lead from each map to its first use. Throws `Error(input)` if spans of one
/// stream overlap by more than the resolution of the clock.
[[nodiscard]] std::string trace_json(const Report& report);
/// Returns a summary for people: environment, totals, slowest layers, busy time of the timeline's tracks,
/// fastest settings of the sweeps.
[[nodiscard]] std::string report_markdown(const Report& report);

enum class ReportExport : std::uint8_t { stages, samples, timeline, sweeps, densities, trace, summary };

/// Returns the export as text. Throws `Error(input)` if spans of the trace overlap (see trace_json()).
[[nodiscard]] std::string export_text(const Report& report, ReportExport what);
/// Returns the name of a table, such as "measurements", for csv_meta_json(). Returns an empty string if the
/// export is not a table.
[[nodiscard]] std::string_view table_name(ReportExport what) noexcept;
/// Writes the export with write_file(). If the export is a table and `file` is a regular file, also writes
/// FILE.meta.json, which records where the table comes from. Throws as write_file() does.
void write_export(const std::filesystem::path& file, const Report& report, ReportExport what,
                  const std::stop_token& stop = {});

/// Returns text of a file as one line of Markdown. Escapes markup characters and replaces line breaks with
/// spaces.
[[nodiscard]] std::string markdown_text(std::string_view text);
/// Returns a table in Markdown. The first row of `rows` contains the headings. A column is right-aligned if
/// each cell below the heading begins with a digit, is "-" or is empty.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace spira

// Exports a report as a trace, as tables and as a summary. Used by the command line and the window.
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

/// Returns a tidy table (RFC 4180) with one row per series of samples. The columns are:
/// - report, device and scene;
/// - layer, phase, mode (isolated, wall, one graph), cache, t, word_bits;
/// - n, median and quartiles, iqr_rel, the clock, flags;
/// - the path of the stage, peak_bytes (empty if it was not measured) and percentiles.
/// For the whole network, `layer` is empty and the phase is "wall" or, if the network was compiled, "one
/// graph".
[[nodiscard]] std::string measurements_csv(const Report& report);
/// Returns the samples of the series in measurements_csv(), one row per sample, in the order of measurement.
/// The columns are layer, stage, sample (from 0), ms, held_back, sm_clock_mhz and report_id.
[[nodiscard]] std::string samples_csv(const Report& report);
/// Returns the recorded spans of the timeline, one row per span. The columns are mode, track, layer, stage,
/// inside (the enclosing stage), start_ms and end_ms relative to the reference time stamp of the timeline,
/// and the length of the span over all repetitions: n, median_ms, q1_ms, q3_ms, min_ms, max_ms. These times
/// must not be added to the times of measurements_csv(), because they were measured in a different mode.
[[nodiscard]] std::string timeline_csv(const Report& report);
/// Returns one row per offset of each kernel map: map (its name in the report, such as "m1"), dx, dy, dz, l1,
/// matches, n_out and density.
[[nodiscard]] std::string densities_csv(const Report& report);
/// Returns the same table for a single kernel map without a report. `map` is the text of the first column.
[[nodiscard]] std::string densities_csv(const std::string& map, const Densities& densities);
/// Returns the rows of both sweeps in the format of sweep_csv(), or only the heading if there are no sweeps.
[[nodiscard]] std::string sweeps_csv(const Report& report);
[[nodiscard]] std::string sweeps_csv(const std::vector<std::shared_ptr<const Sweep>>& sweeps);
/// Returns comment lines for the top of a table. Each line begins with #. The lines name the report, device,
/// network and scene.
[[nodiscard]] std::string csv_comment(const Report& report);
/// Returns the facts of csv_comment() and more facts as JSON, for a file next to a table. `table` is the name
/// of the table, such as "measurements".
[[nodiscard]] std::string csv_meta_json(const Report& report, const std::string& table);
/// Returns a trace for Perfetto with one complete ("X") event per stage. A report contains durations of
/// stages but no start times, so the medians are placed end to end in a separate process, with children
/// inside their parents. The member otherData of the trace explains this. A recorded timeline is process 1
/// (host) or 2 (GPU), with one thread per stream. Arrows connect each map with the first stage that reads it.
/// Throws `Error(input)` if spans of one stream overlap by more than the resolution of the clock.
[[nodiscard]] std::string trace_json(const Report& report);
/// Returns a summary in Markdown: environment, totals, slowest layers, busy time of the timeline's tracks,
/// and the fastest settings of the sweeps.
[[nodiscard]] std::string report_markdown(const Report& report);

enum class ReportExport : std::uint8_t { stages, samples, timeline, sweeps, densities, trace, summary };

/// Returns an export as text. For a trace, throws `Error(input)` if spans overlap (see trace_json()).
[[nodiscard]] std::string export_text(const Report& report, ReportExport what);
/// Returns the name of a table for csv_meta_json(), such as "measurements". Returns an empty string if the
/// export is not a table.
[[nodiscard]] std::string_view table_name(ReportExport what) noexcept;
/// Writes an export with write_file(), and throws its errors. If the export is a table and `file` is a
/// regular file, also writes FILE.meta.json, which describes the origin of the table.
void write_export(const std::filesystem::path& file, const Report& report, ReportExport what,
                  const std::stop_token& stop = {});

/// Returns the text as one line of Markdown: escapes markup characters and replaces line breaks with spaces.
[[nodiscard]] std::string markdown_text(std::string_view text);
/// Returns a Markdown table. The first of the `rows` contains the headings. A column is right-aligned if all
/// its other cells begin with a digit, are "-" or are empty.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

// The declarations below write a report as one JSON file and read such files (docs/file-formats.md).

/// The version of reports that report_json() writes. parse_report() reads all its minor versions.
constexpr int report_major = 1, report_minor = 21;

[[nodiscard]] std::string report_json(const Report& report);
/// Writes the report to a temporary file, then renames it to `file`.
void write_report(const std::filesystem::path& file, const Report& report);

/// What to do with a file that was truncated after its first layer.
enum class IfTruncated : std::uint8_t {
  refuse,
  /// Reads the complete layers and settings. `lost` contains the names of the missing parts. The plan
  /// contains all layers; missing layers have default settings. `measurement.layers` and `layer_densities`
  /// contain only the complete layers.
  open
};

/// Reads a document of report_json() (docs/file-formats.md). Recomputes statistics, densities and the
/// standings of sweep rows from samples and counts. Throws `Error(input)` such as "FILE: layers[2].pairs:
/// missing" if the text is not a valid report of major version 1. Fields of a later minor version are ignored
/// and listed in `ignored`.
[[nodiscard]] Report parse_report(std::string_view json, const std::string& file_name,
                                  IfTruncated truncated = IfTruncated::refuse);
[[nodiscard]] Report read_report(const std::filesystem::path& file,
                                 IfTruncated truncated = IfTruncated::refuse);
/// Returns true if the file begins like a JSON object. No scene file does. document_kind() then returns which
/// kind of document it is.
[[nodiscard]] bool looks_like_json(const std::filesystem::path& file);

}  // namespace spira

// Formats the tables that `spira` prints: plain text and CSV, for sweeps, tuning profiles and surveys.
#pragma once

#include <string>
#include <vector>

namespace spira {
struct GroupTable;
struct Report;
struct SettingMatrix;
struct Survey;
struct Sweep;
struct TuningProfile;
}  // namespace spira

namespace spira::app {

/// Returns a plain text table. The first row contains the headings. Columns of numbers are right-aligned.
[[nodiscard]] std::string table_text(std::vector<std::vector<std::string>> rows);
/// Returns the rows as CSV (RFC 4180).
[[nodiscard]] std::string csv_text(const std::vector<std::vector<std::string>>& rows);

[[nodiscard]] std::string sweep_text(const Sweep& sweep);

/// Returns a table of a tuning profile. It has one row for each shape, followed by the packing, the regret,
/// the output check and the gain.
[[nodiscard]] std::string tune_text(const TuningProfile& profile);
/// Returns a table with one row for each layer and one column for each setting. Adds a legend, and the
/// expected time of the network with the current settings and with t = max.
[[nodiscard]] std::string matrix_text(const SettingMatrix& matrix, const TuningProfile& profile);
/// Like the other overload, but for the sweep of t in a report. Adds the device and the date of the
/// recording. `report` must contain the sweep.
[[nodiscard]] std::string matrix_text(const SettingMatrix& matrix, const Report& report);
/// Returns a table with one row for each group of layers that share a kernel map, and one column for each
/// setting. Adds a legend, and the expected time of all groups.
[[nodiscard]] std::string groups_text(const GroupTable& table, const TuningProfile& profile);

/// Returns a text with the counts, extents, bits, packings, outliers and faults of a survey. If `frames` is
/// true, adds one row for each frame.
[[nodiscard]] std::string survey_text(const Survey& survey, bool frames);
/// Returns the same text as survey_text(), with densities by L1 norm instead of extents, bits and packings.
[[nodiscard]] std::string survey_densities_text(const Survey& survey, bool frames);
/// Returns one row for each L1 norm, with quantiles over the frames.
[[nodiscard]] std::string densities_csv(const Survey& survey);
/// Returns one row for each frame, with the mean density for each L1 norm.
[[nodiscard]] std::string frame_densities_csv(const Survey& survey);

}  // namespace spira::app

// Writes a report as one JSON file and reads it again (docs/file-formats.md).
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace spira {

/// The version that report_json() writes and read_report() supports.
constexpr int report_major = 1, report_minor = 11;

[[nodiscard]] std::string report_json(const Report& report);
/// Writes the report to a temporary file, then renames it to `file`.
void write_report(const std::filesystem::path& file, const Report& report);

/// Selects how a file is read that is truncated after its first layer.
enum class IfTorn : std::uint8_t {
  refuse,
  /// Reads the complete layers and settings. `lost` lists the missing parts. The plan has all layers, with
  /// the defaults for lost layers. `measurement.layers` and `layer_densities` end before the lost layers.
  open
};

/// Reads the output of report_json() (docs/file-formats.md). Statistics, densities and standings are computed
/// again from samples and counts. Throws `Error(input)` such as "FILE: layers[2].pairs: missing" if the text
/// is not a valid report of major version 1. Fields of a later minor version are ignored, and `ignored` names
/// them.
[[nodiscard]] Report parse_report(std::string_view json, const std::string& file_name,
                                  IfTorn torn = IfTorn::refuse);
[[nodiscard]] Report read_report(const std::filesystem::path& file, IfTorn torn = IfTorn::refuse);
/// Returns true if the content of a file begins like a JSON object. No scene format begins like this.
/// document_kind() determines the kind of the document.
[[nodiscard]] bool looks_like_json(const std::filesystem::path& file);

}  // namespace spira

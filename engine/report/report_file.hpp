// Writes a report as one JSON file and reads it again (docs/file-formats.md).
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace spira {

/// The version of reports that report_json() writes and parse_report() supports.
constexpr int report_major = 1, report_minor = 11;

[[nodiscard]] std::string report_json(const Report& report);
/// Writes the report to a temporary file, then renames it to `file`.
void write_report(const std::filesystem::path& file, const Report& report);

/// Selects how a file is read that is truncated after its first layer.
enum class IfTruncated : std::uint8_t {
  refuse,
  /// Reads the complete layers and settings, and lists the missing parts in `lost`. The plan contains all
  /// layers, with default settings for missing layers. `measurement.layers` and `layer_densities` contain
  /// only the complete layers.
  open
};

/// Reads a document of report_json() (docs/file-formats.md). Statistics, densities and standings are
/// recomputed from samples and counts. Throws `Error(input)` such as "FILE: layers[2].pairs: missing" if the
/// text is not a valid report of major version 1. JsonFields of a later minor version are ignored and listed
/// in `ignored`.
[[nodiscard]] Report parse_report(std::string_view json, const std::string& file_name,
                                  IfTruncated truncated = IfTruncated::refuse);
[[nodiscard]] Report read_report(const std::filesystem::path& file,
                                 IfTruncated truncated = IfTruncated::refuse);
/// Returns true if the file begins like a JSON object, which no scene file does. Use document_kind() to find
/// out which kind of document the file contains.
[[nodiscard]] bool looks_like_json(const std::filesystem::path& file);

}  // namespace spira

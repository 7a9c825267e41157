// Reads the first points of a file in each format, so that users can choose a format if the detected format
// is wrong.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <filesystem>
#include <vector>

namespace spira {

struct Reading {
  const FormatFacts* format = nullptr;
  /// Text after the id of the format, such as the name of an array. Usually empty.
  std::string detail;
  /// Confidence of the guess. 0 if the file would not be read in this format.
  double confidence = 0.0;
  /// Reason for the confidence, or why the file cannot have this format. Empty if the reader gives none.
  std::string why;
  /// The first points with their attributes. Empty if they cannot be read without the rest of the file.
  PointCloud first;
};

/// Returns the first points of a file as rows without a header, in a layout such as "f32:x,y,z,intensity,-".
/// Throws `Error(usage)` for an invalid description, `Error(input)` and `Error(cancelled)`.
[[nodiscard]] PointCloud first_rows(const std::filesystem::path& path, const std::string& description,
                                    Job& job);

/// Returns the readings in all supported formats, in descending order of confidence. For a folder, uses its
/// first frame. If the file cannot be read or is too large to examine, `why` of each reading contains the
/// reason. Throws `Error(cancelled)`.
[[nodiscard]] std::vector<Reading> readings_of(const std::filesystem::path& path, Job& job);

}  // namespace spira

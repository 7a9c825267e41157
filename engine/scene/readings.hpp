// Reads the first points of a file in each supported format, so that users can select another format if the
// detected format is wrong.
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
  /// Confidence that the file has this format. 0 if the program would not select this format, but the
  /// user still can.
  double confidence = 0.0;
  /// Reason for the confidence, or reason why the file cannot have this format. Empty if there is no reason.
  std::string why;
  /// The first points with their attributes. Empty if they cannot be read without the whole file.
  PointCloud first;
};

/// Returns the first points of a file without a header. `description` is the layout of the rows, such as
/// "f32:x,y,z,intensity,-". Throws `Error(usage)` for an invalid description, `Error(input)` and
/// `Error(cancelled)`.
[[nodiscard]] PointCloud first_rows(const std::filesystem::path& path, const std::string& description,
                                    Job& job);

/// Reads a file in all supported formats and returns the results in descending order of confidence. For a
/// folder, reads its first frame. If the file cannot be read or is too large to examine, `why` of each result
/// contains the reason. Throws `Error(cancelled)`.
[[nodiscard]] std::vector<Reading> readings_of(const std::filesystem::path& path, Job& job);

}  // namespace spira

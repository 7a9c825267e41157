// Reads the first points of a file in every supported format. If the detected format is wrong, the user
// selects another one from these previews.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <filesystem>
#include <vector>

namespace spira {

struct Reading {
  const FormatFacts* format = nullptr;
  /// Text after the id of the format, such as the name of an array in an archive. Usually empty.
  std::string detail;
  /// From 0 to 1. If 0, the program would not select this format, but the user can.
  double confidence = 0.0;
  /// The reason for `confidence`, or the reason why the file cannot have this format. Can be empty.
  std::string why;
  /// The first points with their attributes. Empty if the whole file would have to be read for them.
  PointCloud first;
};

/// Returns the first points of a file without a header. `description` is the layout of its rows, such as
/// "f32:x,y,z,intensity,-". Throws `Error(usage)` if the description is invalid, `Error(input)` and
/// `Error(cancelled)`.
[[nodiscard]] PointCloud first_rows(const std::filesystem::path& path, const std::string& description,
                                    Job& job);

/// Tries to read the first points of a file in each supported format. Returns the results in descending order
/// of confidence. For a folder, reads its first frame. If the file cannot be read or is too large, `why` of
/// each result contains the reason. Throws `Error(cancelled)`.
[[nodiscard]] std::vector<Reading> readings_of(const std::filesystem::path& path, Job& job);

}  // namespace spira

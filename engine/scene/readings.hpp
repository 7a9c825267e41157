// What one file would be in each format: for whoever has to choose where the guess is wrong.
#pragma once

#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <filesystem>
#include <vector>

namespace spira {

struct Reading {
  const FormatFacts* format = nullptr;
  std::string detail;       ///< what follows the id of the format: the name of an array; usually empty
  double confidence = 0.0;  ///< as the guess has it; 0: it would not be taken for this format
  std::string why;          ///< of the confidence, or why it cannot be this format; empty: no reader says
  PointCloud first;         ///< its first points with their values, where they can be read by themselves
};

/// The first points of a file as rows without a header, described as in "f32:x,y,z,intensity,-". Throws
/// Error(usage) for a faulty description, Error(input) and Error(cancelled).
[[nodiscard]] PointCloud first_rows(const std::filesystem::path& path, const std::string& description,
                                    Job& job);

/// The formats that are read, the likeliest first; of a folder for its first frame. Where a file cannot be
/// read, or is too large to look into, `why` says so in each of them. Throws Error(cancelled).
[[nodiscard]] std::vector<Reading> readings_of(const std::filesystem::path& path, Job& job);

}  // namespace spira

// Reads and validates the header of a PCD file.
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class PcdData : std::uint8_t { ascii, binary, binary_compressed };

struct PcdField {
  std::string name;
  Scalar type = Scalar::f32;
  std::size_t count = 1;   ///< Number of values per point.
  std::size_t offset = 0;  ///< Offset of the first value in a point of binary data, in bytes.
  std::size_t column = 0;  ///< Index of the first value in a line of ascii data.
};

struct PcdHeader {
  std::vector<PcdField> fields;
  /// The number of points: the value of POINTS, or WIDTH x HEIGHT if POINTS is missing.
  std::uint64_t points = 0;
  /// WIDTH x HEIGHT. Some programs write a value that differs from POINTS.
  std::optional<std::uint64_t> grid_points;
  std::string viewpoint;  ///< The pose of the sensor as text. Empty if it is the identity.
  std::size_t point_bytes = 0, point_values = 0;
  PcdData data = PcdData::ascii;
  std::size_t data_offset = 0;  ///< Offset of the first byte after the DATA line.
  std::size_t data_line = 0;    ///< The line number of the DATA line.
};

/// Reads the header of a PCD file. Throws `Error(input)` with the name of the file, the line and the fault.
[[nodiscard]] PcdHeader read_pcd_header(std::string_view text, std::string_view file_name);

}  // namespace spira

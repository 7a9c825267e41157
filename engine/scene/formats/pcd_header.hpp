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
  std::size_t count = 1;   ///< values per point
  std::size_t offset = 0;  ///< bytes from the start of a point (binary)
  std::size_t column = 0;  ///< values from the start of a line (ascii)
};

struct PcdHeader {
  std::vector<PcdField> fields;
  std::uint64_t points = 0;  ///< POINTS, or WIDTH x HEIGHT if the header has no POINTS
  /// WIDTH x HEIGHT; some writers store another number than POINTS.
  std::optional<std::uint64_t> grid_points;
  std::string viewpoint;  ///< pose of the sensor; empty if it is the identity
  std::size_t point_bytes = 0, point_values = 0;
  PcdData data = PcdData::ascii;
  std::size_t data_offset = 0;  ///< offset of the first byte after the DATA line
  std::size_t data_line = 0;    ///< number of the DATA line
};

/// Reads a header. Throws `Error(input)` with the file, the line and the fault.
[[nodiscard]] PcdHeader read_pcd_header(std::string_view text, std::string_view file_name);

}  // namespace spira

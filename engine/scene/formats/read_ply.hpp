// Reads and validates the header of a PLY file.
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class PlyEncoding : std::uint8_t { ascii, little, big };

struct PlyProperty {
  std::string name;
  Scalar type = Scalar::f32;
  bool list = false;
  Scalar count_type = Scalar::u8;  ///< Used only if `list` is true.
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
  [[nodiscard]] bool has_list() const noexcept;
  /// Returns the size of one row in bytes. The element must not have a list, because its size would vary.
  [[nodiscard]] std::size_t fixed_bytes() const noexcept;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t data_offset = 0, data_line = 0;
};

/// Reads the header of a PLY file. Throws `Error(input)` with the name of the file, the line and the fault.
[[nodiscard]] PlyHeader read_ply_header(std::string_view text, std::string_view file_name);

}  // namespace spira

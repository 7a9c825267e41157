// Reads the header of an NPY array. Rejects arrays of Python objects (pickles).
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A number within an element of an array. Elements of plain arrays have one field, without a name.
struct NpyField {
  std::string name;
  Scalar type = Scalar::f32;
  ByteOrder order = ByteOrder::little;
  std::uint64_t offset = 0;  ///< bytes from the start of the element
};

struct NpyHeader {
  std::vector<NpyField> fields;  ///< numbers only; text and other fields are skipped
  bool named = false;            ///< true if the elements have named fields
  std::uint64_t item_bytes = 0;  ///< size of one element
  bool column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_offset = 0;
};

/// Reads a header. Throws `Error(input)` with the file and the fault.
[[nodiscard]] NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file_name);

/// Returns a text such as "240 x 4".
[[nodiscard]] std::string shape_text(const NpyHeader& header);

}  // namespace spira

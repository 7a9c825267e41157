// Reads the header of an NPY array. Rejects arrays of Python objects (pickles), because they are not numbers.
#pragma once

#include "engine/scene/bytes.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// One number in each element of an array. If the array has no named fields, each element is a single field
/// with an empty name.
struct NpyField {
  std::string name;
  Scalar type = Scalar::f32;
  ByteOrder order = ByteOrder::little;
  std::uint64_t offset = 0;  ///< Offset in bytes from the start of the element.
};

struct NpyHeader {
  std::vector<NpyField> fields;  ///< The numeric fields. Text and other fields are skipped.
  bool named = false;            ///< True if the elements have named fields.
  std::uint64_t item_bytes = 0;
  bool column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_offset = 0;
};

/// Reads the header of an NPY file. Throws `Error(input)` with a message that names the file and the fault.
[[nodiscard]] NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file_name);

/// Returns the shape of the array, such as "240 x 4".
[[nodiscard]] std::string shape_text(const NpyHeader& header);

/// Reads an NPY file with the shape [rows][channels]. Throws `Error(input)` for other shapes, and for values
/// that are NaN or infinite. `whose` names the values in messages, such as "the gradient of this output".
[[nodiscard]] std::vector<float> read_npy_matrix(const std::filesystem::path& file, std::int64_t rows,
                                                 int channels, std::string_view whose);

}  // namespace spira

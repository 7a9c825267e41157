// Describes the layout of raw rows without a header as text, and detects the layout from the values.
#pragma once

#include "engine/scene/bytes.hpp"
#include "engine/scene/columns.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// The layout of a file without a header.
struct RowLayout {
  Scalar type = Scalar::f32;
  ByteOrder order = ByteOrder::little;
  bool planar = false;           ///< True if the values of a column are stored together.
  std::uint64_t skip_bytes = 0;  ///< Number of bytes before the first value.
  std::vector<Column> columns;

  [[nodiscard]] std::size_t row_bytes() const noexcept { return columns.size() * bytes_of(type); }
};

/// Returns the name of a type, such as "f32" or "u16".
[[nodiscard]] std::string_view text_of(Scalar type) noexcept;
/// Returns the names of all types, separated by `between`, such as "i8|u8|i16|...".
[[nodiscard]] std::string scalar_names(char between);

/// Parses a layout such as "f32:x,y,z,intensity,-". The options ":planar", ":big" and ":skip=16" can follow
/// in any order. A column "-" is not used. Throws `Error(usage)` with the expected form.
[[nodiscard]] RowLayout parse_row_layout(std::string_view text);
/// Returns a layout as a text that parse_row_layout() accepts. A column without a name gets the name of its
/// attribute.
[[nodiscard]] std::string text_of(const RowLayout& layout);
/// The result of find_row_layout().
struct RowVerdict {
  std::optional<RowLayout> layout;  ///< Set if one layout is clearly better than all others.
  double confidence = 0.0;          ///< From 0 to 1. 0 without a layout.
  /// One sentence with the evidence, or with the considered layouts and their faults.
  std::string why;
};

/// Returns the layout of the rows if exactly one layout fits, otherwise the reason why none was found. Reads
/// a sample of at most about 50 kB of the bytes. `file_name` must be in lower case. The extension ".pcd.bin"
/// makes rows of five float32 values more likely.
[[nodiscard]] RowVerdict find_row_layout(std::span<const std::byte> bytes, std::string_view file_name);

/// Returns true if nearly all bytes are printable characters. A file of such bytes is never read as binary
/// rows.
[[nodiscard]] bool is_text(std::span<const std::byte> bytes) noexcept;

}  // namespace spira

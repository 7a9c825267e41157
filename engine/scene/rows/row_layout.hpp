// Raw rows of numbers without a header: their description as text, and the detection of their layout.
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

/// Layout of a file without a header.
struct RowLayout {
  Scalar type = Scalar::f32;
  ByteOrder order = ByteOrder::little;
  bool planar = false;           ///< true if all values of one column are stored together
  std::uint64_t skip_bytes = 0;  ///< bytes before the first value
  std::vector<Column> columns;

  [[nodiscard]] std::size_t row_bytes() const noexcept { return columns.size() * bytes_of(type); }
};

/// Returns a text such as "f32" or "u16".
[[nodiscard]] std::string_view text_of(Scalar type) noexcept;
/// Returns the names of all types, "i8|u8|i16 ...", separated by `between`.
[[nodiscard]] std::string scalar_names(char between);

/// Parses "f32:x,y,z,intensity,-", optionally followed by ":planar", ":big" and ":skip=16" in any order. "-"
/// is an unused column. Throws `Error(usage)` with the expected form.
[[nodiscard]] RowLayout parse_row_layout(std::string_view text);
/// Returns the description of a layout in the form that parse_row_layout() accepts. Columns without a name
/// are named after their attribute.
[[nodiscard]] std::string text_of(const RowLayout& layout);
/// Result of find_row_layout().
struct RowVerdict {
  std::optional<RowLayout> layout;  ///< set if one layout is clearly better than all others
  double confidence = 0.0;          ///< from 0 to 1; 0 without a layout
  /// One sentence: the evidence, or the considered layouts and why they failed.
  std::string why;
};

/// Returns the layout if exactly one layout fits the bytes, otherwise the reason why none was found. Reads a
/// sample of the bytes, at most about 50 kB. `file_name` must be in lower case; the ending ".pcd.bin" makes
/// rows of five float32 more likely.
[[nodiscard]] RowVerdict find_row_layout(std::span<const std::byte> bytes, std::string_view file_name);

/// Returns true if nearly all bytes are printable characters. Such a file is never read as binary rows.
[[nodiscard]] bool is_text(std::span<const std::byte> bytes) noexcept;

}  // namespace spira

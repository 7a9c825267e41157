// Describes the layout of raw rows without a header as text. Detects the layout from the values.
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

/// The layout of the rows in a file without a header.
struct RowLayout {
  Scalar type = Scalar::f32;
  ByteOrder order = ByteOrder::little;
  bool planar = false;           ///< True if the values are stored column by column instead of row by row.
  std::uint64_t skip_bytes = 0;  ///< Number of bytes before the first value.
  std::vector<Column> columns;

  [[nodiscard]] std::size_t row_bytes() const noexcept { return columns.size() * bytes_of(type); }
};

/// Returns the name of a type, such as "f32" or "u16".
[[nodiscard]] std::string_view text_of(Scalar type) noexcept;
/// Returns the names of all types, such as "i8|u8|i16|..." if `between` is '|'.
[[nodiscard]] std::string scalar_names(char between);

/// Parses a layout such as "f32:x,y,z,intensity,-". A column with the name "-" is skipped. The options
/// ":planar", ":big" and ":skip=16" can follow in any order. Throws `Error(usage)`; the message contains the
/// expected form.
[[nodiscard]] RowLayout parse_row_layout(std::string_view text);
/// Returns the layout as text in the form of parse_row_layout(). A column without a name is written with the
/// name of its attribute.
[[nodiscard]] std::string text_of(const RowLayout& layout);
struct RowVerdict {
  std::optional<RowLayout> layout;  ///< Set if one layout is clearly better than all others.
  double confidence = 0.0;          ///< From 0 to 1. 0 if no layout was found.
  /// One sentence: the evidence for the layout, or the tested layouts and their faults.
  std::string why;
};

/// Returns the layout of the rows if exactly one layout fits. Otherwise returns the reason. Examines a sample
/// of at most about 50 kB. `file_name` must be in lower case; the extension ".pcd.bin" makes rows of five
/// float32 values more likely.
[[nodiscard]] RowVerdict find_row_layout(std::span<const std::byte> bytes, std::string_view file_name);

/// Returns true if nearly all bytes are printable characters. Such a file is never read as binary rows.
[[nodiscard]] bool is_text(std::span<const std::byte> bytes) noexcept;

}  // namespace spira

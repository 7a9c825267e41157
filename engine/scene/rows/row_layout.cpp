#include "engine/scene/rows/row_layout.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spira {
namespace {

constexpr std::array<std::pair<std::string_view, Scalar>, 11> type_names{{{"i8", Scalar::i8},
                                                                          {"u8", Scalar::u8},
                                                                          {"i16", Scalar::i16},
                                                                          {"u16", Scalar::u16},
                                                                          {"i32", Scalar::i32},
                                                                          {"u32", Scalar::u32},
                                                                          {"i64", Scalar::i64},
                                                                          {"u64", Scalar::u64},
                                                                          {"f16", Scalar::f16},
                                                                          {"f32", Scalar::f32},
                                                                          {"f64", Scalar::f64}}};
constexpr std::string_view unused = "-", planar_word = "planar", big_word = "big", skip_word = "skip=";

/// Removes the text up to and including the next `mark`. Returns the text without the mark.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return part;
}

Error bad_layout(std::string_view text, const std::string& fault) {
  return {ErrorKind::usage, "rows '" + printable(text) + "': " + fault +
                                "; expected a type and columns as in \"f32:x,y,z,intensity,-\", with - for a "
                                "column that is not used"};
}

std::vector<Column> columns_of(std::string_view list, bool integral, std::string_view whole) {
  constexpr std::size_t max_columns = 256;
  std::vector<Column> columns;
  while (!list.empty()) {
    const std::string_view name = cut(list, ',');
    if (name.empty()) throw bad_layout(whole, "a column has no name");
    columns.push_back({std::string(name), Attribute::none, integral});
    if (columns.size() > max_columns) throw bad_layout(whole, "more than 256 columns");
  }
  assign_by_name(columns);
  for (const Attribute axis : {Attribute::x, Attribute::y, Attribute::z}) {
    if (index_of(columns, axis) < 0)
      throw bad_layout(whole, "no column is named " + std::string(text_of(axis)));
  }
  return columns;
}

}  // namespace

std::string_view text_of(Scalar type) noexcept {
  for (const auto& [name, value] : type_names) {
    if (value == type) return name;
  }
  return {};
}

std::string scalar_names(char between) {
  std::string text;
  for (const auto& [name, value] : type_names)
    text += (text.empty() ? std::string() : std::string(1, between)) + std::string(name);
  return text;
}

RowLayout parse_row_layout(std::string_view text) {
  const std::string_view whole = text;
  RowLayout layout;
  const std::string_view type = cut(text, ':');
  const auto* found =
      std::find_if(type_names.begin(), type_names.end(), [&](const auto& row) { return row.first == type; });
  if (found == type_names.end())
    throw bad_layout(whole, "type '" + printable(type) + "' is not one of " + scalar_names(' '));
  layout.type = found->second;
  layout.columns = columns_of(cut(text, ':'), is_integral(layout.type), whole);
  while (!text.empty()) {
    const std::string_view option = cut(text, ':');
    if (option == planar_word) {
      layout.planar = true;
    } else if (option == big_word) {
      layout.order = ByteOrder::big;
    } else {
      const auto bytes = option.starts_with(skip_word) ? parse_int(option.substr(skip_word.size()))
                                                       : std::optional<std::int64_t>();
      if (!bytes || *bytes < 0)
        throw bad_layout(whole, "'" + printable(option) + "' is not one of planar, big and skip=BYTES");
      layout.skip_bytes = static_cast<std::uint64_t>(*bytes);
    }
  }
  return layout;
}

std::string text_of(const RowLayout& layout) {
  std::string text = std::string(text_of(layout.type)) + ":";
  for (const Column& column : layout.columns) {
    if (&column != layout.columns.data()) text += ',';
    if (!column.name.empty()) {
      text += column.name;
    } else {
      text += column.attribute == Attribute::none ? unused : text_of(column.attribute);
    }
  }
  if (layout.planar) text += ":" + std::string(planar_word);
  if (layout.order == ByteOrder::big) text += ":" + std::string(big_word);
  if (layout.skip_bytes > 0) text += ":" + std::string(skip_word) + std::to_string(layout.skip_bytes);
  return text;
}

}  // namespace spira

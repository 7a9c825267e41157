#include "engine/scene/formats/npy_header.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace spira {
namespace {

/// A Python literal in the header of an NPY file. The kind `word` is any literal that is not a text, tuple or
/// list.
struct Literal {
  enum class Kind : std::uint8_t { text, sequence, word } kind = Kind::word;
  std::string text;
  std::vector<Literal> items;
};

class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  /// Returns the value of a key of the header, or an empty value if the key is missing or its value is
  /// malformed.
  [[nodiscard]] std::optional<Literal> value_of(std::string_view key) {
    const std::string quoted = "'" + std::string(key) + "'";
    const std::size_t found = text_.find(quoted);
    if (found == std::string_view::npos) return std::nullopt;
    at_ = found + quoted.size();
    if (next() != ':') return std::nullopt;
    ++at_;
    return parse(0);
  }

 private:
  [[nodiscard]] char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  [[nodiscard]] std::optional<Literal> parse(int depth) {
    constexpr int max_depth = 16;
    if (depth > max_depth) return std::nullopt;
    const char first = next();
    if (first == '\'' || first == '"') return quoted(first);
    if (first == '(' || first == '[') return sequence(first == '(' ? ')' : ']', depth);
    const std::size_t end = std::min(text_.find_first_of(",)]} ", at_), text_.size());
    if (end == at_) return std::nullopt;
    Literal word{Literal::Kind::word, std::string(text_.substr(at_, end - at_)), {}};
    at_ = end;
    return word;
  }

  [[nodiscard]] std::optional<Literal> quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    Literal text{Literal::Kind::text, std::string(text_.substr(at_ + 1, end - at_ - 1)), {}};
    at_ = end + 1;
    return text;
  }

  [[nodiscard]] std::optional<Literal> sequence(char close, int depth) {
    Literal all{Literal::Kind::sequence, {}, {}};
    ++at_;
    while (next() != close) {
      auto item = parse(depth + 1);
      if (!item) return std::nullopt;
      all.items.push_back(std::move(*item));
      if (next() == ',') {
        ++at_;
      } else if (next() != close) {
        return std::nullopt;
      }
    }
    ++at_;
    return all;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::array<std::pair<std::string_view, Scalar>, 12> numbers{{{"f2", Scalar::f16},
                                                                       {"f4", Scalar::f32},
                                                                       {"f8", Scalar::f64},
                                                                       {"i1", Scalar::i8},
                                                                       {"u1", Scalar::u8},
                                                                       {"b1", Scalar::u8},
                                                                       {"i2", Scalar::i16},
                                                                       {"u2", Scalar::u16},
                                                                       {"i4", Scalar::i32},
                                                                       {"u4", Scalar::u32},
                                                                       {"i8", Scalar::i64},
                                                                       {"u8", Scalar::u64}}};

constexpr std::uint64_t max_item_bytes = 1U << 20U;

/// Determines the element type of an array from the value of the key 'descr'.
class ElementType {
 public:
  explicit ElementType(NpyHeader& header) : header_(header) {}

  /// Adds `count` fields of one type to the header. Returns an error message, or an empty string.
  [[nodiscard]] std::string add(const Literal& type, const std::string& name, std::uint64_t count) {
    if (type.kind == Literal::Kind::text) return add_simple(type.text, name, count);
    if (type.kind != Literal::Kind::sequence) return "the header has no element type";
    for (std::uint64_t repeat = 0; repeat < count; ++repeat) {
      const std::uint64_t before = header_.item_bytes;
      for (const Literal& field : type.items) {
        std::string fault = add_field(field, name);
        if (!fault.empty()) return fault;
      }
      if (header_.item_bytes > max_item_bytes) return "elements larger than 1 MiB";
      // A field without bytes has no content, but could be repeated so often that this loop takes hours.
      if (header_.item_bytes == before) break;
    }
    return {};
  }

 private:
  /// Adds a field to the header. The field can have the form ('x', '<f4'), ('xyz', '<f4', (3,)) or
  /// ('position', [('x', '<f4'), ...]). Returns an error message, or an empty string.
  [[nodiscard]] std::string add_field(const Literal& field, const std::string& outer) {
    if (field.kind != Literal::Kind::sequence || field.items.size() < 2) return "a field has no type";
    // A field with a title is written as (('title', 'name'), type).
    const Literal& named = field.items[0];
    const std::string& own = named.items.empty() ? named.text : named.items.back().text;
    std::uint64_t count = 1;
    if (field.items.size() > 2) {
      const std::vector<Literal> one{field.items[2]};
      for (const Literal& size :
           field.items[2].kind == Literal::Kind::sequence ? field.items[2].items : one) {
        const auto number = parse_int(size.text);
        if (!number || *number < 0 || static_cast<std::uint64_t>(*number) > max_item_bytes)
          return "the size of a field is unknown or too large";
        count *= static_cast<std::uint64_t>(*number);
        if (count > max_item_bytes) return "elements larger than 1 MiB";
      }
    }
    return add(field.items[1], outer.empty() || own.empty() ? own : outer + "." + own, count);
  }

  [[nodiscard]] std::string add_simple(std::string_view type, const std::string& name, std::uint64_t count) {
    if (type.find('O') != std::string_view::npos)
      return "arrays of Python objects (pickles) are not supported; save numbers, as in np.save(file, "
             "np.asarray(points, dtype=np.float32))";
    const auto order = type.starts_with('>') ? ByteOrder::big : ByteOrder::little;
    if (!type.empty() && std::string_view("<>|=").find(type.front()) != std::string_view::npos)
      type.remove_prefix(1);
    const auto* number =
        std::find_if(numbers.begin(), numbers.end(), [&](const auto& row) { return row.first == type; });
    std::uint64_t bytes = 0;
    if (number != numbers.end()) {
      bytes = bytes_of(number->second);
    } else {
      const std::string_view digits = type.substr(std::min<std::size_t>(1, type.size()));
      const auto size = parse_int(digits.substr(0, digits.find('[')));
      if (!size || *size < 0 || static_cast<std::uint64_t>(*size) > max_item_bytes)
        return "type '" + printable(type.substr(0, 48)) + "', expected numbers";
      bytes = static_cast<std::uint64_t>(*size) * (type.front() == 'U' ? 4 : 1);
    }
    constexpr std::size_t max_fields = 4'096;
    if (bytes == 0) return {};
    for (std::uint64_t at = 0; at < count; ++at) {
      if (number != numbers.end() && header_.fields.size() < max_fields)
        header_.fields.push_back(
            {count == 1 ? name : part_name(name, at, count), number->second, order, header_.item_bytes});
      header_.item_bytes += bytes;
      if (header_.item_bytes > max_item_bytes) return "elements larger than 1 MiB";
    }
    return {};
  }

  /// Returns the name of one number of a field with several numbers. For example, the second number is "y"
  /// for the field "xyz", "g" for "rgb" and "ny" for "normal".
  [[nodiscard]] static std::string part_name(const std::string& name, std::uint64_t at, std::uint64_t count) {
    static constexpr std::array<std::array<std::string_view, 3>, 3> parts{
        {{"x", "y", "z"}, {"r", "g", "b"}, {"nx", "ny", "nz"}}};
    const std::string last = name.substr(name.rfind('.') + 1);
    const auto is_any = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), last) != names.end();
    };
    std::size_t kind = parts.size();
    if (is_any({"xyz", "coord", "coords", "position", "positions", "pos", "points", "point"})) kind = 0;
    if (is_any({"rgb", "color", "colors", "colour", "colours"})) kind = 1;
    if (is_any({"normal", "normals"})) kind = 2;
    if (kind < parts.size() && (count == 3 || (count == 4 && at < 3)))
      return std::string(parts.at(kind).at(at));
    return name + "[" + std::to_string(at) + "]";
  }

  NpyHeader& header_;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file_name) {
  const auto bad = [&](const std::string& text) {
    return Error(ErrorKind::input, std::string(file_name) + ": NPY: " + text);
  };
  if (bytes.size() < 12 || !text_of(bytes).starts_with("\x93NUMPY"))
    throw bad("does not begin with an NPY signature");
  const auto major = std::to_integer<int>(bytes[6]);
  const std::size_t prefix = major == 1 ? 10 : 12;
  const std::uint64_t length =
      major == 1 ? load<std::uint16_t>(bytes.data() + 8) : load<std::uint32_t>(bytes.data() + 8);
  if (major < 1 || major > 3) throw bad("version " + std::to_string(major) + ", expected 1 to 3");
  if (length > bytes.size() - prefix)
    throw bad("header of " + std::to_string(length) + " bytes extends beyond the end of the file");
  LiteralParser parser(text_of(bytes).substr(prefix, length));
  NpyHeader header;
  header.data_offset = prefix + length;
  const auto type = parser.value_of("descr");
  if (!type) throw bad("the header has no element type");
  header.named = type->kind == Literal::Kind::sequence;
  const std::string fault = ElementType(header).add(*type, "", 1);
  if (!fault.empty()) throw bad(fault);
  if (header.fields.empty() || header.item_bytes == 0) throw bad("its elements contain no numbers");
  const auto order = parser.value_of("fortran_order");
  if (!order || (order->text != "True" && order->text != "False"))
    throw bad("the header has no fortran_order");
  header.column_major = order->text == "True";
  const auto shape = parser.value_of("shape");
  if (!shape || shape->kind != Literal::Kind::sequence) throw bad("the header has no shape");
  constexpr std::size_t max_dimensions = 32;
  for (const Literal& size : shape->items) {
    const auto number = parse_int(size.text);
    if (!number || *number < 0 || header.shape.size() == max_dimensions)
      throw bad("the shape contains '" + printable(size.text.substr(0, 32)) + "'");
    header.shape.push_back(static_cast<std::uint64_t>(*number));
  }
  return header;
}

std::string shape_text(const NpyHeader& header) {
  std::string text;
  for (const auto size : header.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "()" : text;
}

std::vector<float> read_npy_matrix(const std::filesystem::path& file, std::int64_t rows, int channels,
                                   std::string_view whose) {
  constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30U;
  const std::vector<std::byte> bytes = read_file(file, most_bytes);
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::input, file.string() + ": " + what);
  };
  const NpyHeader header = read_npy_header(bytes, file.string());
  const auto count = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(channels);
  if (header.named || header.fields.size() != 1) fail("expected an array of numbers without named fields");
  if (header.shape !=
      std::vector<std::uint64_t>{static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(channels)})
    fail("an array of shape " + shape_text(header) + "; " + std::string(whose) + " must have the shape " +
         std::to_string(rows) + " x " + std::to_string(channels));
  if (bytes.size() < header.data_offset || (bytes.size() - header.data_offset) / header.item_bytes < count)
    fail("the file ends before its last value; write it again");
  std::vector<float> values(count);
  for (std::uint64_t at = 0; at < count; ++at) {
    const auto row = at / static_cast<std::uint64_t>(channels),
               channel = at % static_cast<std::uint64_t>(channels);
    const std::uint64_t from = header.column_major ? (channel * static_cast<std::uint64_t>(rows)) + row : at;
    const NpyField& field = header.fields.front();
    values[at] = static_cast<float>(
        load_scalar(bytes.data() + header.data_offset + (from * header.item_bytes) + field.offset, field.type,
                    field.order));
    if (!std::isfinite(values[at]))
      fail("row " + std::to_string(row) + ", channel " + std::to_string(channel) + " is NaN or infinite");
  }
  return values;
}

}  // namespace spira

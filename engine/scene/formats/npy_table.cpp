#include "engine/scene/formats/npy_table.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/rows/row_layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

namespace spira {
namespace {

constexpr std::uint64_t max_columns = 256;
/// The usual maximum number of attributes per point. A larger dimension is assumed to be the number of
/// points.
constexpr std::uint64_t few_columns = 16;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The content of an array, judged by its name.
enum class Role : std::uint8_t { unknown, position, axis, colour, normal, label, intensity, other };

constexpr std::array<std::string_view, 18> position_names{
    "points",    "xyz",         "coord",      "coords", "coordinates", "lidar",
    "pc",        "point_cloud", "pointcloud", "pts",    "point",       "position",
    "positions", "pos",         "velodyne",   "cloud",  "vertices",    "scan"};

Role role_of(const std::string& array) {
  const std::string name = lower_case(array);
  const auto is_any = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (std::find(position_names.begin(), position_names.end(), name) != position_names.end())
    return Role::position;
  if (is_any({"color", "colors", "colour", "colours", "rgb", "rgbs"})) return Role::colour;
  if (is_any({"normal", "normals"})) return Role::normal;
  if (is_any({"strength"})) return Role::intensity;
  if (is_any({"instance", "instances", "boxes", "bbox", "bboxes", "gt_boxes", "pose", "poses", "transform",
              "calib", "image", "depth", "features", "feats"}))
    return Role::other;
  switch (attribute_of(name)) {
    case Attribute::x:
    case Attribute::y:
    case Attribute::z:
      return Role::axis;
    case Attribute::label:
      return Role::label;
    case Attribute::intensity:
      return Role::intensity;
    default:
      return Role::unknown;
  }
}

std::size_t position_rank(const NpyTable& table) {
  return static_cast<std::size_t>(
      std::find(position_names.begin(), position_names.end(), lower_case(table.name)) -
      position_names.begin());
}

bool has_axes_by_name(const NpyTable& table) {
  std::array<bool, 3> found{};
  for (const NpyField& field : table.columns) {
    const Attribute attribute = attribute_of(field.name);
    if (attribute >= Attribute::x && attribute <= Attribute::z)
      found.at(static_cast<std::size_t>(attribute) - 1) = true;
  }
  return found[0] && found[1] && found[2];
}

bool can_be_points(const NpyTable& table) {
  if (!table.fault.empty()) return false;
  return table.header.named ? has_axes_by_name(table) : table.columns.size() >= 3;
}

/// Returns the product of the sizes, or the largest 64-bit number if it overflows.
std::uint64_t element_count(std::span<const std::uint64_t> sizes) {
  std::uint64_t all = 1;
  for (const std::uint64_t size : sizes) {
    if (size != 0 && all > std::numeric_limits<std::uint64_t>::max() / size)
      return std::numeric_limits<std::uint64_t>::max();
    all *= size;
  }
  return all;
}

struct ArrayShape {
  std::uint64_t rows = 0, columns = 1;
  bool transposed = false;
  std::string fault;
};

ArrayShape shape_of_plain(const NpyHeader& header) {
  const std::span<const std::uint64_t> sizes = header.shape;
  if (sizes.empty()) return {0, 0, false, "a single value"};
  if (sizes.size() == 1) return {sizes[0], 1, false, {}};
  const std::uint64_t first = sizes.front(), last = sizes.back();
  const bool picture = sizes.size() > 2 && header.fields[0].type == Scalar::u8;
  if (picture) return {0, 0, false, "an 8-bit image"};
  const bool as_rows = sizes.size() == 2 ? last <= max_columns : last >= 3 && last <= few_columns;
  const bool as_columns = first >= 3 && first <= few_columns && element_count(sizes.subspan(1)) > few_columns;
  if (as_columns && last > few_columns) return {element_count(sizes.subspan(1)), first, true, {}};
  if (as_rows && (sizes.size() > 2 || last <= few_columns || first >= last))
    return {element_count(sizes.first(sizes.size() - 1)), last, false, {}};
  return {0, 0, false, "it is not clear which dimension contains the columns"};
}

std::vector<Column> named_columns(const NpyTable& table) {
  std::vector<Column> columns;
  for (const NpyField& field : table.columns)
    columns.push_back({field.name, Attribute::none, is_integral(field.type)});
  assign_by_name(columns);
  if (has_positions(columns)) return columns;
  // The name of a nested field begins with the name of the outer field, as in "position.x". Use only the last
  // part of the name.
  for (Column& column : columns)
    column.name = column.name.substr(column.name.rfind('.') + 1);
  assign_by_name(columns);
  return columns;
}

/// Returns the columns of an array that contains attributes of the points, such as their colours.
std::vector<Column> companion_columns(const NpyTable& table) {
  std::vector<Column> columns;
  for (std::size_t at = 0; at < table.columns.size(); ++at)
    columns.push_back({table.name + (table.columns.size() > 1 ? "[" + std::to_string(at) + "]" : ""),
                       Attribute::none, is_integral(table.columns[at].type)});
  const auto set_three = [&](Attribute first) {
    for (std::size_t at = 0; at < 3 && columns.size() >= 3; ++at)
      columns[at].attribute = static_cast<Attribute>(static_cast<std::size_t>(first) + at);
  };
  const Role role = role_of(table.name);
  if (role == Role::colour) set_three(Attribute::red);
  if (role == Role::normal) set_three(Attribute::normal_x);
  if (columns.size() == 1) {
    if (role == Role::label) columns[0].attribute = Attribute::label;
    if (role == Role::intensity) columns[0].attribute = Attribute::intensity;
    if (role == Role::axis) columns[0].attribute = attribute_of(lower_case(table.name));
  }
  return columns;
}

std::vector<Column> columns_of(const NpyTable& table) {
  if (table.header.named) return named_columns(table);
  return columns_by_value(static_cast<std::int64_t>(table.rows), table.columns.size(),
                          is_integral(table.columns[0].type), [&](std::int64_t row, std::size_t column) {
                            return table.value(static_cast<std::uint64_t>(row), column);
                          });
}

/// Returns the indices of three separate arrays for x, y and z, or an empty list if one of them is missing.
std::vector<std::size_t> separate_axes(std::span<const NpyTable> tables) {
  std::vector<std::size_t> found;
  for (const Attribute axis : {Attribute::x, Attribute::y, Attribute::z}) {
    for (std::size_t at = 0; at < tables.size(); ++at) {
      const NpyTable& table = tables[at];
      if (!table.fault.empty() || table.columns.size() != 1 || attribute_of(table.name) != axis) continue;
      if (!found.empty() && table.rows != tables[found.front()].rows) continue;
      found.push_back(at);
      break;
    }
  }
  return found.size() == 3 ? found : std::vector<std::size_t>{};
}

/// Returns the indices of the arrays that contain the coordinates. Prefers an array with a common name. Among
/// such arrays, prefers the array with the most rows.
std::vector<std::size_t> coordinates(std::span<const NpyTable> tables) {
  std::vector<std::size_t> candidates;
  for (std::size_t at = 0; at < tables.size(); ++at) {
    const Role role = role_of(tables[at].name);
    const bool companion = role == Role::colour || role == Role::normal || role == Role::label;
    if (can_be_points(tables[at]) && !companion) candidates.push_back(at);
  }
  if (candidates.empty()) return separate_axes(tables);
  const auto better = [&](std::size_t a, std::size_t b) {
    const auto order = [&](std::size_t at) {
      const std::size_t rank = position_rank(tables[at]);
      return std::pair{rank == position_names.size(), role_of(tables[at].name) == Role::other};
    };
    if (order(a) != order(b)) return order(a) < order(b);
    if (tables[a].rows != tables[b].rows) return tables[a].rows > tables[b].rows;
    return position_rank(tables[a]) < position_rank(tables[b]);
  };
  return {*std::min_element(candidates.begin(), candidates.end(), better)};
}

}  // namespace

std::uint64_t NpyTable::file_bytes() const noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t items = element_count(header.shape);
  if (items > (most - header.data_offset) / header.item_bytes) return most;
  return header.data_offset + (items * header.item_bytes);
}

NpyTable table_of(NpyHeader header, std::string name, std::uint64_t file_bytes) {
  NpyTable table;
  table.name = std::move(name);
  table.header = std::move(header);
  const NpyHeader& head = table.header;
  const std::uint64_t items = element_count(head.shape);
  const std::uint64_t data_bytes = file_bytes - std::min<std::uint64_t>(file_bytes, head.data_offset);
  if (items > data_bytes / head.item_bytes) {
    table.fault = "the header declares " + shape_text(head) + " values, but only " +
                  std::to_string(data_bytes) + " bytes follow (truncated?)";
    return table;
  }
  if (head.named) {
    table.rows = items;
    table.row_bytes = head.item_bytes;
    table.columns = head.fields;
    return table;
  }
  const ArrayShape shape = shape_of_plain(head);
  table.fault = shape.fault;
  if (!table.fault.empty()) return table;
  table.rows = shape.rows;
  table.transposed = shape.transposed;
  const bool apart = head.column_major != shape.transposed;
  table.row_bytes = head.item_bytes * (apart ? 1 : shape.columns);
  for (std::uint64_t at = 0; at < shape.columns; ++at) {
    table.columns.push_back(head.fields[0]);
    table.columns.back().offset = at * head.item_bytes * (apart ? shape.rows : 1);
  }
  return table;
}

std::vector<std::size_t> tables_of_cloud(std::span<const NpyTable> tables) {
  std::vector<std::size_t> chosen = coordinates(tables);
  if (chosen.empty()) return chosen;
  const NpyTable& first = tables[chosen.front()];
  if (first.header.named) return chosen;
  std::vector<Role> taken;
  for (std::size_t at = 0; at < tables.size(); ++at) {
    const NpyTable& table = tables[at];
    const Role role = role_of(table.name);
    const bool three = role == Role::colour || role == Role::normal;
    const bool fits = three ? table.columns.size() == 3 || table.columns.size() == 4
                            : (role == Role::label || role == Role::intensity) && table.columns.size() == 1;
    if (!table.fault.empty() || table.header.named || !fits || table.rows != first.rows) continue;
    if (std::find(taken.begin(), taken.end(), role) != taken.end()) continue;
    if (std::find(chosen.begin(), chosen.end(), at) != chosen.end()) continue;
    taken.push_back(role);
    chosen.push_back(at);
  }
  return chosen;
}

ArrayPart part_of_scene(const std::string& array_name) {
  const std::string name = lower_case(array_name);
  if (name == "instance" || name == "instances") return ArrayPart::attribute;
  switch (role_of(name)) {
    case Role::position:
    case Role::axis:
      return ArrayPart::coordinates;
    case Role::colour:
    case Role::normal:
    case Role::label:
    case Role::intensity:
      return ArrayPart::attribute;
    default:
      return ArrayPart::none;
  }
}

std::string list_of(std::span<const NpyTable> tables) {
  constexpr std::size_t most = 12;
  std::string text;
  for (const NpyTable& table : tables.first(std::min(most, tables.size())))
    text += (text.empty() ? "" : ", ") + shortened(printable(table.name)) + " (" +
            shortened(shape_text(table.header)) + ")";
  if (tables.size() > most)
    text += " and " + count_text(std::ssize(tables) - static_cast<std::int64_t>(most)) + " more";
  return text;
}

std::string type_text(const NpyTable& table) {
  if (table.header.named) return "named fields";
  const Scalar type = table.header.fields.front().type;
  const std::string bits = std::to_string(8 * bytes_of(type));
  if (!is_integral(type)) return "float" + bits;
  return (text_of(type).front() == 'u' ? "uint" : "int") + bits;
}

PointCloud points_of(const std::vector<const NpyTable*>& tables, std::string_view file_name,
                     std::string_view format, const std::string& title, std::uint64_t left_over,
                     const ReadLimits& limits, Job& job) {
  struct Source {
    const NpyTable* table;
    std::size_t column;
  };
  std::vector<Column> columns;
  std::vector<Source> sources;
  const NpyTable& first = *tables.front();
  const bool axes = first.columns.size() == 1;
  std::string guessed;
  for (const NpyTable* table : tables) {
    auto own = table == &first && !axes ? columns_of(*table) : companion_columns(*table);
    if (table == &first && !first.header.named) guessed = note_on_guessed(own);
    for (std::size_t at = 0; at < own.size(); ++at) {
      // The name of an array is better evidence for an attribute than a column of another array. Therefore
      // the array replaces that column.
      if (own[at].attribute != Attribute::none) {
        const int before = index_of(columns, own[at].attribute);
        if (before >= 0) columns[static_cast<std::size_t>(before)].attribute = Attribute::none;
      }
      sources.push_back({table, at});
    }
    columns.insert(columns.end(), own.begin(), own.end());
  }
  if (!has_positions(columns))
    throw Error(ErrorKind::input, std::string(file_name) + ": the " + std::to_string(columns.size()) +
                                      " columns do not include x, y and z");
  PointSink sink(std::move(columns), static_cast<std::int64_t>(first.rows), file_name, limits, job);
  if (first.transposed)
    sink.note("the array of shape " + shape_text(first.header) + " was read as " +
              std::to_string(first.columns.size()) + " columns of " +
              count_text(static_cast<std::int64_t>(first.rows)) + " points (transposed)");
  if (!guessed.empty())
    sink.note(guessed + "; to choose the columns yourself, save an array with named fields");
  std::vector<double> values(sources.size());
  for (std::uint64_t row = 0; row < first.rows; ++row) {
    for (const std::size_t column : sink.used())
      values[column] = sources[column].table->value(row, sources[column].column);
    sink.add(values);
  }
  sink.note_left_over(left_over);
  return sink.take(file_name, format, title);
}

namespace {

class NpyReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    if (text_of(bytes).starts_with("\x93NUMPY")) return {1.0, "begins with an NPY signature"};
    return {};
  }
  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    NpyTable table = table_of(read_npy_header(bytes, file_name), "", bytes.size());
    const std::string shape = shape_text(table.header);
    if (!table.fault.empty())
      throw Error(ErrorKind::input, std::string(file_name) + ": array of shape " + shape +
                                        ", expected N x 3 or " + "more columns: " + table.fault);
    if (!table.header.named && table.columns.size() < 3)
      throw Error(ErrorKind::input,
                  std::string(file_name) + ": array of shape " + shape + ", expected N x 3 or more columns");
    table.data = bytes.subspan(table.header.data_offset);
    return points_of({&table}, file_name, "npy", "NPY " + type_text(table) + " " + shape,
                     bytes.size() - table.file_bytes(), limits, job);
  }
};

}  // namespace

const SceneReader& npy_reader() noexcept {
  static const NpyReader reader;
  return reader;
}

}  // namespace spira

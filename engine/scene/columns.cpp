#include "engine/scene/columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace spira {
namespace {

using enum Attribute;

struct Names {
  Attribute attribute;
  std::initializer_list<std::string_view>
      names;  ///< Names as plain() returns them, the most common name first.
};

const std::array<Names, attribute_count - 1>& table() {
  static const std::array<Names, attribute_count - 1> all{{
      {x, {"x", "coordx", "xcoord", "xcoordinate", "posx", "positionx", "pointx", "points0", "easting"}},
      {y, {"y", "coordy", "ycoord", "ycoordinate", "posy", "positiony", "pointy", "points1", "northing"}},
      {z,
       {"z", "coordz", "zcoord", "zcoordinate", "posz", "positionz", "pointz", "points2", "elevation",
        "height"}},
      {intensity,
       {"intensity", "i", "intensities", "reflectance", "reflectivity", "remission", "remissions",
        "amplitude"}},
      {red, {"red", "r", "diffusered", "colorred", "colourred", "colorr", "rf"}},
      {green, {"green", "g", "diffusegreen", "colorgreen", "colourgreen", "colorg", "gf"}},
      {blue, {"blue", "b", "diffuseblue", "colorblue", "colourblue", "colorb", "bf"}},
      {packed_rgb, {"rgb", "rgba"}},
      {harmonic_red, {"fdc0"}},
      {harmonic_green, {"fdc1"}},
      {harmonic_blue, {"fdc2"}},
      {label,
       {"label", "labels", "class", "classification", "semantic", "semanticlabel", "semlabel", "segment",
        "segment20", "segment200", "semanticid", "classid", "labelid", "category", "semclass", "seg",
        "segid"}},
      {normal_x, {"nx", "normalx", "xnormal"}},
      {normal_y, {"ny", "normaly", "ynormal"}},
      {normal_z, {"nz", "normalz", "znormal"}},
  }};
  return all;
}

/// Simplifies a column name. For example, "Scalar_Intensity", "//X", "\"X (m)\"" and "diffuse red" become
/// "intensity", "x", "x" and "diffusered".
std::string plain(std::string_view name) {
  std::string text;
  int depth = 0;  // Nesting depth of brackets. Text in brackets, usually a unit, is removed.
  for (const char c : name) {
    if (c == '(' || c == '[') ++depth;
    if (depth == 0 && std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if ((c == ')' || c == ']') && depth > 0) --depth;
  }
  constexpr std::string_view prefix = "scalar";
  if (text.size() > prefix.size() && text.starts_with(prefix)) text.erase(0, prefix.size());
  return text;
}

struct Match {
  Attribute attribute = none;
  std::size_t rank = std::numeric_limits<std::size_t>::max();  ///< Index of the name in `Names::names`.
};

Match match_of(std::string_view column_name) {
  const std::string name = plain(column_name);
  for (const Names& row : table()) {
    const auto found = std::find(row.names.begin(), row.names.end(), name);
    if (found != row.names.end()) return {row.attribute, static_cast<std::size_t>(found - row.names.begin())};
  }
  return {};
}

void drop(std::vector<Column>& columns, std::initializer_list<Attribute> attributes) {
  for (Column& column : columns) {
    if (std::find(attributes.begin(), attributes.end(), column.attribute) != attributes.end())
      column.attribute = none;
  }
}

bool has_all(const std::vector<Column>& columns, std::initializer_list<Attribute> attributes) {
  return std::all_of(attributes.begin(), attributes.end(),
                     [&](Attribute attribute) { return index_of(columns, attribute) >= 0; });
}

/// Describes the sampled values of one column: the range, and whether all are finite and all are whole.
struct Profile {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  bool finite = true, whole = true;
};

constexpr double full_16_bit = 65'535.0;

/// Returns true if the largest values of all columns are of similar size. This is true for the three columns
/// of a colour, but usually not for counters and flags. Columns of zeros are ignored, because one channel of
/// a colour can be empty.
bool have_one_range(std::span<const Profile> columns, double max_ratio) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (const Profile& profile : columns) {
    if (profile.low == 0.0 && profile.high == 0.0) continue;
    low = std::min(low, profile.high);
    high = std::max(high, profile.high);
  }
  return low * max_ratio >= high;
}

bool is_colour(std::span<const Profile> three, bool integral) {
  constexpr double max_ratio = 8.0, min_high = 16.0;
  bool finite = true, whole = true;
  double low = 0.0, high = 0.0;
  for (const Profile& profile : three) {
    finite = finite && profile.finite;
    whole = whole && profile.whole;
    low = std::min(low, profile.low);
    high = std::max(high, profile.high);
  }
  if (!finite || low < 0.0 || high == 0.0) return false;
  if (high <= 1.0) return !integral;
  return whole && high >= min_high && high <= full_16_bit && have_one_range(three, max_ratio);
}

/// Returns true if columns 4 to 7 all look like colour levels. In this case, it is not clear which of these
/// four columns is the intensity.
bool are_four_levels(std::span<const Profile> all, bool integral) {
  constexpr std::size_t count = 4;
  constexpr double max_ratio = 2.0;
  return all.size() == 3 + count && is_colour(all.subspan(3, 3), integral) &&
         is_colour(all.subspan(4, 3), integral) && have_one_range(all.subspan(3, count), max_ratio);
}

bool are_normals(std::int64_t rows, std::int64_t step, std::size_t from,
                 const std::function<double(std::int64_t, std::size_t)>& value) {
  constexpr double tolerance = 0.02, most = 0.95;
  double seen = 0, unit = 0;
  for (std::int64_t row = 0; row < rows; row += step, seen += 1) {
    const double length = std::hypot(value(row, from), value(row, from + 1), value(row, from + 2));
    unit += std::abs(length - 1.0) < tolerance ? 1 : 0;
  }
  return seen > 0 && unit / seen >= most;
}

bool is_label(const Profile& profile) {
  constexpr double max_classes = 1'000.0;
  return profile.finite && profile.whole && profile.low >= -1.0 && profile.high <= max_classes &&
         profile.high > profile.low;
}

}  // namespace

std::string_view text_of(Attribute attribute) noexcept {
  static constexpr std::array<std::string_view, attribute_count> texts{
      "",    "x",          "y",          "z",          "intensity", "r",        "g",        "b",
      "rgb", "harmonic r", "harmonic g", "harmonic b", "label",     "normal x", "normal y", "normal z"};
  return texts.at(static_cast<std::size_t>(attribute));
}

Attribute attribute_of(std::string_view column_name) {
  return match_of(column_name).attribute;
}

void assign_by_name(std::vector<Column>& columns) {
  std::array<std::size_t, attribute_count> best_rank{};
  best_rank.fill(std::numeric_limits<std::size_t>::max());
  std::array<Column*, attribute_count> best{};
  for (Column& column : columns) {
    column.attribute = none;
    const Match match = match_of(column.name);
    const auto at = static_cast<std::size_t>(match.attribute);
    if (match.attribute == none || match.rank >= best_rank.at(at)) continue;
    best_rank.at(at) = match.rank;
    best.at(at) = &column;
  }
  for (std::size_t at = 1; at < attribute_count; ++at) {
    if (best.at(at) != nullptr) best.at(at)->attribute = static_cast<Attribute>(at);
  }
  const bool separate = has_all(columns, {red, green, blue});
  if (!separate) drop(columns, {red, green, blue});
  if (separate) drop(columns, {packed_rgb});
  if (separate || index_of(columns, packed_rgb) >= 0 ||
      !has_all(columns, {harmonic_red, harmonic_green, harmonic_blue}))
    drop(columns, {harmonic_red, harmonic_green, harmonic_blue});
  if (!has_all(columns, {normal_x, normal_y, normal_z})) drop(columns, {normal_x, normal_y, normal_z});
}

int index_of(std::span<const Column> columns, Attribute attribute) noexcept {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.attribute == attribute; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

bool has_positions(std::span<const Column> columns) noexcept {
  return index_of(columns, x) >= 0 && index_of(columns, y) >= 0 && index_of(columns, z) >= 0;
}

std::vector<Column> columns_by_value(std::int64_t rows, std::size_t columns, bool integral,
                                     const std::function<double(std::int64_t, std::size_t)>& value) {
  constexpr std::int64_t samples = 4'096;
  const std::int64_t step = std::max<std::int64_t>(1, rows / samples);
  std::vector<Profile> profiles(columns);
  for (std::int64_t row = 0; row < rows; row += step) {
    for (std::size_t column = 3; column < columns; ++column) {
      const double here = value(row, column);
      Profile& profile = profiles[column];
      profile.finite = profile.finite && std::isfinite(here);
      profile.whole = profile.whole && here == std::floor(here);
      profile.low = std::min(profile.low, here);
      profile.high = std::max(profile.high, here);
    }
  }
  std::vector<Column> found(columns);
  for (Column& column : found)
    column.integral = integral;
  for (std::size_t axis = 0; axis < 3 && axis < columns; ++axis)
    found[axis].attribute = std::array{x, y, z}.at(axis);
  const auto set_three = [&](std::size_t at, Attribute first, Attribute second, Attribute third) {
    found[at].attribute = first;
    found[at + 1].attribute = second;
    found[at + 2].attribute = third;
  };
  std::size_t next = 3;
  const std::span<const Profile> all = profiles;
  if (are_four_levels(all, integral)) return found;
  // The colour is in columns 4 to 6, or in columns 5 to 7 after an intensity.
  for (const std::size_t at : {std::size_t{3}, std::size_t{4}}) {
    if (at + 3 > columns || !is_colour(all.subspan(at, 3), integral)) continue;
    set_three(at, red, green, blue);
    if (at == 4) found[3].attribute = intensity;
    next = at + 3;
    break;
  }
  if (next + 3 <= columns && are_normals(rows, step, next, value)) {
    set_three(next, normal_x, normal_y, normal_z);
    next += 3;
  }
  if (next == 3 && columns > 3) {
    found[3].attribute = intensity;
  } else if (next > 3 && next < columns && is_label(all[next])) {
    found[next].attribute = label;
  }
  return found;
}

std::string note_on_guessed(std::span<const Column> columns) {
  std::string guessed;
  std::size_t first = 0, last = 0;
  for (std::size_t at = 3; at < columns.size(); ++at) {
    if (columns[at].attribute == none || !columns[at].name.empty()) continue;
    guessed += (guessed.empty() ? "" : ", ") + std::string(text_of(columns[at].attribute));
    if (first == 0) first = at + 1;
    last = at + 1;
  }
  if (first == last) return {};
  return "columns " + std::to_string(first) + " to " + std::to_string(last) +
         " have no names; their values look like " + guessed;
}

}  // namespace spira

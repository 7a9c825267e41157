#include "engine/scene/rows/row_column_facts.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spira {
namespace {

/// The minimum number of points for a statistical test.
constexpr std::size_t few_points = 8;
constexpr double huge_value = 1e9, tiny_value = 1e-9;

/// Returns true for an infinity and for the usual NaN. `bits` must be an infinity or a NaN. The mantissa of
/// an infinity is zero. The mantissa of the usual NaN has only its highest bit set. Other NaN values suggest
/// that the bytes are not numbers of this type.
bool usual_non_finite(std::uint64_t bits, Scalar type) {
  const int mantissa = type == Scalar::f16 ? 10 : type == Scalar::f32 ? 23 : 52;
  const std::uint64_t first = std::uint64_t{1} << static_cast<unsigned>(mantissa - 1);
  const std::uint64_t rest = bits & ((first << 1U) - 1U);
  return rest == 0 || rest == first;
}

std::string axis_fault(const ColumnFacts& facts, std::size_t count) {
  constexpr double max_huge = 0.002, max_tiny = 0.2;
  if (facts.huge > max_huge)
    return "has values up to " + shortest(std::max(std::abs(facts.least), facts.most));
  if (count >= few_points && facts.tiny > max_tiny) return "has many values below 1e-9";
  return {};
}

/// Returns the points with finite coordinates that are not all zero.
std::vector<Point> points_of(const ColumnSamples& columns, Scalar type) {
  std::vector<Point> points;
  const std::size_t count = std::min({columns[0].size(), columns[1].size(), columns[2].size()});
  for (std::size_t at = 0; at < count; ++at) {
    const Point p{number_of(columns[0][at], type), number_of(columns[1][at], type),
                  number_of(columns[2][at], type)};
    const bool finite = std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
    if (finite && (p[0] != 0.0 || p[1] != 0.0 || p[2] != 0.0)) points.push_back(p);
  }
  return points;
}

/// Returns true if most points have similar distances from the origin, within a few powers of two. This is
/// true for real points. It is false if integers are read as floats.
bool has_one_scale(const std::vector<Point>& points, Scalar type) {
  const double largest_ratio = type == Scalar::f32 ? 64.0 : 32.0, share = type == Scalar::f32 ? 0.6 : 0.8;
  constexpr std::size_t few = 16;
  if (points.size() < few) return true;
  std::vector<double> sizes;
  sizes.reserve(points.size());
  for (const Point& p : points)
    sizes.push_back(std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}));
  const auto high = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) * 95 / 100);
  std::nth_element(sizes.begin(), high, sizes.end());
  const double limit = *high / largest_ratio;
  const auto above = std::count_if(sizes.begin(), sizes.end(), [&](double size) { return size > limit; });
  return static_cast<double>(above) >= share * static_cast<double>(sizes.size());
}

bool is_colour_level(const ColumnFacts& facts) {
  constexpr double full = 255.0;
  return facts.whole && facts.least >= 0.0 && facts.most <= full;
}

/// Returns a fault if the attributes seem to come before the coordinates. Otherwise returns an empty string.
std::string order_fault(const std::vector<ColumnFacts>& facts, const ColumnSamples& columns, Scalar type) {
  constexpr double max_unit = 0.95, much = 10.0;
  const ColumnFacts &x = facts[0], &y = facts[1], &z = facts[2];
  if (facts.size() >= 6) {
    const bool levels = is_colour_level(x) && is_colour_level(y) && is_colour_level(z) && x.most > 1.0;
    const bool fractions = !facts[3].whole && !facts[4].whole && !facts[5].whole;
    if (levels && fractions && facts[3].least < 0.0) return "the first three columns look like colours";
    if (unit_share(columns, 0, type) > max_unit) return "the first three columns look like normals";
  }
  if (facts.size() > 3 && x.least >= 0.0 && facts[3].least < 0.0 && !facts[3].constant &&
      x.spread() * much < y.spread() && facts[3].spread() > x.spread())
    return "column 1 looks like an attribute and column 4 like a coordinate";
  return {};
}

}  // namespace

std::uint64_t bits_at(const std::byte* from, std::size_t width) noexcept {
  if (width == 2) return load<std::uint16_t>(from);
  if (width == 4) return load<std::uint32_t>(from);
  return load<std::uint64_t>(from);
}

double number_of(std::uint64_t bits, Scalar type) noexcept {
  if (type == Scalar::f16) return static_cast<double>(fp16_to_float(static_cast<Fp16>(bits)));
  if (type == Scalar::f32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(bits);
}

ColumnFacts facts_of(const std::vector<std::uint64_t>& column, Scalar type) {
  ColumnFacts facts;
  std::vector<double> values;
  values.reserve(column.size());
  for (const std::uint64_t bits : column) {
    const double value = number_of(bits, type);
    if (!std::isfinite(value)) {
      facts.garbage += usual_non_finite(bits, type) ? 0 : 1;
      continue;
    }
    values.push_back(value);
    if (value != 0.0) facts.smallest = std::min(facts.smallest, std::abs(value));
    facts.huge += std::abs(value) > huge_value ? 1 : 0;
    facts.tiny += value != 0.0 && std::abs(value) < tiny_value ? 1 : 0;
    facts.whole = facts.whole && value == std::floor(value);
  }
  const double count = std::max(1.0, static_cast<double>(column.size()));
  facts.finite = static_cast<double>(values.size()) / count;
  for (double* share : {&facts.garbage, &facts.huge, &facts.tiny})
    *share /= count;
  if (values.empty()) return facts;
  const auto part = [&](std::size_t percent) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * percent / 100);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  facts.low = part(5);
  facts.middle = part(50);
  facts.high = part(95);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  facts.least = *least;
  facts.most = *most;
  facts.constant = facts.least == facts.most;
  return facts;
}

std::string type_fault(const ColumnFacts& facts) {
  constexpr double max_garbage = 0.002, min_finite = 0.3, random_part = 0.1;
  if (facts.garbage > max_garbage) return "has NaN values with unusual bit patterns";
  if (facts.finite < min_finite) return "has almost no finite values";
  if (facts.huge > random_part && facts.tiny > random_part) return "has implausibly small and large values";
  return {};
}

double unit_share(const ColumnSamples& columns, std::size_t first, Scalar type) {
  constexpr double tolerance = 0.01;
  const std::size_t count =
      std::min({columns[first].size(), columns[first + 1].size(), columns[first + 2].size()});
  double unit = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const double length =
        std::hypot(number_of(columns[first][at], type), number_of(columns[first + 1][at], type),
                   number_of(columns[first + 2][at], type));
    unit += std::abs(length - 1.0) < tolerance ? 1 : 0;
  }
  return count == 0 ? 0.0 : unit / static_cast<double>(count);
}

std::string position_fault(const std::vector<ColumnFacts>& facts, const ColumnSamples& columns, Scalar type) {
  constexpr double max_ratio = 100.0;
  // Lidar files can contain zeros for missing returns. At most 9 of 10 rows may be 0.
  constexpr std::size_t rows_per_point = 10;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string fault = axis_fault(facts[axis], columns[axis].size());
    if (!fault.empty()) return std::string(1, "xyz"[axis]) + " " + fault;
  }
  const auto points = points_of(columns, type);
  const std::size_t rows = columns[0].size();
  if (rows >= few_points && points.size() * rows_per_point < rows)
    return "x, y and z are 0 in nearly all points";
  if (points.size() < few_points) return {};
  const ColumnFacts &x = facts[0], &y = facts[1], &z = facts[2];
  if (x.constant || y.constant) return "x or y is the same in all points";
  const double less = std::min(x.spread(), y.spread()), more = std::max(x.spread(), y.spread());
  if (more > max_ratio * less) return "the extents of x and y differ by more than a factor of 100";
  if (z.spread() > max_ratio * more) return "z extends more than 100 times farther than x and y";
  if (x.whole != y.whole || (z.whole != x.whole && !z.constant))
    return "only some of x, y and z consist of whole numbers";
  if (!has_one_scale(points, type)) return "the distances of the points from the origin differ too much";
  return order_fault(facts, columns, type);
}

bool repeats(std::span<const ColumnFacts> less, std::span<const ColumnFacts> more) {
  constexpr double max_ratio = 4.0;
  // The index of z. The function does not compare z, because lasers that point up and down can alternate.
  constexpr std::size_t height = 2;
  for (std::size_t at = 0; at < more.size(); ++at) {
    const std::size_t column = at % less.size();
    const ColumnFacts &a = less[column], &b = more[at];
    if (a.spread() == 0.0 && b.spread() == 0.0 && a.middle == b.middle) continue;
    if (a.whole != b.whole && a.spread() > 0.0) return false;
    if (b.spread() > max_ratio * a.spread()) return false;
    if (column != height && a.least < 0.0 && b.least >= 0.0) return false;
    if (column != height && a.spread() > 2.0 * max_ratio * b.spread()) return false;
    if (std::abs(a.middle - b.middle) > std::max(a.spread(), b.spread())) return false;
  }
  return true;
}

}  // namespace spira

#include "engine/scene/extents.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace spira {
namespace {

constexpr double wide_gap = 4.0;
constexpr std::int64_t min_points = 12;
constexpr Point zero{0, 0, 0};

/// Calls `visit` for each point inside the crop.
template <class Visit>
void for_each_kept(const PointCloud& cloud, const std::optional<Bounds>& crop, const Visit& visit) {
  for (const Point& p : cloud.positions) {
    if (!crop || inside(*crop, p)) visit(p);
  }
}

/// Estimates the median on each axis from an evenly spaced sample. Ignores points at the origin.
std::optional<Point> median_of(const PointCloud& cloud, const std::optional<Bounds>& crop) {
  constexpr std::int64_t samples = 10'000;
  std::int64_t kept = 0;
  for_each_kept(cloud, crop, [&](const Point& p) { kept += p != zero ? 1 : 0; });
  if (kept == 0) return std::nullopt;
  const std::int64_t step = (kept + samples - 1) / samples;
  std::array<std::vector<double>, 3> selected;
  std::int64_t at = 0;
  for_each_kept(cloud, crop, [&](const Point& p) {
    if (p == zero || at++ % step != 0) return;
    for (std::size_t axis = 0; axis < 3; ++axis)
      selected.at(axis).push_back(p[axis]);
  });
  Point median{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto& values = selected.at(axis);
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    median[axis] = *middle;
  }
  return median;
}

double distance_between(const Point& a, const Point& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

/// A histogram of the distances from the median. Each bin is an eighth of an octave wide.
class Distances {
 public:
  Distances() : bins_(std::size_t{1} << 15U) {}

  void add(double distance) {
    Bin& bin = bins_[static_cast<std::size_t>(std::bit_cast<std::uint64_t>(distance) >> 49U)];
    bin.low = bin.count == 0 ? distance : std::min(bin.low, distance);
    bin.high = std::max(bin.high, distance);
    ++bin.count;
    ++total_;
  }

  /// Finds the first wide gap beyond which there are at most a third of the points. Returns the largest
  /// distance before this gap. If no such gap exists, returns the largest of all distances.
  [[nodiscard]] double before_gap() const {
    double reached = 0;
    std::int64_t counted = 0;
    for (const Bin& bin : bins_) {
      if (bin.count == 0) continue;
      if (reached > 0 && bin.low > wide_gap * reached && 3 * counted >= 2 * total_) return reached;
      reached = bin.high;
      counted += bin.count;
    }
    return reached;
  }
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

 private:
  struct Bin {
    std::int64_t count = 0;
    double low = 0, high = 0;
  };
  std::vector<Bin> bins_;
  std::int64_t total_ = 0;
};

/// Returns the limit for outliers: points that are farther from `median` are outliers.
double outlier_limit(const PointCloud& cloud, const std::optional<Bounds>& crop, const Point& median) {
  constexpr double none = std::numeric_limits<double>::infinity();
  Distances distances;
  for_each_kept(cloud, crop, [&](const Point& p) {
    if (p != zero) distances.add(distance_between(p, median));
  });
  const double reached = distances.before_gap();
  return distances.total() < min_points || reached <= 0 ? none : wide_gap * reached;
}

void include(Bounds& box, const Point& p, bool first) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = first ? p[axis] : std::min(box.low[axis], p[axis]);
    box.high[axis] = first ? p[axis] : std::max(box.high[axis], p[axis]);
  }
}

double distance_to(const Bounds& box, const Point& p) {
  double farthest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    farthest = std::max({farthest, box.low[axis] - p[axis], p[axis] - box.high[axis]});
  return farthest;
}

/// Returns a length as text without its unit, rounded down, such as "99,986".
std::string at_least_text(double length) {
  constexpr double exact = 1e15;  // Larger lengths are printed with an exponent.
  if (length >= exact) return shortest(length);
  return length >= 10 ? count_text(static_cast<std::int64_t>(length))
                      : fixed(std::floor(length * 1000.0) / 1000.0, 3);
}

}  // namespace

Extents extents_of(const PointCloud& cloud, const std::optional<Bounds>& crop) {
  Extents extents;
  extents.unit = cloud.unit();
  const auto median = median_of(cloud, crop);
  const double limit = median ? outlier_limit(cloud, crop, *median) : 0;
  const auto is_outlier = [&](const Point& p) { return median && distance_between(p, *median) > limit; };
  for_each_kept(cloud, crop, [&](const Point& p) {
    if (is_outlier(p)) {
      ++extents.outliers;
    } else {
      include(extents.box, p, extents.points++ == 0);
    }
  });
  if (extents.outliers == 0) return extents;
  extents.distance_m = std::numeric_limits<double>::max();
  for_each_kept(cloud, crop, [&](const Point& p) {
    if (is_outlier(p)) extents.distance_m = std::min(extents.distance_m, distance_to(extents.box, p));
  });
  return extents;
}

std::string outlier_note(const Extents& extents) {
  if (extents.outliers == 0) return {};
  return counted_text(extents.outliers, "point is an outlier", "points are outliers") + ", at least " +
         with_unit(at_least_text(extents.distance_m), extents.unit) + " away from the other " +
         count_text(extents.points) +
         " points; the automatic voxel size and the origin of the view ignore outliers, and a crop removes "
         "them";
}

namespace {

// At this coordinate, adjacent single-precision numbers are about a millimetre apart.
constexpr double far_m = 10'000.0;

}  // namespace

Point display_origin(const Extents& extents) {
  Point origin{0, 0, 0};
  bool far = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = extents.box.low[axis], high = extents.box.high[axis];
    far = far || std::abs(low) >= far_m || std::abs(high) >= far_m;
    origin[axis] = std::round((low + high) / 2.0);
  }
  return far ? origin : Point{0, 0, 0};
}

Point display_origin(const PointCloud& cloud, const std::optional<Bounds>& crop) {
  const bool far = std::any_of(cloud.positions.begin(), cloud.positions.end(), [](const Point& p) {
    return std::abs(p[0]) >= far_m || std::abs(p[1]) >= far_m || std::abs(p[2]) >= far_m;
  });
  return far ? display_origin(extents_of(cloud, crop)) : Point{0, 0, 0};
}

}  // namespace spira

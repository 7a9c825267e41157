#include "engine/lesson/diagrams/shapes.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/lesson/facts/facts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spira {
namespace {

constexpr int reach = 3, fewest_around = 8;
constexpr int max_l1 = 9;  // The largest L1 norm, for K = 7.
constexpr std::int64_t outputs_per_checkpoint = 8192;

/// Sums over the voxels around one voxel. The coordinates are in grid steps of the level.
struct Around {
  std::int64_t count = 0;
  std::array<std::int64_t, 3> sum{};
  std::array<std::array<std::int64_t, 3>, 3> products{};

  void add(const std::array<std::int64_t, 3>& step) {
    ++count;
    for (std::size_t a = 0; a < 3; ++a) {
      sum.at(a) += step.at(a);
      for (std::size_t b = 0; b < 3; ++b)
        products.at(a).at(b) += step.at(a) * step.at(b);
    }
  }
  [[nodiscard]] PrincipalAxes spread() const {
    const auto n = static_cast<double>(count);
    std::array<std::array<double, 3>, 3> covariance{};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b)
        covariance.at(a).at(b) = (static_cast<double>(products.at(a).at(b)) / n) -
                                 (static_cast<double>(sum.at(a)) / n * (static_cast<double>(sum.at(b)) / n));
    }
    return principal_axes_of(covariance);
  }
};

/// Finds the voxels around one voxel after another. The voxels must be visited in ascending order, because
/// the search in each column of the window only moves forward.
class WindowWalk {
 public:
  WindowWalk(const SortedVoxels& voxels, int stride) : voxels_(voxels), stride_(stride) {}

  Around around(const Voxel& q) {
    Around found;
    std::size_t column = 0;
    for (int dx = -reach; dx <= reach; ++dx) {
      for (int dy = -reach; dy <= reach; ++dy) {
        const Voxel lowest{q[0] + (dx * stride_), q[1] + (dy * stride_), q[2] - (reach * stride_)};
        std::size_t& at = at_.at(column++);
        while (at < voxels_.size() && voxels_[at] < lowest)
          ++at;
        for (std::size_t next = at; next < voxels_.size(); ++next) {
          const Voxel& v = voxels_[next];
          if (v[0] != lowest[0] || v[1] != lowest[1] || v[2] > q[2] + (reach * stride_)) break;
          found.add({dx, dy, (v[2] - q[2]) / stride_});
        }
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t side = (2 * reach) + 1, columns = side * side;
  const SortedVoxels& voxels_;
  int stride_;
  std::array<std::size_t, columns> at_{};
};

/// Returns the shape of the voxels in the window. It is linear, planar or scattered, whichever is most
/// pronounced (Demantke 2011).
Shape shape_of(const Around& around) {
  constexpr double upright = 0.85, level = 0.35;  // Limits for the z component of a unit vector.
  if (around.count < fewest_around) return Shape::other;
  const PrincipalAxes spread = around.spread();
  const double longest = std::sqrt(spread.variance[0]), middle = std::sqrt(spread.variance[1]),
               shortest = std::sqrt(spread.variance[2]);
  const double drawn_out = longest - middle, flat = middle - shortest;
  if (drawn_out >= flat && drawn_out >= shortest)
    return std::abs(spread.direction[0][2]) > upright ? Shape::pole : Shape::other;
  if (shortest >= flat) return Shape::scattered;
  const double normal_z = std::abs(spread.direction[2][2]);
  return normal_z > upright ? Shape::ground : normal_z < level ? Shape::wall : Shape::other;
}

std::vector<std::int32_t> rows_with(const std::vector<Shape>& shapes, Shape wanted) {
  std::vector<std::int32_t> rows;
  for (std::size_t row = 0; row < shapes.size(); ++row) {
    if (shapes[row] == wanted) rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

Densities densities_at(const LessonInput& input, const std::vector<std::int32_t>& rows, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  SortedVoxels outputs;
  for (const std::int32_t row : rows)
    outputs.push_back(voxel_at(level, row));
  const KernelOffsets offsets(input.kernel_size, input.stride);
  return densities(offsets, count_matches(sorted_voxels(level), outputs, offsets, job), std::ssize(outputs));
}

std::string of_shape(Shape shape, const std::string& name) {
  return "shapes." + std::string(name_of(shape)) + "." + name;
}

}  // namespace

std::string_view name_of(Shape shape) noexcept {
  switch (shape) {
    case Shape::wall:
      return "wall";
    case Shape::ground:
      return "ground";
    case Shape::pole:
      return "pole";
    case Shape::scattered:
      return "scattered";
    case Shape::other:
      break;
  }
  return "other";
}

std::vector<Shape> shapes_of(const CoordSet& level, Job& job) {
  const SortedVoxels voxels = sorted_voxels(level);
  std::vector<Shape> shapes;
  shapes.reserve(voxels.size());
  WindowWalk walk(voxels, level.stride);
  for (std::int64_t row = 0; row < std::ssize(voxels); ++row) {
    if (row % outputs_per_checkpoint == 0) job.checkpoint({"classifying shapes", row, std::ssize(voxels)});
    shapes.push_back(shape_of(walk.around(voxels[static_cast<std::size_t>(row)])));
  }
  return shapes;
}

std::vector<std::int32_t> rows_of_shape(const CoordSet& level, Shape shape, Job& job) {
  return rows_with(shapes_of(level, job), shape);
}

std::vector<double> densities_by_norm(const LessonInput& input, const std::vector<std::int32_t>& rows,
                                      Job& job) {
  std::vector<double> means;
  if (rows.empty()) return means;
  for (const L1Density& one : densities_at(input, rows, job).groups)
    means.push_back(one.mean);
  return means;
}

LessonCurves shape_curves(const LessonInput& input, Job& job) {
  using Of = LessonCurves::Of;
  const std::vector<Shape> shapes = shapes_of(input.scene->level(input.stride), job);
  LessonCurves curves;
  curves.over = LessonCurves::Over::norm;
  curves.unit = "%";
  const auto add = [&](Of of, const std::vector<std::int32_t>& rows) {
    constexpr double percent = 100;
    LessonCurves::Curve curve{of, {}};
    const auto means = densities_by_norm(input, rows, job);
    for (std::size_t norm = 1; norm < means.size(); ++norm)
      curve.points.push_back({static_cast<int>(norm), percent * means[norm], 0});
    if (!curve.points.empty()) curves.curves.push_back(std::move(curve));
  };
  std::vector<std::int32_t> all(shapes.size());
  std::iota(all.begin(), all.end(), 0);
  add(Of::whole_scene, all);
  bool listed = input.rows.empty();
  constexpr std::array names{Of::walls, Of::ground, Of::poles, Of::scattered};
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto rows = rows_with(shapes, told_shapes.at(at));
    listed = listed || rows == input.rows;
    add(names.at(at), rows);
  }
  if (!listed) add(Of::chosen, input.rows);
  return curves;
}

std::vector<std::string> shape_fact_names() {
  std::vector<std::string> names;
  for (const Shape shape : told_shapes) {
    names.push_back(of_shape(shape, "voxels"));
    for (int l1 = 0; l1 <= max_l1; ++l1)
      names.push_back(of_shape(shape, "l1." + std::to_string(l1)));
    add_axes(names, of_shape(shape, "axis"));
  }
  return names;
}

std::vector<Fact> shape_facts(const LessonInput& input, Job& job) {
  const std::vector<Shape> shapes = shapes_of(input.scene->level(input.stride), job);
  std::vector<Fact> facts;
  for (const Shape shape : told_shapes) {
    const auto rows = rows_with(shapes, shape);
    facts.push_back(count_fact(of_shape(shape, "voxels"), std::ssize(rows)));
    if (rows.empty()) continue;
    const Densities found = densities_at(input, rows, job);
    for (const L1Density& one : found.groups)
      facts.push_back(exact_fact(of_shape(shape, "l1." + std::to_string(one.l1)), one.mean));
    std::array<double, 3> axis{};
    for (const ColumnDensity& column : found.columns) {
      for (std::size_t at = 0; at < 3 && column.l1 == 1; ++at)
        axis.at(at) += column.offset.at(at) != 0 ? column.density / 2.0 : 0.0;
    }
    for (std::size_t at = 0; at < 3; ++at)
      facts.push_back(exact_fact(of_axis(of_shape(shape, "axis"), at), axis.at(at)));
  }
  return facts;
}

}  // namespace spira

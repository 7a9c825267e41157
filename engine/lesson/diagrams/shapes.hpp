// Classifies the voxels of a scene by the shape of the surface around them, without labels or training. Uses
// the eigenvalues of the covariance of the surrounding voxels.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

enum class Shape : std::uint8_t {
  wall,       ///< Planar and vertical.
  ground,     ///< Planar and horizontal, such as floors and table tops.
  pole,       ///< Linear and vertical.
  scattered,  ///< Spread in all directions, such as leaves, clutter and corners.
  other       ///< Oblique surfaces, long shapes along the ground, and voxels with too few voxels around them.
};
inline constexpr std::array told_shapes{Shape::wall, Shape::ground, Shape::pole, Shape::scattered};
/// Returns "wall", "ground", "pole", "scattered" or "other". These words are used in the names of facts and
/// in the lesson command `choose.shape`.
[[nodiscard]] std::string_view name_of(Shape shape) noexcept;

/// Returns the shape of each voxel. It depends on the voxels within three grid steps along each axis. Size of
/// the result: `[rows]`.
[[nodiscard]] std::vector<Shape> shapes_of(const CoordSet& level, Job& job);
/// Returns the rows of all voxels with this shape, in ascending order.
[[nodiscard]] std::vector<std::int32_t> rows_of_shape(const CoordSet& level, Shape shape, Job& job);
/// Returns the mean density per L1 norm. The outputs are the voxels of `rows`, and the inputs are all voxels
/// of the level. Returns an empty list if `rows` is empty.
[[nodiscard]] std::vector<double> densities_by_norm(const LessonInput& input,
                                                    const std::vector<std::int32_t>& rows, Job& job);

/// Returns the mean density in percent as a function of the L1 norm, beginning with norm 1. There is one
/// curve for all voxels and one for each shape in the scene. The lasso selection also has a curve, unless it
/// contains exactly the voxels of one shape.
[[nodiscard]] LessonCurves shape_curves(const LessonInput& input, Job& job);

[[nodiscard]] std::vector<std::string> shape_fact_names();
[[nodiscard]] std::vector<Fact> shape_facts(const LessonInput& input, Job& job);

struct PrincipalAxes {
  std::array<double, 3> variance{};                  ///< In descending order.
  std::array<std::array<double, 3>, 3> direction{};  ///< Unit vectors. Shape: `[axis]`.
};
/// Returns the eigenvalues and eigenvectors of a symmetric matrix. Computes them by Jacobi rotations.
[[nodiscard]] PrincipalAxes principal_axes_of(std::array<std::array<double, 3>, 3> covariance);

}  // namespace spira

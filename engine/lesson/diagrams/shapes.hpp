// Classifies the voxels of a scene by their geometry, without labels or training. Uses the eigenvalues of
// the covariance of the voxels around each voxel.
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
  wall,       ///< planar and vertical
  ground,     ///< planar and horizontal, such as floors and table tops
  pole,       ///< linear and vertical
  scattered,  ///< spread equally in all directions, such as leaves, clutter and corners
  other       ///< oblique, linear along the ground, or with too few voxels around the voxel
};
inline constexpr std::array told_shapes{Shape::wall, Shape::ground, Shape::pole, Shape::scattered};
/// Returns "wall", "ground", "pole", "scattered" or "other". The names of facts and the lesson command
/// `choose.shape` use these words.
[[nodiscard]] std::string_view name_of(Shape shape) noexcept;

/// Returns the shape of each voxel, computed from the voxels within three grid steps along each axis. Shape
/// of the list: `[rows]`.
[[nodiscard]] std::vector<Shape> shapes_of(const CoordSet& level, Job& job);
/// Returns the rows of all voxels that have this shape, in ascending order.
[[nodiscard]] std::vector<std::int32_t> rows_of_shape(const CoordSet& level, Shape shape, Job& job);
/// Returns the mean density for each L1 norm, where the voxels of `rows` are the outputs and all voxels of
/// the level are the inputs. Returns an empty list if `rows` is empty.
[[nodiscard]] std::vector<double> densities_by_norm(const LessonInput& input,
                                                    const std::vector<std::int32_t>& rows, Job& job);

/// Returns the mean density in percent over the L1 norm, starting at norm 1. There is one curve for all
/// voxels and one for each shape in the scene. If the lasso selection is not one of these shapes, it gets a
/// curve too.
[[nodiscard]] LessonCurves shape_curves(const LessonInput& input, Job& job);

[[nodiscard]] std::vector<std::string> shape_fact_names();
[[nodiscard]] std::vector<Fact> shape_facts(const LessonInput& input, Job& job);

struct PrincipalAxes {
  std::array<double, 3> variance{};                  ///< in descending order
  std::array<std::array<double, 3>, 3> direction{};  ///< unit vectors; shape: `[axis]`
};
/// Returns the eigenvalues and eigenvectors of a symmetric matrix, computed by Jacobi rotations.
[[nodiscard]] PrincipalAxes principal_axes_of(std::array<std::array<double, 3>, 3> covariance);

}  // namespace spira

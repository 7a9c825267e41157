// Classifies the voxels of a scene by geometry alone, without labels or training. Uses the eigenvalues of
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
  wall,       ///< flat and vertical
  ground,     ///< flat and horizontal, such as floors and table tops
  pole,       ///< elongated and vertical
  scattered,  ///< spread equally in all directions, such as leaves, clutter and corners
  other       ///< oblique, elongated along the ground, or surrounded by too few voxels
};
inline constexpr std::array told_shapes{Shape::wall, Shape::ground, Shape::pole, Shape::scattered};
/// Returns "wall", "ground", "pole", "scattered" or "other". Fact names and the verb choose.shape use these
/// names.
[[nodiscard]] std::string_view name_of(Shape shape) noexcept;

/// Returns the shape of each voxel, from the voxels within three grid steps along each axis. Lengths are in
/// voxels. Shape: `[rows]`.
[[nodiscard]] std::vector<Shape> shapes_of(const CoordSet& level, Job& job);
/// Returns the rows of all voxels that have this shape, in ascending order.
[[nodiscard]] std::vector<std::int32_t> rows_of_shape(const CoordSet& level, Shape shape, Job& job);
/// Returns the mean density by L1 norm. The voxels of `rows` are the outputs, and all voxels of the level are
/// the inputs. Shape: `[norms]`. Returns an empty list if `rows` is empty.
[[nodiscard]] std::vector<double> densities_by_norm(const LessonInput& input,
                                                    const std::vector<std::int32_t>& rows, Job& job);

/// Returns one curve for all voxels, one for each shape in the scene, and one for the lasso selection if it
/// is not one of these shapes. The curves show the mean density by L1 norm, in percent, starting at norm 1.
[[nodiscard]] LessonCurves shape_curves(const LessonInput& input, Job& job);

[[nodiscard]] std::vector<std::string> shape_fact_names();
[[nodiscard]] std::vector<Fact> shape_facts(const LessonInput& input, Job& job);

struct PrincipalAxes {
  std::array<double, 3> variance{};                  ///< descending
  std::array<std::array<double, 3>, 3> direction{};  ///< `[axis]`, unit vectors
};
/// Returns the eigenvalues and eigenvectors of a symmetric matrix, by Jacobi rotations.
[[nodiscard]] PrincipalAxes principal_axes_of(std::array<std::array<double, 3>, 3> covariance);

}  // namespace spira

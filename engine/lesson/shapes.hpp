// What stands in a scene, told by its geometry alone: each voxel by how the voxels around it spread
// (eigenvalues of their covariance), without labels and without learning.
#pragma once

#include "engine/lesson/diagram.hpp"
#include "engine/lesson/facts.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spira {

enum class Shape : std::uint8_t {
  wall,       ///< flat, and upright
  ground,     ///< flat, and level: floors and table tops too
  pole,       ///< drawn out upwards
  scattered,  ///< spread in all directions alike: leaves, clutter, and corners
  other       ///< oblique, drawn out along the ground, or with too few voxels around it
};
inline constexpr std::array told_shapes{Shape::wall, Shape::ground, Shape::pole, Shape::scattered};
/// "wall", "ground", "pole", "scattered": of facts, and of the verb choose.shape.
[[nodiscard]] std::string_view name_of(Shape shape) noexcept;

/// [rows]. Of the voxels within three steps of the level along each axis; lengths are in voxels.
[[nodiscard]] std::vector<Shape> shapes_of(const CoordSet& level, Job& job);
/// Ascending.
[[nodiscard]] std::vector<std::int32_t> rows_of_shape(const CoordSet& level, Shape shape, Job& job);
/// Mean density by L1 norm where the chosen voxels are the outputs and all of the level the inputs; [norms].
/// Empty: none is chosen.
[[nodiscard]] std::vector<double> densities_by_norm(const LessonInput& input,
                                                    const std::vector<std::int32_t>& rows, Job& job);

/// One a shape that stands in the scene, of all voxels, and of those that were drawn around where they are no
/// shape of these; in percent, from norm 1 on.
[[nodiscard]] LessonCurves shape_curves(const LessonInput& input, Job& job);

[[nodiscard]] std::vector<std::string> shape_fact_names();
[[nodiscard]] std::vector<Fact> shape_facts(const LessonInput& input, Job& job);

}  // namespace spira

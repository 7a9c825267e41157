// Facts of the lesson on packed coordinates: fields, order, overflow, border and the mask of down-sampling
// (section 5.3).
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Facts about the bits and margins of the packing, and about the order of packed words and coordinates.
[[nodiscard]] std::vector<std::string> pack_fact_names();
[[nodiscard]] std::vector<Fact> pack_facts(const LessonInput& input, Job& job);
/// Facts about the effects of a packing that is too small: the packing of the trial, or a packing with one z
/// bit less than the scene needs.
[[nodiscard]] std::vector<std::string> overflow_fact_names();
[[nodiscard]] std::vector<Fact> overflow_facts(const LessonInput& input, Job& job);
/// Facts about the guard cells that the current packing provides, the guard cells that kernels need, and the
/// offsets that leave the z field. "border.tight" facts place the lowest layers of the scene in a z field
/// that they fill, which has no guard cells.
[[nodiscard]] std::vector<std::string> border_fact_names();
[[nodiscard]] std::vector<Fact> border_facts(const LessonInput& input, Job& job);
/// Facts about the number of voxels of each stride, and about the mask that rounds coordinates down.
[[nodiscard]] std::vector<std::string> level_fact_names();
[[nodiscard]] std::vector<Fact> level_facts(const LessonInput& input, Job& job);

/// Returns the packing that overflow_facts() tries.
[[nodiscard]] PackSpec tried_pack(const LessonInput& input);
/// A voxel of stride 1 that is misread if the parts of its word are joined by OR, and the voxel that is read
/// instead.
struct Misread {
  Voxel voxel{}, read{};
};
[[nodiscard]] std::vector<Misread> misread_voxels(const LessonInput& input, const PackSpec& pack, Job& job);
/// Returns the number of bits of the largest z field that is completely filled by the z layers of the scene,
/// starting with the lowest layer.
[[nodiscard]] int tight_z_bits(const LessonInput& input);

}  // namespace spira

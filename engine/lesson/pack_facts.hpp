// Facts of the lesson on packed coordinates: fields, order, overflow, border and the mask of down-sampling
// (section 5.3).
#pragma once

#include "engine/lesson/facts.hpp"

namespace spira {

/// Bits, margins, and whether packed order is that of the coordinates.
[[nodiscard]] std::vector<std::string> pack_fact_names();
[[nodiscard]] std::vector<Fact> pack_facts(const LessonInput& input, Job& job);
/// A packing that is too small: that of the trial, or one with a bit less for z than the scene needs.
[[nodiscard]] std::vector<std::string> overflow_fact_names();
[[nodiscard]] std::vector<Fact> overflow_facts(const LessonInput& input, Job& job);
/// Guard cells that the packing in use has and that kernels need, and offsets that leave the field of z.
/// `border.tight`: the lowest layers of the scene in a field that they
/// fill, which has no guard cell.
[[nodiscard]] std::vector<std::string> border_fact_names();
[[nodiscard]] std::vector<Fact> border_facts(const LessonInput& input, Job& job);
/// Voxels of each stride, and whether the mask is rounding down.
[[nodiscard]] std::vector<std::string> level_fact_names();
[[nodiscard]] std::vector<Fact> level_facts(const LessonInput& input, Job& job);

/// The packing that overflow_facts() tries.
[[nodiscard]] PackSpec tried_pack(const LessonInput& input);
/// Voxels of stride 1 that it misreads when the parts of a word are joined by OR, and what is read in their
/// place.
struct Misread {
  Voxel voxel{}, read{};
};
[[nodiscard]] std::vector<Misread> misread_voxels(const LessonInput& input, const PackSpec& pack, Job& job);
/// Of the largest field that the scene fills from its lowest layer on.
[[nodiscard]] int tight_z_bits(const LessonInput& input);

}  // namespace spira

// Computes the facts of the lesson on packed coordinates: bit fields, order, overflow, border, and the
// down-sampling mask (section 5.3 of the paper).
#pragma once

#include "engine/lesson/facts/facts.hpp"

namespace spira {

/// Returns the names of the facts about the bits and margins of the packing, and about the order of packed
/// words.
[[nodiscard]] std::vector<std::string> pack_fact_names();
[[nodiscard]] std::vector<Fact> pack_facts(const LessonInput& input, Job& job);
/// Returns the names of the facts about a packing that is too small. This is the packing that the user tries
/// (LessonTrial::pack) or, if it is empty, a packing with one bit less for z than the scene needs.
[[nodiscard]] std::vector<std::string> overflow_fact_names();
[[nodiscard]] std::vector<Fact> overflow_facts(const LessonInput& input, Job& job);
/// Returns the names of the facts about guard cells and about offsets that leave the z field. They compare
/// the guard cells of the current packing with the guard cells that kernels need. Names that begin with
/// "border.tight" are about a z field without guard cells, which the lowest layers of the scene fill
/// completely.
[[nodiscard]] std::vector<std::string> border_fact_names();
[[nodiscard]] std::vector<Fact> border_facts(const LessonInput& input, Job& job);
/// Returns the names of the facts about the number of voxels per stride, and about the mask that rounds
/// coordinates down.
[[nodiscard]] std::vector<std::string> level_fact_names();
[[nodiscard]] std::vector<Fact> level_facts(const LessonInput& input, Job& job);

/// Returns the packing of the "overflow" group.
[[nodiscard]] PackSpec tried_pack(const LessonInput& input);
/// A voxel of stride 1 whose word is decoded as another voxel, `read`. This happens if a bit field overflows
/// and the fields are combined with OR.
struct Misread {
  Voxel voxel{}, read{};
};
[[nodiscard]] std::vector<Misread> misread_voxels(const LessonInput& input, const PackSpec& pack, Job& job);
/// Returns the number of bits of the largest z field that the lowest z layers of the scene fill completely.
[[nodiscard]] int tight_z_bits(const LessonInput& input);

}  // namespace spira

// In which order the stages of a network may run: what each waits for, and the order in which nothing
// overlaps.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/run/measurement.hpp"

#include <string>
#include <vector>

namespace spira {

/// The layer that builds the kernel map of each layer: itself, or an earlier one that needs the same.
/// [layers]
[[nodiscard]] std::vector<int> map_builders(const Network& network, const Plan& plan);

/// A stage, and the stages that must be done before it.
struct StageNeeds {
  std::string stage;  ///< "voxelize", "downsample[2]", "map[stem]", "features[stem]"
  std::vector<std::string> needs;
};
enum class LevelOrder : std::uint8_t {
  step_by_step,  ///< each level is made from the one before
  closed_form    ///< each level is made from level 0
};
/// Of all stages, in an order in which each stands behind what it needs.
[[nodiscard]] std::vector<StageNeeds> stage_needs(const Network& network, const Plan& plan, LevelOrder order);
/// The same without the features, which wait for each other whatever the order of the levels.
[[nodiscard]] std::vector<StageNeeds> indexing_needs(const Network& network, const Plan& plan,
                                                     LevelOrder order);
/// How many stages stand one behind the other at the least, on the longest way through these needs.
[[nodiscard]] int longest_wait(const std::vector<StageNeeds>& stages);

/// The stages that were taken alone, laid end to end layer by layer: what to hold beside a timeline in which
/// they overlap. Its wall time is the sum of their medians, not a measured one. Without spans where nothing
/// was taken.
[[nodiscard]] Timeline serial_timeline(const Measurement& measurement);

}  // namespace spira

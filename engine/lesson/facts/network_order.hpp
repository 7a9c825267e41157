// Computes the order of the stages of a network: the dependencies of each stage, and the serial order, in
// which no two stages overlap.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/run/measurement.hpp"

#include <string>
#include <vector>

namespace spira {

/// Returns, for each layer, the index of the layer that builds its kernel map: the layer itself, or an
/// earlier layer with the same map. Shape: `[layers]`.
[[nodiscard]] std::vector<int> map_builders(const Network& network, const Plan& plan);

struct StageNeeds {
  StageKey stage;
  std::vector<StageKey> needs;
};
enum class LevelOrder : std::uint8_t {
  step_by_step,  ///< each level is computed from the previous level
  closed_form    ///< each level is computed from level 0
};
/// Returns all stages in an order in which each stage follows its dependencies.
[[nodiscard]] std::vector<StageNeeds> stage_needs(const Network& network, const Plan& plan, LevelOrder order);
/// Returns the result of stage_needs() without the stages of features. The level order does not change the
/// dependencies of these stages.
[[nodiscard]] std::vector<StageNeeds> indexing_needs(const Network& network, const Plan& plan,
                                                     LevelOrder order);
/// Returns the number of stages in the longest dependency chain.
[[nodiscard]] int longest_wait(const std::vector<StageNeeds>& stages);

/// Returns a timeline with the isolated stages one after another, layer by layer, for comparison with a
/// timeline in which stages overlap. The wall time of this timeline is not measured: it is the sum of the
/// stage medians. Returns a timeline without spans if no stage was timed in isolation.
[[nodiscard]] Timeline serial_timeline(const Measurement& measurement);

}  // namespace spira

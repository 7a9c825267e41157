// Selects how each unit of a bird's-eye view network runs, and checks whether a tuned plan fits a mask.
#pragma once

#include "engine/bev/unit.hpp"
#include "engine/run/bev_facts.hpp"
#include "engine/tune/choice.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// Identifies the cost of a unit. Units with equal shapes have equal costs.
struct UnitShape {
  std::vector<std::array<int, 3>> layers;  ///< Kernel size, C_in and C_out of each layer.
  int stride_in = 1, stride_out = 1;
  bool residual = false;
  std::array<std::int64_t, 2> cells{};  ///< Cells of the output along x and along y.
  auto operator<=>(const UnitShape&) const = default;
};
[[nodiscard]] UnitShape shape_of(const Network& network, const BevUnit& unit, const Area& area);
/// Returns a text such as "1x1 96>24, 3x3 24>24, 1x1 24>96".
[[nodiscard]] std::string layers_text(const UnitShape& shape);

/// The times of all units of a shape with one plan. Each value is the sum over these units in one round.
struct UnitTimes {
  UnitPlan plan;
  std::vector<double> ms;
};
struct UnitChoice {
  UnitPlan plan;
  ChoiceReason why = ChoiceReason::fastest;
  std::vector<UnitPlan> ties;            ///< The other plans that are the fastest or tied with it.
  std::vector<SettingVerdict> verdicts;  ///< One value for each plan.
};
/// Selects the fastest plan. Of plans that are tied with it, selects dense, otherwise the one with the
/// largest core, and fused before gathered. Selects dense if a plan has too few samples for a verdict.
/// `times` must contain the plan dense. Plans without samples are not selected.
[[nodiscard]] UnitChoice choose_unit_plan(std::span<const UnitTimes> times);

/// A measured speed-up of blocks over dense units.
struct SpeedUpAt {
  double computed = 0;  ///< BlockShares::computed
  double speed_up = 0;
};
/// Returns the computed share at which blocks take as long as dense units, by linear interpolation between
/// the two neighbouring points. `points` must be in ascending order of their shares. Returns an empty value
/// if the points do not enclose a speed-up of 1.
[[nodiscard]] std::optional<double> break_even(std::span<const SpeedUpAt> points) noexcept;

/// The computed share of a unit can differ by these factors from the share with which its plan was tuned.
constexpr double tuned_share_low = 0.8, tuned_share_high = 1.25;
/// Checks whether the blocks of a run are similar to those with which its plan was tuned. Throws
/// `Error(usage)` if the computed share of a unit is outside the limits above. The message names both masks
/// and the option --ignore-mask. Accepts all masks if the plan was not tuned.
void require_tuned_mask(const Plan& plan, const BevFacts& facts);

}  // namespace spira

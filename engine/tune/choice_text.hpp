// What a profile says of a shape in words: the same on a terminal and in the window.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <optional>
#include <string>

namespace spira {

/// "conv1", "conv1 and 3 more"
[[nodiscard]] std::string layers_text(const TunedShape& shape);
/// Null: not measured.
[[nodiscard]] const ThresholdCost* measured_cost(const TunedShape& shape, int threshold);
/// The same of t = max.
[[nodiscard]] const ThresholdCost* cost_of_max(const TunedShape& shape);
/// What the next best t would add, over all layers of the shape and their map; empty: nothing else was
/// measured, or a person chose.
[[nodiscard]] std::optional<double> margin_ms(const TunedShape& shape);
/// The same over the features of all layers of the shape with the chosen t.
[[nodiscard]] std::optional<double> margin_share(const TunedShape& shape);
/// Why it was chosen: "fastest", "tied with t = 0, 2, +0.1 ms for a map of its own".
[[nodiscard]] std::string choice_note(const TunedShape& shape);
/// "+1.2 %", "+48.7 %, tied" where the samples do not tell it from none, "not measured".
[[nodiscard]] std::string regret_text(const std::optional<Regret>& regret);
/// 5.4e-7
[[nodiscard]] std::string scientific(double value);
/// "faster, 0.930 x (95 %: 0.910 to 0.950)"; says so where the samples are too few.
[[nodiscard]] std::string gain_text(const Samples& baseline, const Samples& tuned);

}  // namespace spira

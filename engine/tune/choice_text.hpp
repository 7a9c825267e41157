// Formats the choices of a profile as texts for the terminal and the window.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <optional>
#include <string>

namespace spira {

/// Returns the first four names and the number of the others, such as "conv1, conv2" or "conv1, conv2, conv3,
/// conv4 and 3 more".
[[nodiscard]] std::string listed_names(const std::vector<std::string>& names);
/// Returns the layers whose choice is undecided (`ChoiceReason::few_samples`), in the order of the choices.
[[nodiscard]] std::vector<std::string> undecided_layers(const TuningProfile& profile);
/// Returns a sentence such as "2 layers are undecided and use t = max: conv1, conv2". `instead` names the
/// settings that these layers use. `layers` must not be empty.
[[nodiscard]] std::string undecided_text(const std::vector<std::string>& layers,
                                         const std::string& instead = "t = max");
/// Returns the names of the layers with this shape, such as "conv1" or "conv1 and 3 more".
[[nodiscard]] std::string layers_text(const TunedShape& shape);
/// Returns the cost of a setting, or `nullptr` if it was not measured.
[[nodiscard]] const MeasuredCost* measured_cost(const TunedShape& shape, const LayerSetting& setting);
/// Returns the cost of t = max, or `nullptr` if it was not measured.
[[nodiscard]] const MeasuredCost* cost_of_max(const TunedShape& shape);
/// Returns the additional time of the second-best setting compared with the selected one, for all layers of
/// the shape and their map. Returns an empty value if no other setting was measured, if the user made the
/// choice, or if t was chosen so that the network can run as one graph.
[[nodiscard]] std::optional<double> margin_ms(const TunedShape& shape);
/// Returns margin_ms() divided by the feature time of all layers of the shape with the selected setting.
[[nodiscard]] std::optional<double> margin_share(const TunedShape& shape);
/// Returns the reason for a choice, such as "fastest" or "tied with t = 0, 2, +0.1 ms for a separate map".
[[nodiscard]] std::string choice_note(const TunedShape& shape);
/// Returns the regret as text, such as "+1.2 %" or "not measured". Appends ", tied" if the regret is not
/// distinguishable from zero.
[[nodiscard]] std::string regret_text(const std::optional<Regret>& regret);
/// Returns the value in scientific notation, such as "5.4e-7".
[[nodiscard]] std::string scientific(double value);
/// Returns how a tuned time compares with the baseline, such as "faster, 0.930 x (95 % interval: 0.910 to
/// 0.950)" or "undecided, too few samples".
[[nodiscard]] std::string gain_text(const Samples& baseline, const Samples& tuned);

}  // namespace spira

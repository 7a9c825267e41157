// Searches the settings with the smallest cost for all passes of a group. A binding requires that passes of a
// layer have one setting. Other tuners bind passes, so that fewer combinations must be measured.
#pragma once

#include "engine/tune/group_costs.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

struct TuningProfile;

/// Determines which passes of a layer must use the same setting. Different layers can use different settings.
/// If a pass cannot run with the setting of its layer, setting_like() returns the setting that it uses.
enum class Binding : std::uint8_t { all_alike, forward_dgrad, dgrad_wgrad, free };
inline constexpr std::array<Binding, 4> all_bindings{Binding::all_alike, Binding::forward_dgrad,
                                                     Binding::dgrad_wgrad, Binding::free};
/// Returns the text for tables, such as "forward = dgrad".
[[nodiscard]] std::string_view text_of(Binding binding) noexcept;

/// Returns the setting of an entry of GroupTimes::shapes if its layer has the setting `wanted`. wgrad reads
/// the map of the setting. A pass that can read only pair lists, or that has only one setting, keeps it.
/// Returns an empty value if the pass was not measured with this setting.
[[nodiscard]] std::optional<LayerSetting> setting_like(const GroupTimes& group, const GroupCosts& costs,
                                                       std::size_t entry, LayerSetting wanted);

/// Returns the settings with the smallest sum of medians that the binding allows. Tries all combinations of
/// at most `most_maps_to_combine` maps. Returns an empty list if a pass has no setting.
[[nodiscard]] SettingPicks cheapest(const GroupTimes& group, const GroupCosts& costs,
                                    Binding binding = Binding::free);

/// A group in which all layers have one setting in all passes, as far as setting_like() allows it.
struct OneSetting {
  LayerSetting setting;
  SettingPicks settings;  ///< The settings of GroupTimes::shapes.
  double cost_ms = 0;     ///< In the unit of GroupChoice::cost_ms.
  std::int64_t n = 0;     ///< Number of samples of the time that has the fewest.
};
/// Returns the settings with which all layers of the group were measured, in ascending order.
[[nodiscard]] std::vector<OneSetting> one_setting_for_all(const GroupTimes& group, const GroupCosts& costs);

/// Returns the plan for training in which all passes have the settings of cheapest(). Passes without samples
/// have the settings of default_plan(). The profile must be for training. Throws `Error(usage)` if it belongs
/// to a different network.
[[nodiscard]] Plan plan_of(const TuningProfile& profile, const Network& network, Binding binding);

}  // namespace spira

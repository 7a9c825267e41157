#include "engine/tune/apply_profile.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace spira {
namespace {

/// Returns the major version of a driver, such as "580" for "580.159.04". The minor version of a driver does
/// not affect which setting is fastest.
std::string major_of(const std::string& version) {
  return version.substr(0, version.find('.'));
}

std::string why_not_size(const TunedShape& tuned, std::int64_t rows, double factor) {
  const auto wide = [](std::int64_t count) { return static_cast<double>(count); };
  if (wide(rows) * factor >= wide(tuned.rows_low) && wide(rows) <= wide(tuned.rows_high) * factor) return {};
  return "tuned for " + count_text(tuned.rows_low) +
         (tuned.rows_low == tuned.rows_high ? "" : " to " + count_text(tuned.rows_high)) +
         " outputs; this layer has " + count_text(rows) + " (limit: " + shortest(factor) + "x)";
}

/// Returns the reason why a layer uses its default setting although the profile has a choice: the choice is
/// based on too few samples. Returns an empty string if it has enough samples.
std::string why_not_settled(const ShapeChoice& choice) {
  if (choice.why != ChoiceReason::few_samples) return {};
  std::int64_t samples = 0;
  for (const MeasuredCost& cost : choice.costs) {
    if (cost.setting == choice.setting) samples = cost.n;
  }
  return "undecided: " + count_text(samples) + (samples == 1 ? " sample, " : " samples, ") +
         std::to_string(fewest_samples_for_verdict) + " needed";
}

std::string differs(const std::string& what, const std::string& then, const std::string& now) {
  return "the " + what + " differs (" + (then.empty() ? "unknown" : then) + " in the profile, " +
         (now.empty() ? "unknown" : now) + " here)";
}

/// Returns why a profile of the same network has no choice for a layer: its tuning ended before it measured
/// the layer. Returns an empty string for a profile of another network and for a complete profile.
std::string why_not_measured(const TuningProfile& profile, const Network& network) {
  if (profile.stopped.empty() || profile.network_fingerprint != fingerprint_of(network)) return {};
  return profile.stopped == "budget" ? "not measured, because the time limit was reached"
                                     : "not measured, because the tuning was stopped";
}

/// Returns the reason why the profile has no choice for a layer: it was tuned for other levels, for example
/// for another output rule, or for another shape.
std::string why_not_shape(const TuningProfile& profile, const std::string& layer, const LayerShape& shape,
                          std::span<const SceneLevel> levels) {
  const auto levels_text = [](const LayerShape& one, std::span<const SceneLevel> sets) {
    return level_text(sets, one.stride_in) + ">" + level_text(sets, one.stride_out);
  };
  for (const TunedShape& tuned : profile.choices) {
    LayerShape moved = tuned.shape;
    moved.stride_in = shape.stride_in;
    moved.stride_out = shape.stride_out;
    if (moved != shape || std::find(tuned.layers.begin(), tuned.layers.end(), layer) == tuned.layers.end())
      continue;
    const std::string then = levels_text(tuned.shape, profile.levels), now = levels_text(shape, levels);
    if (then != now) return differs("level", then, now);
  }
  return "the profile has no layer with this shape";
}

/// Returns the reason why a profile is not used for this number of frames: no scene of the profile has it.
/// Returns an empty string if a scene has it.
std::string why_not_batch(const TuningProfile& profile, int batch) {
  std::set<int> tuned;
  for (const TunedScene& scene : profile.scenes)
    tuned.insert(scene.batch);
  if (tuned.empty() || tuned.contains(batch)) return {};
  std::string then;
  for (const int frames : tuned)
    then += (then.empty() ? "" : ", ") + std::to_string(frames);
  return differs("number of frames of the batch", then, std::to_string(batch));
}

std::optional<ProfileDistance> distance_of(const TuningProfile& profile, const ProfileUse& use) {
  const auto nearest = use.densities ? nearest_scene(profile, *use.densities) : std::nullopt;
  if (!nearest) return std::nullopt;
  return ProfileDistance{nearest->distance, profile.validity.density_distance_limit,
                         profile.scenes[static_cast<std::size_t>(nearest->scene)].name};
}

/// Returns the number of a level in the profile, or an empty value if the profile has no level with its rule.
std::optional<int> number_in(const TuningProfile& profile, int number, std::span<const SceneLevel> levels) {
  if (number < first_numbered_level) return number;
  const auto own = std::find_if(levels.begin(), levels.end(),
                                [&](const SceneLevel& level) { return level.number == number; });
  if (own == levels.end()) return std::nullopt;
  const auto found = std::find_if(profile.levels.begin(), profile.levels.end(),
                                  [&](const SceneLevel& level) { return level.rule == own->rule; });
  return found == profile.levels.end() ? std::nullopt : std::optional(found->number);
}

/// Returns the shape with the level numbers that the profile uses.
std::optional<LayerShape> in_numbers_of(const TuningProfile& profile, LayerShape shape,
                                        std::span<const SceneLevel> levels) {
  const auto in = number_in(profile, shape.stride_in, levels);
  const auto out = number_in(profile, shape.stride_out, levels);
  if (!in || !out) return std::nullopt;
  shape.stride_in = *in;
  shape.stride_out = *out;
  return shape;
}

}  // namespace

std::string why_not_device(const TuningProfile& profile, const DeviceFacts& device,
                           std::string_view tool_version) {
  const DeviceFacts& tuned = profile.device;
  if (tuned.kind != device.kind)
    return differs("back end", std::string(text_of(tuned.kind)), std::string(text_of(device.kind)));
  if (tuned.name != device.name) return differs("device", tuned.name, device.name);
  if (tuned.threads != device.threads) {
    return differs(device.kind == BackendKind::cuda ? "number of multiprocessors" : "number of threads",
                   std::to_string(tuned.threads), std::to_string(device.threads));
  }
  if (tuned.instructions != device.instructions)
    return differs("instruction set", tuned.instructions, device.instructions);
  if (tuned.path != device.path) return differs("code path of the kernels", tuned.path, device.path);
  if (major_of(tuned.driver) != major_of(device.driver))
    return differs("driver", tuned.driver, device.driver);
  if (tuned.runtime != device.runtime) return differs("runtime", tuned.runtime, device.runtime);
  if (profile.tool_version != tool_version)
    return differs("program version", "spira " + profile.tool_version, "spira " + std::string(tool_version));
  return {};
}

int AppliedProfile::matched() const {
  return static_cast<int>(std::count(why_not.begin(), why_not.end(), ""));
}

std::string AppliedProfile::density_note() const {
  if (!density || density->distance <= density->limit || matched() == 0) return {};
  return "the density differs by " + fixed(density->distance, 2) + " from " + density->nearest +
         ", the most similar scene of the profile; the limit is " + shortest(density->limit);
}

const TunedShape* choice_for(const TuningProfile& profile, const std::string& layer, const LayerShape& shape,
                             std::span<const SceneLevel> levels) {
  const TunedShape* first = nullptr;
  const auto wanted = in_numbers_of(profile, shape, levels);
  for (const TunedShape& one : profile.choices) {
    if (!wanted || one.shape != *wanted) continue;
    if (std::find(one.layers.begin(), one.layers.end(), layer) != one.layers.end()) return &one;
    if (first == nullptr) first = &one;
  }
  return first;
}

namespace {

/// Returns the choice of a backward pass, or `nullptr` if there is none or if it has too few samples.
const ShapeChoice* settled_choice(const TunedShape& tuned, LayerPass pass) {
  const auto& choice = pass == LayerPass::dgrad ? tuned.dgrad : tuned.wgrad;
  return choice && choice->why != ChoiceReason::few_samples ? &*choice : nullptr;
}

}  // namespace

BackwardPlan tuned_backward(const TunedShape* tuned, const Layer& layer, const LayerLevels& levels,
                            const LayerPlan& forward) {
  BackwardPlan plan = default_backward(layer, levels, forward);
  if (tuned == nullptr || tuned->choice.why == ChoiceReason::few_samples) return plan;
  for (const auto& [pass, own] :
       {std::pair(LayerPass::dgrad, &plan.dgrad), {LayerPass::wgrad, &plan.wgrad}}) {
    const ShapeChoice* choice = settled_choice(*tuned, pass);
    if (choice == nullptr || !why_not_pass(layer, levels, pass, choice->setting).empty()) continue;
    own->set(choice->setting);
    own->algorithm = choice->algorithm;
  }
  return plan;
}

namespace {

/// Sets the backward passes of all layers, and lists the passes that cannot run as in the profile.
void apply_backward(AppliedProfile& applied, const TuningProfile& profile, const Network& network,
                    const Levels& levels) {
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    const LayerShape shape = shape_of(layer, levels.layers[at]);
    const TunedShape* tuned =
        applied.why_not[at].empty() ? choice_for(profile, layer.name, shape, levels.sets) : nullptr;
    applied.plan.backward.push_back(tuned_backward(tuned, layer, levels.layers[at], applied.plan.layers[at]));
    for (const LayerPass pass : {LayerPass::dgrad, LayerPass::wgrad}) {
      const ShapeChoice* choice = tuned == nullptr ? nullptr : settled_choice(*tuned, pass);
      if (choice == nullptr) continue;
      if (std::string why = why_not_pass(layer, levels.layers[at], pass, choice->setting); !why.empty())
        applied.passes_not_used.push_back(
            {at, pass,
             "the profile has " +
                 setting_text(choice->setting, KernelOffsets(shape.kernel, 1).max_threshold()) + "; " + why});
    }
  }
}

}  // namespace

AppliedProfile apply_profile(const TuningProfile& profile, const ProfileUse& use, const Plan& defaults,
                             const std::string& name) {
  AppliedProfile applied;
  applied.plan = defaults;
  const Levels levels = levels_of(*use.network);
  std::string none = why_not_device(profile, use.device, use.tool_version);
  if (use.ignore_device) applied.ignored = std::exchange(none, {});
  if (none.empty() && profile.precision != use.precision) {
    none = differs("precision", std::string(text_of(profile.precision)), std::string(text_of(use.precision)));
  }
  if (none.empty()) none = why_not_batch(profile, use.scene->cloud->batch());
  const std::string unmeasured = why_not_measured(profile, *use.network);
  for (std::size_t at = 0; at < use.network->layers.size(); ++at) {
    if (!use.network->layers[at].convolution()) {
      applied.why_not.emplace_back();  // The layer has no settings to choose from.
      continue;
    }
    const LayerShape shape = shape_of(use.network->layers[at], levels.layers[at]);
    const TunedShape* tuned = choice_for(profile, use.network->layers[at].name, shape, levels.sets);
    const std::int64_t rows = size_of(use.scene->level(shape.stride_out));
    std::string why = none;
    if (why.empty() && tuned == nullptr) {
      why = unmeasured;
      if (!why.empty()) applied.unmeasured.push_back(at);
    }
    if (why.empty())
      why = tuned == nullptr ? why_not_shape(profile, use.network->layers[at].name, shape, levels.sets)
                             : why_not_size(*tuned, rows, profile.validity.outputs_factor);
    if (why.empty())
      why =
          why_not_pass(use.network->layers[at], levels.layers[at], LayerPass::forward, tuned->choice.setting);
    if (why.empty()) {
      why = why_not_settled(tuned->choice);
      if (!why.empty()) applied.undecided.push_back(at);
    }
    if (why.empty()) {
      applied.plan.layers[at].set(tuned->choice.setting);
      applied.plan.layers[at].algorithm = tuned->choice.algorithm;
      note_threshold_source(applied.plan, at,
                            "profile:" + name + (applied.ignored.empty() ? "" : " (other device)"));
    }
    applied.why_not.push_back(std::move(why));
  }
  if (profile.training) apply_backward(applied, profile, *use.network, levels);
  applied.plan.source = std::to_string(applied.matched()) + " of " + std::to_string(applied.why_not.size()) +
                        " layers from profile " + name;
  applied.density = distance_of(profile, use);
  return applied;
}

namespace {

/// Collects the layers or passes that do not use a profile, with one line for each reason.
class ReasonLines {
 public:
  /// `before` is the text before the names of the layers.
  void add(const std::string& before, const std::string& why, const std::string& layer) {
    const auto found = std::find_if(reasons_.begin(), reasons_.end(), [&](const Reason& one) {
      return one.before == before && one.why == why;
    });
    (found == reasons_.end() ? reasons_.emplace_back(Reason{before, why, {}}) : *found)
        .layers.push_back(layer);
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const Reason& one : reasons_)
      all.push_back("  not applied to " + one.before + listed_names(one.layers) + ": " + one.why);
    return all;
  }

 private:
  struct Reason {
    std::string before, why;
    std::vector<std::string> layers;
  };
  std::vector<Reason> reasons_;
};

}  // namespace

std::vector<std::string> AppliedProfile::lines(const Network& network) const {
  std::vector<std::string> undecided_names;
  ReasonLines reasons;
  bool defaults = true;
  for (const std::size_t at : undecided) {
    undecided_names.push_back(network.layers[at].name);
    defaults = defaults && setting_of(network.layers[at], plan.layers[at]) ==
                               feasible_thresholds(network.layers[at]).back();
  }
  for (std::size_t at = 0; at < why_not.size(); ++at) {
    const bool named = std::find(undecided.begin(), undecided.end(), at) != undecided.end();
    if (!why_not[at].empty() && !named) reasons.add({}, why_not[at], network.layers[at].name);
  }
  for (const PassNotUsed& one : passes_not_used)
    reasons.add(std::string(text_of(one.pass)) + " of ", one.why, network.layers[one.layer].name);
  std::vector<std::string> all{plan.source};
  if (!undecided_names.empty())
    all.push_back("  " + undecided_text(undecided_names, defaults ? "t = max" : "the settings of the run"));
  for (std::string& line : reasons.lines())
    all.push_back(std::move(line));
  if (const std::string note = density_note(); !note.empty())
    all.push_back("  " + note + "; the profile is used anyway");
  return all;
}

namespace {

bool set_by_hand(const Plan& plan, std::size_t layer, const std::string& name) {
  if (layer >= plan.threshold_sources.size()) return false;
  const ThresholdSource& source = plan.threshold_sources[layer];
  return source.name.starts_with("profile:" + name) && source.setting != plan.layers[layer].dataflow();
}

void set_by_hand(TuningProfile& profile, const std::string& layer, const LayerShape& shape,
                 std::span<const SceneLevel> levels, const LayerSetting& setting) {
  const TunedShape* found = choice_for(profile, layer, shape, levels);
  if (found == nullptr || found->choice.setting == setting) return;
  const auto at = static_cast<std::size_t>(found - profile.choices.data());
  TunedShape by_hand = profile.choices[at];
  std::erase(profile.choices[at].layers, layer);
  by_hand.layers = {layer};
  choose_instead(by_hand.choice, setting, ChoiceReason::user);
  // The backward passes were chosen together with the other setting. Without a choice, they follow the layer.
  by_hand.dgrad.reset();
  by_hand.wgrad.reset();
  const auto same = std::find_if(profile.choices.begin(), profile.choices.end(), [&](const TunedShape& one) {
    return one.shape == shape && one.choice.why == ChoiceReason::user && one.choice.setting == setting &&
           !one.layers.empty();
  });
  if (same != profile.choices.end()) {
    same->layers.push_back(layer);
  } else {
    profile.choices.insert(profile.choices.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(by_hand));
  }
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.layers.empty(); });
}

}  // namespace

bool has_user_choices(const Plan& plan, const std::string& name) {
  for (std::size_t layer = 0; layer < plan.layers.size(); ++layer) {
    if (set_by_hand(plan, layer, name)) return true;
  }
  return false;
}

TuningProfile with_user_choices(TuningProfile profile, const Network& network, const Plan& plan,
                                const std::string& name) {
  if (!has_user_choices(plan, name) || profile.network_fingerprint != fingerprint_of(network)) return profile;
  const Levels levels = levels_of(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (!set_by_hand(plan, at, name)) continue;
    const Layer& layer = network.layers[at];
    set_by_hand(profile, layer.name, shape_of(layer, levels.layers[at]), levels.sets,
                setting_of(layer, plan.layers[at]));
  }
  profile.checks.clear();
  if (!profile.regret.empty())
    std::fill(profile.regret.back().begin(), profile.regret.back().end(), std::nullopt);
  return profile;
}

}  // namespace spira

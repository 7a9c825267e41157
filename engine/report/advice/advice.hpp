// Derives advice from the data of a run. Each piece of advice consists of the evidence, the suggested action
// and the expected gain. The list starts with the largest gain. A rule gives no advice if the data is not
// sufficient to decide it.
#pragma once

#include "engine/report/report.hpp"
#include "engine/tune/apply_profile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira {

enum class AdviceRule : std::uint8_t {
  faster_threshold,   ///< Another t is significantly faster.
  simpler_threshold,  ///< A simpler t is tied with the current t.
  wide_packing,       ///< The packing uses 64 bits although 32 bits fit.
  tight_packing,      ///< A larger kernel would not fit the packing.
  split_maps,         ///< Layers of one map use different t, so the map is built more than once.
  post_processing,    ///< Transposing and filtering are a large part of a layer's time.
  no_overlap,         ///< Branches of the compiled network run one after another instead of in parallel.
  few_voxels,         ///< Layers are too small to fill a GPU.
  flat_densities,     ///< Densities do not fall with the L1 norm, so hybrids cannot help.
  held_back,          ///< Clocks fell, or power or heat throttled the device.
  host_bound,         ///< The device waits for the host.
  other_profile       ///< The tuning profile was made on another scene or device.
};
[[nodiscard]] std::string_view code_of(AdviceRule rule) noexcept;  ///< Example: "faster_threshold".

/// The view of the window that shows the evidence of a rule.
enum class AdviceView : std::uint8_t { scene, breakdown, sweeps, timeline, densities, tuning };

enum class GainKind : std::uint8_t {
  unknown,   ///< The size of the gain is not known, and it can be zero.
  measured,  ///< The gain is the difference of two measured medians.
  modelled   ///< The gain is an upper bound, computed from measured times or counts under an assumption.
};
struct Gain {
  GainKind kind = GainKind::unknown;
  double ms = 0;
  std::int64_t bytes = 0;
  /// Returns "1.24 ms, measured", "at most 1.24 ms, modelled" or "gain not known".
  [[nodiscard]] std::string text() const;
};

/// Changes that the program can apply directly.
struct AdvisedChange {
  std::vector<std::pair<int, int>> thresholds{};  ///< Pairs (layer, t).
  std::optional<PackSpec> pack{};
  [[nodiscard]] bool empty() const noexcept { return thresholds.empty() && !pack; }
};

struct Advice {
  AdviceRule rule{};
  std::string evidence, action;  ///< One sentence each, without a full stop.
  Gain gain;
  AdvisedChange change;
  AdviceView view = AdviceView::breakdown;
  int layer = -1;  ///< -1 if the advice is about the whole network.
};

/// The inputs of the rules. `nullptr` or empty means that the input is not known.
struct AdviceFacts {
  const SceneFacts* scene = nullptr;
  const Network* network = nullptr;  ///< If it has no layers, no rule gives advice.
  const Measurement* measurement = nullptr;
  /// Plan of the next run. If `nullptr`, the plan of the measurement is used.
  const Plan* plan = nullptr;
  std::vector<const Densities*> densities{};  ///< One entry per layer of the network.
  const Sweep *threshold_sweep = nullptr, *pack_sweep = nullptr;
  const TuningProfile* profile = nullptr;
  const AppliedProfile* applied = nullptr;  ///< Result of applying the profile to this scene.
};
[[nodiscard]] AdviceFacts facts_of(const Report& report);

/// Returns the advice sorted by gain: first gains in time, then gains in bytes, then advice without a known
/// gain.
[[nodiscard]] std::vector<Advice> advise(const AdviceFacts& facts);

/// Returns the first `most` pieces of advice, one per line: "1. Use t = 2 for conv3 (1.24 ms, measured):
/// ...". The text is empty if `advice` is empty.
[[nodiscard]] std::string advice_text(const std::vector<Advice>& advice, std::size_t most);
[[nodiscard]] std::string advice_markdown(const std::vector<Advice>& advice);

}  // namespace spira

// Derives advice from the data of a run. Each piece of advice has evidence, a suggested action and an
// expected gain. The list is sorted by gain, the largest first. A rule without enough data gives no advice.
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
  faster_threshold,   ///< Another threshold t is significantly faster.
  simpler_threshold,  ///< A simpler threshold t is tied with the current threshold.
  wide_packing,       ///< The packing uses 64 bits although the scene fits in 32 bits.
  tight_packing,      ///< The scene would not fit the packing with a larger kernel.
  split_maps,         ///< Layers that could share a map use different t, so the map is built several times.
  post_processing,    ///< Transposing and filtering the map takes a large part of the time of a layer.
  no_overlap,         ///< Branches of the compiled network run one after another instead of in parallel.
  few_voxels,         ///< Some layers are too small to fill a GPU.
  flat_densities,     ///< The density does not fall with the L1 norm, so hybrid dataflows cannot help.
  held_back,          ///< The clock fell during the run, or power or heat throttled the device.
  other_profile,      ///< The tuning profile was measured on a different scene or device.
  voxels_would_do,    ///< The native layers have nearly the same neighbours as the voxel convolution.
  wide_blocks,        ///< The active blocks of a bird's-eye view cover most of the image.
  dear_mask           ///< The mask and its blocks take a large part of the wall time.
};
/// Returns the identifier of a rule, such as "faster_threshold".
[[nodiscard]] std::string_view code_of(AdviceRule rule) noexcept;

/// The page of the window that shows the evidence.
enum class AdviceView : std::uint8_t { scene, breakdown, sweeps, timeline, densities, tuning };

enum class GainKind : std::uint8_t {
  unknown,   ///< The gain is not known. It can be zero.
  measured,  ///< The difference of two measured medians.
  modelled   ///< An upper limit, computed from measured times or counts and an assumption.
};
struct Gain {
  GainKind kind = GainKind::unknown;
  double ms = 0;
  std::int64_t bytes = 0;
  /// Returns "1.24 ms, measured", "at most 1.24 ms, modelled" or "gain not known".
  [[nodiscard]] std::string text() const;
};

/// Changes of settings that the program can make itself.
struct AdvisedChange {
  std::vector<std::pair<int, int>> thresholds{};  ///< Pairs of a layer and its new t.
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

/// The inputs of the rules. An input that is not known is `nullptr` or empty.
struct AdviceFacts {
  const SceneFacts* scene = nullptr;
  const Network* network = nullptr;  ///< If the network has no layers, no rule gives advice.
  const Measurement* measurement = nullptr;
  /// The plan of the next run. If it is `nullptr`, the plan of the measurement is used.
  const Plan* plan = nullptr;
  std::vector<const Densities*> densities{};  ///< One entry per layer of the network.
  const Sweep *threshold_sweep = nullptr, *pack_sweep = nullptr;
  const TuningProfile* profile = nullptr;
  const AppliedProfile* applied = nullptr;  ///< The result of applying the profile to this scene.
};
[[nodiscard]] AdviceFacts facts_of(const Report& report);

/// Returns the advice, sorted by gain: first the gains in time, then the gains in bytes, then unknown gains.
[[nodiscard]] std::vector<Advice> advise(const AdviceFacts& facts);

/// Returns the first `most` pieces of advice, one per line, such as "1. Use t = 2 for conv3 (1.24 ms,
/// measured): ...". Returns an empty string if `advice` is empty.
[[nodiscard]] std::string advice_text(const std::vector<Advice>& advice, std::size_t most);
[[nodiscard]] std::string advice_markdown(const std::vector<Advice>& advice);

}  // namespace spira

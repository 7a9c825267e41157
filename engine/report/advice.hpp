// What a run says about itself: evidence, what to do about it and what that would gain, the most first. A
// rule that the data of a run cannot decide says nothing.
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
  faster_threshold,   ///< another t is faster beyond noise
  simpler_threshold,  ///< a simpler t cannot be told from the one in use
  wide_packing,       ///< 64 bits where 32 fit
  tight_packing,      ///< a larger kernel would leave the packing
  split_maps,         ///< layers of one map with different t: it is built more than once
  post_processing,    ///< transposing and filtering are a large part of a layer
  no_overlap,         ///< branches of the compiled network run one after another
  few_voxels,         ///< layers too small to fill a GPU
  flat_densities,     ///< densities do not fall with the L1 norm: hybrids cannot help
  held_back,          ///< clocks fell, or power or heat held the device back
  host_bound,         ///< the host is waited for
  other_profile       ///< the tuning profile is of something else
};
[[nodiscard]] std::string_view code_of(AdviceRule rule) noexcept;  ///< "faster_threshold"

/// Where the evidence of a rule is looked at.
enum class AdviceView : std::uint8_t { scene, breakdown, sweeps, timeline, densities, tuning };

enum class GainKind : std::uint8_t {
  unknown,   ///< there is one or none, and nothing says how much
  measured,  ///< a difference of two measured medians
  modelled   ///< follows from measured times or counts by an assumption: at most this
};
struct Gain {
  GainKind kind = GainKind::unknown;
  double ms = 0;
  std::int64_t bytes = 0;
  [[nodiscard]] std::string text() const;  ///< "1.24 ms, measured"; "at most 1.24 ms, modelled"; "not known"
};

/// What can be done at once.
struct AdvisedChange {
  std::vector<std::pair<int, int>> thresholds{};  ///< (layer, t)
  std::optional<PackSpec> pack{};
  [[nodiscard]] bool empty() const noexcept { return thresholds.empty() && !pack; }
};

struct Advice {
  AdviceRule rule{};
  std::string evidence, action;  ///< a sentence each, without a full stop
  Gain gain;
  AdvisedChange change;
  AdviceView view = AdviceView::breakdown;
  int layer = -1;     ///< -1: of the whole network
  std::string stage;  ///< path of the stage that it is about; empty: none
};

/// What rules look at. Null or empty: not known.
struct AdviceFacts {
  const SceneFacts* scene = nullptr;
  const Network* network = nullptr;  ///< without layers: nothing is said
  const Measurement* measurement = nullptr;
  const Plan* plan = nullptr;                 ///< of the next run; null: that of the measurement
  std::vector<const Densities*> densities{};  ///< one a layer
  const Sweep *threshold_sweep = nullptr, *pack_sweep = nullptr;
  const TuningProfile* profile = nullptr;
  const AppliedProfile* applied = nullptr;  ///< the profile on this scene
};
[[nodiscard]] AdviceFacts facts_of(const Report& report);

/// By gain: times first, then bytes, then what has no figure.
[[nodiscard]] std::vector<Advice> advise(const AdviceFacts& facts);

/// "1. Use t = 2 for conv3 (1.24 ms, measured): ...", a line each, the first `most`; empty: nothing to say.
[[nodiscard]] std::string advice_text(const std::vector<Advice>& advice, std::size_t most);
[[nodiscard]] std::string advice_markdown(const std::vector<Advice>& advice);

}  // namespace spira

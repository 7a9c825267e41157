// Rules for advice about the device (waiting times and reduced speed) and about the packing and densities.

#include "engine/report/advice/advice_rules.hpp"

#include "engine/base/text.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <set>

namespace spira {
namespace {

/// Returns the total time of the spans of kernel maps and of coarser levels, in milliseconds. The feature
/// computation of one layer waits for only a part of these spans.
double indexing_ms(const Timeline& timeline) {
  double sum = 0;
  for (const TimelineSpan& span : timeline.spans) {
    const bool indexing = span.stage.phase == "map" || span.stage.phase == "downsample";
    if (span.parent < 0 && indexing) sum += span.length_ms();
  }
  return sum;
}

/// The expected and the measured clock of the streaming multiprocessors (SMs). Both are 0 if not known.
struct ClockGap {
  int should_mhz = 0, was_mhz = 0;
  /// True if `should_mhz` is the default clock of the driver. False if it is the clock that was measured
  /// before the samples.
  bool by_default = false;
  [[nodiscard]] double share() const {
    return should_mhz > 0 ? static_cast<double>(was_mhz) / should_mhz : 1.0;
  }
};

/// Returns the clock during the run. Uses the clocks after each sample if they are known, otherwise the clock
/// at the end of the run. The clock at the end is less suitable, because a device slows down under load and
/// recovers afterwards.
ClockGap clock_gap(const Measurement& m) {
  ClockGap gap;
  if (m.device.sm_default_mhz && *m.device.sm_default_mhz > 0) {
    gap.should_mhz = *m.device.sm_default_mhz;
    gap.by_default = true;
  } else {
    gap.should_mhz = m.state_before.sm_clock_mhz.value_or(0);
  }
  if (!m.wall.sm_clock_mhz.empty()) {
    const std::vector<double> clocks(m.wall.sm_clock_mhz.begin(), m.wall.sm_clock_mhz.end());
    gap.was_mhz = static_cast<int>(statistics(clocks).median);
  } else if (m.state_after.sm_clock_mhz) {
    gap.was_mhz = *m.state_after.sm_clock_mhz;
  }
  return gap.was_mhz > 0 ? gap : ClockGap{};
}

}  // namespace

void add_no_overlap(const AdviceFacts& facts, AllAdvice& all) {
  constexpr double little = 1.1;
  if (facts.measurement == nullptr) return;
  const Timeline& timeline = facts.measurement->timeline;
  if (timeline.empty() || timeline.mode != TimelineMode::in_situ) return;
  const double factor = timeline.overlap_factor();
  if (factor >= little) return;
  Advice advice;
  advice.rule = AdviceRule::no_overlap;
  advice.view = AdviceView::timeline;
  advice.evidence = "the " + std::to_string(timeline.tracks.size()) +
                    " parallel branches have an overlap factor of only " + fixed(factor, 2) + " over " +
                    ms_text(timeline.shown_wall_ms());
  advice.action = "build the maps of later layers in parallel with the features of earlier layers";
  advice.gain = {GainKind::modelled, std::min(indexing_ms(timeline), timeline.shown_wall_ms()), 0};
  if (advice.gain.ms <= 0) advice.gain = {};
  all.push_back(std::move(advice));
}

void add_few_voxels(const AdviceFacts& facts, AllAdvice& all) {
  constexpr std::int64_t few = 2000;
  if (facts.measurement == nullptr || facts.measurement->device.kind != BackendKind::cuda) return;
  int layers = 0, first = -1;
  double small_ms = 0, large_ms = 0, small_flops = 0, large_flops = 0;
  for (std::size_t at = 0; at < facts.measurement->layers.size(); ++at) {
    const LayerMeasurement& layer = facts.measurement->layers[at];
    if (!facts.network->layers.at(at).convolution()) continue;
    const bool small = layer.outputs < few;
    (small ? small_ms : large_ms) += layer.stages.sum_of_tops_ms();
    (small ? small_flops : large_flops) += static_cast<double>(layer.useful_flops);
    layers += small ? 1 : 0;
    if (small && first < 0) first = static_cast<int>(at);
  }
  if (layers == 0) return;
  Advice advice;
  advice.rule = AdviceRule::few_voxels;
  advice.layer = first;
  advice.evidence = std::to_string(layers) +
                    (layers == 1 ? " layer has fewer than " : " layers have fewer than ") + count_text(few) +
                    " outputs, which is too few to use the whole device; the time of these layers is " +
                    ms_text(small_ms) + " of " + ms_text(small_ms + large_ms);
  const bool one_graph = !facts.measurement->compiled_wall.ms.empty();
  advice.action = std::string("run several frames as one batch") +
                  (one_graph ? "" : ", or the network as one CUDA graph");
  if (large_ms > 0 && large_flops > 0) {
    const double at_rate_ms = small_flops * large_ms / large_flops;
    if (at_rate_ms < small_ms) {
      advice.gain = {GainKind::modelled, small_ms - at_rate_ms, 0};
      advice.evidence += "; at the FLOP rate of the larger layers, the time would be " + ms_text(at_rate_ms);
    }
  }
  all.push_back(std::move(advice));
}

void add_held_back(const AdviceFacts& facts, AllAdvice& all) {
  constexpr double full = 0.9;
  if (facts.measurement == nullptr) return;
  const Measurement& m = *facts.measurement;
  std::vector<std::string> reasons;
  for (const DeviceState* state : {&m.state_before, &m.state_after}) {
    for (const auto& reason : state->throttled_by.value_or(std::vector<std::string>{})) {
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  const ClockGap clock = clock_gap(m);
  const bool slower = clock.share() < full;
  if (reasons.empty() && !slower) return;
  Advice advice;
  advice.rule = AdviceRule::held_back;
  advice.action = "let the device cool or lock its clocks, and measure again";
  for (const auto& reason : reasons)
    advice.evidence += (advice.evidence.empty() ? "throttled by " : ", ") + reason;
  if (slower) {
    advice.evidence += std::string(advice.evidence.empty() ? "" : "; ") + "the device clock was " +
                       std::to_string(clock.was_mhz) + " MHz, " + percent_text(clock.share(), 0) +
                       " of the " + (clock.by_default ? "default " : "") + std::to_string(clock.should_mhz) +
                       (clock.by_default ? "" : " before the samples");
    advice.gain = {GainKind::modelled, m.wall.stats().median * (1.0 - clock.share()), 0};
  }
  all.push_back(std::move(advice));
}

namespace {

/// Returns the fastest row of a packing sweep that uses 32 bits and is significantly faster than `pack`, or
/// `nullptr`. Sets `gain_ms` to its gain.
const SweepRow* faster_narrow_row(const Sweep& sweep, PackSpec pack, double& gain_ms) {
  const auto now = std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) {
    return row.pack == pack && !row.wall.ms.empty();
  });
  if (now == sweep.rows.end()) return nullptr;
  const SweepRow* best = nullptr;
  for (const SweepRow& row : sweep.rows) {
    if (row.pack.word_bits() != 32 || verdict(now->wall.ms, row.wall.ms) != Verdict::faster) continue;
    const double gain = now->wall.stats().median - row.wall.stats().median;
    if (best != nullptr && gain <= gain_ms) continue;
    gain_ms = gain;
    best = &row;
  }
  return best;
}

/// Returns the smallest and the largest of the mean densities of all L1 norms except 0. Returns an empty
/// value if there are too few pairs.
std::optional<std::pair<double, double>> means_beyond_centre(const Densities& densities) {
  constexpr std::int64_t enough_pairs = 1000;
  double low = 1, high = 0;
  std::int64_t pairs = 0;
  for (const ColumnDensity& column : densities.columns)
    pairs += column.l1 > 0 ? column.matches : 0;
  for (const L1Density& group : densities.groups) {
    if (group.l1 == 0) continue;
    low = std::min(low, group.mean);
    high = std::max(high, group.mean);
  }
  if (pairs < enough_pairs || low <= 0 || densities.groups.size() < 3) return std::nullopt;
  return std::pair(low, high);
}

/// Returns the kernel of K = `kernel_size` with the neighbourhood of the native layers of a network. If there
/// are none, or if a kernel of this size cannot have the neighbourhood, returns the kernel of voxels.
KernelShape larger_kernel(const Network& network, int kernel_size) {
  KernelShape kernel = kernel_size;
  for (const Layer& layer : network.layers) {
    if (layer.neighbourhood.native() && why_not(layer.neighbourhood, kernel.size).empty())
      kernel.neighbourhood = layer.neighbourhood;
  }
  return kernel;
}

/// Returns the requirements that a network with the same levels, but with a larger kernel, places on a
/// packing. The search of a native kernel reads more cells than the kernel has.
PackNeeds needs_of_larger_kernels(const Levels& levels, const KernelShape& kernel) {
  PackNeeds needs = levels.needs;
  const SearchedCells cells = searched_cells(kernel);
  for (const SceneLevel& set : levels.sets) {
    const auto guard = guard_cells(cells.below, cells.above, set.rule.stride());
    for (std::size_t axis = 0; axis < 3; ++axis)
      needs.guard.at(axis) = std::max(needs.guard.at(axis), guard.at(axis));
  }
  return needs;
}

}  // namespace

void add_wide_packing(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.scene == nullptr || facts.scene->pack.word_bits() != 64) return;
  const SceneFacts& scene = *facts.scene;
  const Levels levels = levels_of(*facts.network);
  const auto fitting = packings_that_fit(scene.fit_extent, levels.needs.with_batch(scene.batch));
  const auto narrow = std::find_if(fitting.begin(), fitting.end(),
                                   [](const PackSpec& pack) { return pack.word_bits() == 32; });
  if (narrow == fitting.end()) return;
  constexpr std::int64_t bytes_saved_per_key = 4;
  Advice advice;
  advice.rule = AdviceRule::wide_packing;
  advice.view = AdviceView::scene;
  PackSpec pack = *narrow;
  double gain_ms = 0;
  const SweepRow* row =
      facts.pack_sweep == nullptr ? nullptr : faster_narrow_row(*facts.pack_sweep, scene.pack, gain_ms);
  advice.gain = {GainKind::modelled, 0, bytes_saved_per_key * scene.voxels};
  advice.evidence = "coordinates use 64 bits (" + scene.pack.text() +
                    "), but 32 bits suffice; the packed coordinates of the voxels at stride 1 use " +
                    bytes_text(static_cast<std::uint64_t>(8 * scene.voxels));
  if (row != nullptr) {
    pack = row->pack;
    advice.view = AdviceView::sweeps;
    advice.gain = {GainKind::measured, gain_ms, bytes_saved_per_key * scene.voxels};
    advice.evidence += "; " + pack.text() + " is significantly faster (median of " +
                       std::to_string(row->wall.ms.size()) + " samples)";
  }
  advice.change.pack = pack;
  advice.action = "pack coordinates as " + pack.text();
  all.push_back(std::move(advice));
}

void add_tight_packing(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.scene == nullptr) return;
  const SceneFacts& scene = *facts.scene;
  const Levels levels = levels_of(*facts.network);
  if (!fit(scene.fit_extent, scene.pack, levels.needs).fits()) return;
  for (const int larger : {3, 5, 7}) {
    if (larger <= levels.max_kernel_size) continue;
    const KernelShape kernel = larger_kernel(*facts.network, larger);
    const PackNeeds needs = needs_of_larger_kernels(levels, kernel);
    const Fit wanted = fit(scene.fit_extent, scene.pack, needs);
    if (wanted.fits()) continue;
    const auto axis =
        std::find_if(wanted.axes.begin(), wanted.axes.end(), [](const AxisFit& one) { return !one.fits(); });
    const auto packs = packings_that_fit(scene.fit_extent, needs.with_batch(scene.batch));
    Advice advice;
    advice.rule = AdviceRule::tight_packing;
    advice.view = AdviceView::scene;
    advice.evidence = std::string("the scene has ") + count_text(axis->extent) + " cells along " +
                      axis->axis + "; with K = " + std::to_string(larger) +
                      (kernel.native() ? " and neighbours " + text_of(kernel.neighbourhood) : "") +
                      ", the packing " + scene.pack.text() + " holds only " + count_text(axis->limit) +
                      " cells, so queries at the border could match wrong voxels";
    advice.action = packs.empty()
                        ? "crop the scene before you use a larger kernel"
                        : "use " + packs.front().text() + " for kernels of size " + std::to_string(larger);
    if (!packs.empty()) advice.change.pack = packs.front();
    all.push_back(std::move(advice));
    return;
  }
}

void add_flat_densities(const AdviceFacts& facts, AllAdvice& all) {
  // Densities count as flat if the ratio between the largest and the smallest mean density is below this
  // limit. In scenes with surfaces, the ratio is 2 or more.
  constexpr double flat = 1.5;
  const Levels levels = levels_of(*facts.network);
  std::set<MapKey> seen;
  for (std::size_t at = 0; at < std::min(facts.densities.size(), levels.layers.size()); ++at) {
    const LayerLevels& level = levels.layers[at];
    const Densities* densities = facts.densities[at];
    // A native layer runs weight-stationary, so it has no hybrid dataflow.
    if (densities == nullptr || !level.map.submanifold() || level.transposed || level.map.kernel.native() ||
        !seen.insert(level.map).second)
      continue;
    const auto means = means_beyond_centre(*densities);
    if (!means || means->second >= flat * means->first) continue;
    const int layer = static_cast<int>(at);
    Advice advice;
    advice.rule = AdviceRule::flat_densities;
    advice.view = AdviceView::densities;
    advice.layer = layer;
    advice.evidence = "densities of the map of " + layer_name(facts, layer) + " are between " +
                      percent_text(means->first) + " and " + percent_text(means->second) +
                      " at all L1 norms except 0, as for random points";
    advice.action = "skip hybrid dataflows at stride " + level_text(levels, level.stride_out) +
                    "; compare only t = 0 and t = max";
    all.push_back(std::move(advice));
  }
}

void add_voxels_would_do(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.measurement == nullptr) return;
  NeighbourCounts sum;
  for (const LayerMeasurement& layer : facts.measurement->layers) {
    if (!layer.neighbours) continue;
    sum.triplets += layer.neighbours->triplets;
    sum.groups += layer.neighbours->groups;
    sum.same_column += layer.neighbours->same_column;
  }
  if (!voxels_would_do(sum)) return;
  Advice advice;
  advice.rule = AdviceRule::voxels_would_do;
  advice.view = AdviceView::densities;
  advice.evidence = percent_text(static_cast<double>(sum.same_column) / static_cast<double>(sum.triplets)) +
                    " of the triplets of all native layers are in the columns of the voxel convolution, and "
                    "the fan-in is " +
                    fixed(sum.fan_in(), 2);
  advice.action = "use the neighbours voxels: voxels would do";
  all.push_back(std::move(advice));
}

}  // namespace spira

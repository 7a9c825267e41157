// Rules of advice about the scene: the packing of its coordinates and the densities of its offsets.
#include "engine/base/text.hpp"
#include "engine/report/advice/advice_rules.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <set>

namespace spira {
namespace {

/// Returns the fastest row of a packing sweep that uses 32 bits and is significantly faster than `pack`.
/// Sets `gain_ms` to its gain. Returns `nullptr` if there is no such row.
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

/// Returns the smallest and the largest mean density of the L1 norms, without the centre. Returns an empty
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

}  // namespace

void add_wide_packing(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.scene == nullptr || facts.scene->pack.word_bits() != 64) return;
  const SceneFacts& scene = *facts.scene;
  const Levels levels = levels_of(*facts.network);
  const auto fitting = packings_that_fit(scene.fit_extent, levels.max_kernel_size, levels.max_stride);
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
                    "), but 32 bits suffice; keys of stride 1 use " +
                    bytes_text(static_cast<std::uint64_t>(8 * scene.voxels));
  if (row != nullptr) {
    pack = row->pack;
    advice.view = AdviceView::sweeps;
    advice.gain = {GainKind::measured, gain_ms, bytes_saved_per_key * scene.voxels};
    advice.evidence += "; " + pack.text() + " is significantly faster (median of " +
                       std::to_string(row->wall.ms.size()) + ")";
  }
  advice.change.pack = pack;
  advice.action = "pack coordinates as " + pack.text();
  all.push_back(std::move(advice));
}

void add_tight_packing(const AdviceFacts& facts, AllAdvice& all) {
  if (facts.scene == nullptr) return;
  const SceneFacts& scene = *facts.scene;
  const Levels levels = levels_of(*facts.network);
  if (!fit(scene.fit_extent, scene.pack, levels.max_kernel_size, levels.max_stride).fits()) return;
  for (const int larger : {3, 5, 7}) {
    if (larger <= levels.max_kernel_size) continue;
    const Fit wanted = fit(scene.fit_extent, scene.pack, larger, levels.max_stride);
    if (wanted.fits()) continue;
    const auto axis =
        std::find_if(wanted.axes.begin(), wanted.axes.end(), [](const AxisFit& one) { return !one.fits(); });
    const auto packs = packings_that_fit(scene.fit_extent, larger, levels.max_stride);
    Advice advice;
    advice.rule = AdviceRule::tight_packing;
    advice.view = AdviceView::scene;
    advice.evidence = std::string("the scene has ") + count_text(axis->extent) + " cells along " +
                      axis->axis + "; with K = " + std::to_string(larger) + " " + scene.pack.text() +
                      " holds " + count_text(axis->limit) +
                      ", so offsets at the border would alias other voxels";
    advice.action = packs.empty()
                        ? "crop the scene before a larger kernel is used"
                        : "use " + packs.front().text() + " for kernels of size " + std::to_string(larger);
    if (!packs.empty()) advice.change.pack = packs.front();
    all.push_back(std::move(advice));
    return;
  }
}

void add_flat_densities(const AdviceFacts& facts, AllAdvice& all) {
  // Highest mean density divided by lowest mean density. Scenes with surfaces reach 2 and more.
  constexpr double flat = 1.5;
  const Levels levels = levels_of(*facts.network);
  std::set<MapKey> seen;
  for (std::size_t at = 0; at < std::min(facts.densities.size(), levels.layers.size()); ++at) {
    const LayerLevels& level = levels.layers[at];
    const Densities* densities = facts.densities[at];
    if (densities == nullptr || !level.map.submanifold() || level.transposed ||
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
                      " at all L1 norms outside the centre, as in random noise";
    advice.action =
        "skip hybrids at stride " + std::to_string(level.stride_out) + ": only t = 0 and t = max can differ";
    all.push_back(std::move(advice));
  }
}

}  // namespace spira

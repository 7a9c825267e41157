// How a measured network spends its time and its memory: stages alone against stages side by side, and the
// maps that are held. Pure functions of a measurement; nothing is measured here.
#pragma once

#include "engine/network/levels.hpp"
#include "engine/run/measurement.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A piece of the timeline beside the same stage taken alone. Where a compiled network makes its maps in
/// another way than layer by layer, the two differ by that as well.
struct StageRatio {
  std::string stage;
  int track = 0;
  double in_situ_ms = 0, isolated_ms = 0;  ///< medians
  [[nodiscard]] double ratio() const noexcept { return in_situ_ms / isolated_ms; }
};
/// Of all spans in no other that were also taken alone, in the order of the timeline. Empty where nothing ran
/// side by side.
[[nodiscard]] std::vector<StageRatio> stage_ratios(const Measurement& measurement);

/// Of voxels, levels and maps; else of features, or of their input.
[[nodiscard]] bool is_indexing(std::string_view stage) noexcept;

/// Part of a timeline: its spans in no other, of the stages that `indexing` says.
struct TimelinePart {
  int spans = 0;
  double sum_ms = 0;                ///< of their lengths
  double begin_ms = 0, end_ms = 0;  ///< of the first and of the last
  [[nodiscard]] double wall_ms() const noexcept { return end_ms - begin_ms; }
  [[nodiscard]] double overlap_factor() const noexcept { return wall_ms() > 0 ? sum_ms / wall_ms() : 0; }
};
/// Voxels, levels and maps; or features, with their input.
[[nodiscard]] TimelinePart timeline_part(const Timeline& timeline, bool indexing);

/// A kernel map of the network, and the layers that read it.
struct HeldMap {
  std::string name;  ///< of the layer that builds it
  std::size_t bytes = 0;
  int first_layer = 0, last_layer = 0;
};
struct MapMemory {
  std::vector<HeldMap> maps;
  /// [layers], bytes that are held while the features of a layer are computed, each map given back after the
  /// last layer that reads it: built at its first layer, or all before the first layer.
  std::vector<std::size_t> layer_by_layer, network_wide;
  [[nodiscard]] std::size_t total_bytes() const;
};
/// From the sizes that the run found.
[[nodiscard]] MapMemory map_memory(const Network& network, const Measurement& measurement);

}  // namespace spira

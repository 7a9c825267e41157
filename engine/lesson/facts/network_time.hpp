// Time and memory of a measured network: stages in situ compared with isolated stages, and the kernel maps
// held in memory. All functions are pure functions of a measurement.
#pragma once

#include "engine/network/levels.hpp"
#include "engine/run/measurement.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// One span of the timeline compared with the same stage timed in isolation. A compiled network may build its
/// maps in another way than layer by layer; the ratio then includes this difference.
struct StageRatio {
  StageKey stage;
  int track = 0;
  double in_situ_ms = 0, isolated_ms = 0;  ///< medians
  [[nodiscard]] double ratio() const noexcept { return in_situ_ms / isolated_ms; }
};
/// Returns the ratios of all top-level spans that were also timed in isolation, in the order of the timeline.
/// Returns an empty list if the timeline was not measured in situ.
[[nodiscard]] std::vector<StageRatio> stage_ratios(const Measurement& measurement);

/// Returns true for stages of voxels, levels and maps. The other stages compute features or their input.
[[nodiscard]] bool is_indexing(const StageKey& stage) noexcept;

/// Summary of the top-level indexing spans of a timeline, or of its top-level feature spans.
struct TimelinePart {
  int spans = 0;
  double sum_ms = 0;                ///< sum of the span lengths
  double begin_ms = 0, end_ms = 0;  ///< start of the first span and end of the last one
  [[nodiscard]] double wall_ms() const noexcept { return end_ms - begin_ms; }
  [[nodiscard]] double overlap_factor() const noexcept { return wall_ms() > 0 ? sum_ms / wall_ms() : 0; }
};
/// Summarizes voxels, levels and maps if `indexing` is true, else features and their input.
[[nodiscard]] TimelinePart timeline_part(const Timeline& timeline, bool indexing);

/// A kernel map of the network, and the layers that read it.
struct HeldMap {
  std::string name;  ///< name of the layer that builds the map
  std::size_t bytes = 0;
  int first_layer = 0, last_layer = 0;
};
struct MapMemory {
  std::vector<HeldMap> maps;
  /// Bytes of the maps held while a layer computes its features. Each map is freed after the last layer that
  /// reads it. `layer_by_layer` builds a map at its first layer; `network_wide` builds all maps before the
  /// first layer. Shape: `[layers]`.
  std::vector<std::size_t> layer_by_layer, network_wide;
  [[nodiscard]] std::size_t total_bytes() const;
};
/// Uses the map sizes of the measured run.
[[nodiscard]] MapMemory map_memory(const Network& network, const Measurement& measurement);

}  // namespace spira

// Computes the order of the stages of a network: the dependencies of each stage, and the serial order without
// overlap.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/network/network.hpp"
#include "engine/run/measurement.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns for each layer the index of the layer that builds its kernel map. This is the layer itself, or an
/// earlier layer with the same map. Shape: `[layers]`.
[[nodiscard]] std::vector<int> map_builders(const Network& network, const Plan& plan);

struct StageNeeds {
  StageKey stage;
  std::vector<StageKey> needs;
};
enum class LevelOrder : std::uint8_t {
  step_by_step,  ///< Each level is computed from the previous level.
  closed_form    ///< Each level is computed from level 0.
};
/// Returns all stages. Each stage comes after the stages on which it depends.
[[nodiscard]] std::vector<StageNeeds> stage_needs(const Network& network, const Plan& plan, LevelOrder order);
/// Returns the stages of stage_needs() without the stages of features, because the level order does not
/// change their dependencies.
[[nodiscard]] std::vector<StageNeeds> indexing_needs(const Network& network, const Plan& plan,
                                                     LevelOrder order);
/// Returns the number of stages in the longest chain of dependencies.
[[nodiscard]] int longest_wait(const std::vector<StageNeeds>& stages);

/// Returns a timeline in which the isolated stages follow one another, layer by layer. Diagrams show it next
/// to a timeline in which stages overlap. Its wall time is not measured; it is the sum of the medians of the
/// stages. The timeline has no spans if no stage was timed in isolation.
[[nodiscard]] Timeline serial_timeline(const Measurement& measurement);

// The declarations below compute times and memory of a measured network: in-situ times of stages compared
// with isolated times, and the kernel maps in memory. The functions use only the measurement.

/// The in-situ time of one stage compared with its isolated time. If a compiled network builds its maps
/// differently from a layer-by-layer run, the ratio includes this difference.
struct StageRatio {
  StageKey stage;
  int track = 0;
  double in_situ_ms = 0, isolated_ms = 0;  ///< Medians.
  [[nodiscard]] double ratio() const noexcept { return in_situ_ms / isolated_ms; }
};
/// Returns the ratios of all top-level spans that were also timed in isolation, in the order of the timeline.
/// Returns an empty list if the timeline was not measured in situ.
[[nodiscard]] std::vector<StageRatio> stage_ratios(const Measurement& measurement);

/// Returns true if the stage computes voxels, levels or maps. Other stages compute features or their input.
[[nodiscard]] bool is_indexing(const StageKey& stage) noexcept;

/// Sums over some of the top-level spans of a timeline: either the spans of indexing or the spans of
/// features.
struct TimelinePart {
  int spans = 0;
  double sum_ms = 0;
  double begin_ms = 0, end_ms = 0;  ///< The start of the first span and the end of the last span.
  [[nodiscard]] double wall_ms() const noexcept { return end_ms - begin_ms; }
  [[nodiscard]] double overlap_factor() const noexcept { return wall_ms() > 0 ? sum_ms / wall_ms() : 0; }
};
/// Adds up spans of a timeline. If `indexing` is true, includes the stages that compute voxels, levels and
/// maps. Otherwise, includes the stages that compute features and the input features.
[[nodiscard]] TimelinePart timeline_part(const Timeline& timeline, bool indexing);

struct HeldMap {
  std::string name;  ///< The name of the layer that builds the map.
  std::size_t bytes = 0;
  int first_layer = 0, last_layer = 0;
};
struct MapMemory {
  std::vector<HeldMap> maps;
  /// Bytes of the maps that are in memory while a layer computes its features. A map is freed after the last
  /// layer that reads it. In `layer_by_layer`, each map is built at the first layer that needs it. In
  /// `network_wide`, all maps are built before the first layer. Shape: `[layers]`.
  std::vector<std::size_t> layer_by_layer, network_wide;
  [[nodiscard]] std::size_t total_bytes() const;
};
/// Returns the memory of the maps. Computes it from the sizes of the maps in the measured run.
[[nodiscard]] MapMemory map_memory(const Network& network, const Measurement& measurement);

}  // namespace spira

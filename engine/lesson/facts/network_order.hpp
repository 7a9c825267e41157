// Computes the order of the stages of a network: the dependencies of each stage, and the serial order, in
// which no two stages overlap.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/network/network.hpp"
#include "engine/run/measurement.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns, for each layer, the index of the layer that builds its kernel map: the layer itself, or an
/// earlier layer with the same map. Shape: `[layers]`.
[[nodiscard]] std::vector<int> map_builders(const Network& network, const Plan& plan);

struct StageNeeds {
  StageKey stage;
  std::vector<StageKey> needs;
};
enum class LevelOrder : std::uint8_t {
  step_by_step,  ///< each level is computed from the previous level
  closed_form    ///< each level is computed from level 0
};
/// Returns all stages in an order in which each stage follows its dependencies.
[[nodiscard]] std::vector<StageNeeds> stage_needs(const Network& network, const Plan& plan, LevelOrder order);
/// Returns the result of stage_needs() without the stages of features. The level order does not change the
/// dependencies of these stages.
[[nodiscard]] std::vector<StageNeeds> indexing_needs(const Network& network, const Plan& plan,
                                                     LevelOrder order);
/// Returns the number of stages in the longest dependency chain.
[[nodiscard]] int longest_wait(const std::vector<StageNeeds>& stages);

/// Returns a timeline with the isolated stages one after another, layer by layer, for comparison with a
/// timeline in which stages overlap. The wall time of this timeline is not measured: it is the sum of the
/// stage medians. Returns a timeline without spans if no stage was timed in isolation.
[[nodiscard]] Timeline serial_timeline(const Measurement& measurement);

// Computes the times and the memory of a measured network: stages in situ compared with isolated stages, and
// the kernel maps in memory. All functions are pure functions of a measurement.

/// The time of one stage in situ, compared with its isolated time. If a compiled network does not build its
/// maps layer by layer, the ratio includes this difference.
struct StageRatio {
  StageKey stage;
  int track = 0;
  double in_situ_ms = 0, isolated_ms = 0;  ///< medians
  [[nodiscard]] double ratio() const noexcept { return in_situ_ms / isolated_ms; }
};
/// Returns the ratios of all top-level spans that were also timed in isolation, in timeline order. Returns
/// an empty list if the timeline was not measured in situ.
[[nodiscard]] std::vector<StageRatio> stage_ratios(const Measurement& measurement);

/// Returns true if the stage computes voxels, levels or maps. All other stages compute features or their
/// input.
[[nodiscard]] bool is_indexing(const StageKey& stage) noexcept;

/// Summary of the top-level spans of indexing, or of the top-level spans of features, in a timeline.
struct TimelinePart {
  int spans = 0;
  double sum_ms = 0;
  double begin_ms = 0, end_ms = 0;  ///< start of the first span and end of the last span
  [[nodiscard]] double wall_ms() const noexcept { return end_ms - begin_ms; }
  [[nodiscard]] double overlap_factor() const noexcept { return wall_ms() > 0 ? sum_ms / wall_ms() : 0; }
};
/// Summarizes the stages of voxels, levels and maps if `indexing` is true, else the stages of features and
/// their input.
[[nodiscard]] TimelinePart timeline_part(const Timeline& timeline, bool indexing);

struct HeldMap {
  std::string name;  ///< name of the layer that builds the map
  std::size_t bytes = 0;
  int first_layer = 0, last_layer = 0;
};
struct MapMemory {
  std::vector<HeldMap> maps;
  /// Bytes of the maps that are in memory while a layer computes its features. A map is freed after the last
  /// layer that reads it. `layer_by_layer` is for maps that are built at their first layer, and
  /// `network_wide` for maps that are all built before the first layer. Shape: `[layers]`.
  std::vector<std::size_t> layer_by_layer, network_wide;
  [[nodiscard]] std::size_t total_bytes() const;
};
/// Returns the memory of the maps, computed from the map sizes of the measured run.
[[nodiscard]] MapMemory map_memory(const Network& network, const Measurement& measurement);

}  // namespace spira

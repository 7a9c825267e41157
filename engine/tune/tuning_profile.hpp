// A tuning profile contains all measured times by shape, setting and scene, and the choices computed from
// them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/network.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/tune/choice.hpp"
#include "engine/tune/scene_densities.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Properties that determine the cost of a layer. Layers of the same shape are measured only once.
struct LayerShape {
  int kernel_size = 3, stride_in = 1, stride_out = 1, in_channels = 0, out_channels = 0;
  [[nodiscard]] bool transposed() const noexcept { return stride_in > stride_out; }
  [[nodiscard]] std::string text() const;  ///< returns a text such as "3x3x3 1>2 32->64"
  auto operator<=>(const LayerShape&) const = default;
};
[[nodiscard]] LayerShape shape_of(const Layer& layer, const LayerLevels& levels);

struct LevelSize {
  int stride = 1;
  std::int64_t voxels = 0;
};
struct TunedScene {
  std::string name;
  /// Hash of the voxels of stride 1, which does not depend on the packing. The profile does not store
  /// coordinates.
  std::uint64_t fingerprint = 0;
  std::int64_t points = 0;
  std::array<double, 3> voxel_m{};
  PackSpec pack;  ///< packing that was used to measure the features
  double weight = 1;
  std::optional<SceneDensities> densities;  ///< empty if the profile does not contain them
  std::vector<LevelSize> levels;            ///< in ascending order of stride
  /// Returns the number of voxels of the level, or 0 if the scene has no level of this stride.
  [[nodiscard]] std::int64_t voxels(int stride) const;
};

// Each record contains the samples of one key and setting. `scene` is an index into TuningProfile::scenes.

struct FeatureRecord {
  int scene = 0;
  LayerShape shape;
  int threshold = 0;
  std::vector<double> ms;
  bool dropped = false;
  OutputDifference output;  ///< difference from the output with t = max
};
struct MapRecord {
  int scene = 0;
  MapKey map;
  PackSpec pack;
  int threshold = 0;
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<double> ms;
  bool dropped = false;
};
struct IndexingRecord {
  int scene = 0;
  PackSpec pack;
  std::vector<double> ms;  ///< times of voxelization and all levels
  std::string why_not;     ///< reason why the packing does not fit the scene; empty if it fits
};

struct TunedShape {
  LayerShape shape;
  std::vector<std::string> layers;  ///< names of the layers, in network order
  ShapeChoice choice;
  std::vector<int> scene_thresholds;         ///< threshold for each scene alone; -1 if it was not measured
  std::int64_t rows_low = 0, rows_high = 0;  ///< smallest and largest number of outputs over the scenes
};
/// Additional cost of a set of choices on a scene, compared with the choices for that scene alone.
struct Regret {
  double share = 0;  ///< ratio of the medians, minus 1
  /// True if the regret is not distinguishable from zero. Empty if the file does not contain this value.
  std::optional<bool> tied = false;
};
struct TunedPacking {
  std::optional<PackSpec> pack;  ///< selected packing; if empty, each scene uses its own packing
  ChoiceReason why = ChoiceReason::only_setting;
  /// Times of indexing and maps, with the selected packing and with the best other packing. `others_ms` is 0
  /// if only one packing was measured.
  double median_ms = 0, others_ms = 0;
};
struct PlanCheck {
  int scene = 0;
  OutputDifference output;  ///< difference from the output of the whole network with t = max
  /// Reason why this plan cannot run as one graph on a GPU, although t = max can.
  std::string not_compiled;
  /// Interleaved times of the whole network, including the indexing of the points.
  Samples tuned, all_output_stationary, all_weight_stationary;
  /// Times of t = max as one graph, interleaved with the other times. Empty if t = max cannot run as one
  /// graph, or if the tuned plan can.
  Samples one_graph;
  /// Times of the choices of single layers, if they were slower than `one_graph` and were replaced.
  Samples layer_picks;
};

/// Limits for using a profile on a scene that was not measured. docs/tuning.md explains the values.
struct ProfileValidity {
  double outputs_factor = 2;  ///< maximum ratio, in both directions, of the outputs of a layer and the
                              ///< measured outputs of its shape
  /// If the densities differ by more than this distance, the profile is used with a note.
  double density_distance_limit = 0.16;
};

struct TuningProfile {
  std::string created, tool_version;
  std::vector<std::string> command;
  DeviceFacts device;
  std::string network;
  std::uint64_t network_fingerprint = 0;
  Precision precision = Precision::fp32;
  SamplingProtocol protocol;
  double budget_ms = 0;
  /// Empty if all series were completed. Otherwise "budget" or "interrupted".
  std::string stopped;
  ProfileValidity validity;
  std::vector<TunedScene> scenes;
  std::vector<FeatureRecord> features;
  std::vector<MapRecord> maps;
  std::vector<IndexingRecord> indexing;
  // The members below are results of decide().
  TunedPacking packing;
  std::vector<TunedShape> choices;
  std::vector<std::string> undecided;  ///< names of layers that were not measured
  /// `[choices for][run on]`. The last row contains the choices for all scenes. Empty if not measured.
  std::vector<std::vector<std::optional<Regret>>> regret;
  std::vector<PlanCheck> checks;
};

[[nodiscard]] std::uint64_t fingerprint_of(const Network& network);

/// Computes choices, packing, undecided layers and regret from the records, for the layers of the network.
void decide(TuningProfile& profile, const Network& network);

[[nodiscard]] std::string profile_json(const TuningProfile& profile);
void write_profile(const std::filesystem::path& file, const TuningProfile& profile);
/// Throws `Error(input)` if the profile is not valid, such as "FILE: features[3].t: -1; expected ...".
[[nodiscard]] TuningProfile parse_profile(std::string_view json, const std::string& file_name);
[[nodiscard]] TuningProfile read_profile(const std::filesystem::path& file);
/// Returns true if the file is a tuning profile, for options that accept plans and profiles. Returns false
/// if the file is not valid JSON.
[[nodiscard]] bool looks_like_profile(const std::filesystem::path& file);

/// Sets t = max for all layers if the choices of single layers prevent one graph, and the graph of t = max
/// is significantly faster on every checked scene. The times of the replaced choices are kept in
/// PlanCheck::layer_picks. Returns false if nothing was changed.
bool prefer_one_graph(TuningProfile& profile);

/// Returns the time of the tuned network divided by the time of a plain network, as a ratio of medians with
/// its 95 % interval. Times of all checked scenes are added round by round, multiplied by the weights of the
/// scenes. If only one scene was checked, all its samples are used. `plain` must be all_output_stationary or
/// all_weight_stationary. Returns an empty value if the plans were not timed or have too few rounds.
[[nodiscard]] std::optional<MedianRatio> expected_gain(const TuningProfile& profile,
                                                       Samples PlanCheck::*plain);

/// The scene of a profile whose densities are nearest to other densities.
struct NearestScene {
  int scene = 0;
  double distance = 0;  ///< result of density_distance()
};
/// Returns the scene whose densities are nearest to the given densities. Only scenes with a positive weight
/// are considered. Returns an empty value if the profile does not contain densities.
[[nodiscard]] std::optional<NearestScene> nearest_scene(const TuningProfile& profile,
                                                        const SceneDensities& densities);

}  // namespace spira

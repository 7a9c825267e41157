// A tuning profile: all measured times by shape, setting and scene, and the choices that follow from them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/levels.hpp"
#include "engine/run/verify/output_difference.hpp"
#include "engine/tune/choice.hpp"
#include "engine/tune/scene_densities.hpp"
#include "engine/voxel/features.hpp"
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

/// Properties that determine the cost of a layer. Layers of one shape are measured once.
struct LayerShape {
  int kernel_size = 3, stride_in = 1, stride_out = 1, in_channels = 0, out_channels = 0;
  [[nodiscard]] bool transposed() const noexcept { return stride_in > stride_out; }
  [[nodiscard]] std::string text() const;  ///< returns "3x3x3 1>2 32->64"
  auto operator<=>(const LayerShape&) const = default;
};
[[nodiscard]] LayerShape shape_of(const Layer& layer, const LayerLevels& levels);

struct LevelSize {
  int stride = 1;
  std::int64_t voxels = 0;
};
struct TunedScene {
  std::string name;
  /// Hash of the voxels of stride 1, independent of the packing. The profile does not store coordinates.
  std::uint64_t fingerprint = 0;
  std::int64_t points = 0;
  std::array<double, 3> voxel_m{};
  PackSpec pack;  ///< packing with which the features were measured
  double weight = 1;
  std::optional<SceneDensities> densities;  ///< empty if the profile did not store them
  std::vector<LevelSize> levels;            ///< ascending strides
  /// Returns 0 if the scene lacks a level of this stride.
  [[nodiscard]] std::int64_t voxels(int stride) const;
};

// Records: one for each key and setting. `scene` is an index into TuningProfile::scenes.
struct FeatureRecord {
  int scene = 0;
  LayerShape shape;
  int threshold = 0;
  std::vector<double> ms;
  bool dropped = false;
  OutputDifference output;  ///< output of the layer compared with t = max
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
  std::string why_not;     ///< reason why the packing does not fit the scene
};

struct TunedShape {
  LayerShape shape;
  std::vector<std::string> layers;  ///< layers of the network, in its order
  ShapeChoice choice;
  std::vector<int> scene_thresholds;  ///< the choice for each scene alone; -1 if the scene has no measurement
  std::int64_t rows_low = 0, rows_high = 0;  ///< range of the outputs in the scenes
};
/// Additional cost of choices on a scene, compared with the choices made for that scene.
struct Regret {
  double share = 0;  ///< ratio of the medians, minus 1
  /// True if the regret is not distinguishable from zero. Empty if a file did not contain it.
  std::optional<bool> tied = false;
};
struct TunedPacking {
  std::optional<PackSpec> pack;  ///< chosen packing; if empty, each scene keeps its packing
  ChoiceReason why = ChoiceReason::only_setting;
  /// Times of indexing and maps with this packing and with the best other packing. `others_ms` is 0 if only
  /// one packing was measured.
  double median_ms = 0, others_ms = 0;
};
struct PlanCheck {
  int scene = 0;
  OutputDifference output;  ///< output of the whole network compared with t = max
  /// On a GPU, the reason why this plan cannot run as one graph although t = max can.
  std::string not_compiled;
  /// Interleaved times of the whole network, including the indexing of the points.
  Samples tuned, all_output_stationary, all_weight_stationary;
  /// Times of t = max as one graph, interleaved with the others. Empty if t = max cannot run as one graph,
  /// or if the tuned plan can.
  Samples one_graph;
  /// Replaces `tuned` if the choices of single layers were slower than `one_graph`.
  Samples layer_picks;
};

/// Limits for using a profile on a scene on which it was not measured. docs/tuning.md gives the reasons.
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
  /// "" if all series were completed, "budget" or "interrupted".
  std::string stopped;
  ProfileValidity validity;
  std::vector<TunedScene> scenes;
  std::vector<FeatureRecord> features;
  std::vector<MapRecord> maps;
  std::vector<IndexingRecord> indexing;
  // Results of decide().
  TunedPacking packing;
  std::vector<TunedShape> choices;
  std::vector<std::string> undecided;  ///< layers without a measurement
  /// `[picked for][run on]`. The last row is the profile's choice for all scenes. Empty if not measured.
  std::vector<std::vector<std::optional<Regret>>> regret;
  std::vector<PlanCheck> checks;
};

[[nodiscard]] std::uint64_t fingerprint_of(const Network& network);

/// Computes choices, packing, undecided and regret from the records, for the layers of the profile's network.
void decide(TuningProfile& profile, const Network& network);

[[nodiscard]] std::string profile_json(const TuningProfile& profile);
void write_profile(const std::filesystem::path& file, const TuningProfile& profile);
/// Throws `Error(input)` if the profile is not valid: "FILE: features[3].t: -1; expected ...".
[[nodiscard]] TuningProfile parse_profile(std::string_view json, const std::string& file_name);
[[nodiscard]] TuningProfile read_profile(const std::filesystem::path& file);
/// Checks the schema of a file, for options that accept plans and profiles. Returns false if the file is not
/// valid JSON.
[[nodiscard]] bool looks_like_profile(const std::filesystem::path& file);

/// Sets t = max for all layers if the choices of single layers prevent one graph, and the graph of t = max is
/// significantly faster on every checked scene. The times of the single choices remain in
/// PlanCheck::layer_picks. Returns false if nothing was changed.
bool prefer_one_graph(TuningProfile& profile);

/// Returns the ratio of the medians of the tuned network and a plain network, with its 95 % interval. The
/// times of all checked scenes are added round by round, weighted by scene. If only one scene was checked,
/// all its samples are used. `plain` must be all_output_stationary or all_weight_stationary. Returns an empty
/// value if the plans were not timed or have too few rounds.
[[nodiscard]] std::optional<MedianRatio> expected_gain(const TuningProfile& profile,
                                                       Samples PlanCheck::*plain);

/// Scene of a profile with the nearest densities.
struct NearestScene {
  int scene = 0;
  double distance = 0;  ///< density_distance()
};
/// Returns the scene of a profile whose densities are nearest to the given densities. Only scenes with a
/// positive weight are considered. Returns an empty value if the profile does not contain their densities.
[[nodiscard]] std::optional<NearestScene> nearest_scene(const TuningProfile& profile,
                                                        const SceneDensities& densities);

}  // namespace spira

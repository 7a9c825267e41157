// Defines TuningProfile, which contains all measured times by shape, setting and scene, and the choices that
// are computed from them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/network.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/scene/shard.hpp"
#include "engine/tune/choice.hpp"
#include "engine/tune/scene_densities.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "engine/voxel/positions.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns the cells of a kernel and its native neighbourhood, such as "3x3x3" or "3x3x3 ball".
[[nodiscard]] std::string kernel_shape_text(const KernelShape& kernel);

/// The properties of a layer that determine its cost. Layers with the same shape are measured only once.
struct LayerShape {
  KernelShape kernel;
  int stride_in = 1, stride_out = 1;  ///< The numbers of the levels (see SceneLevel).
  int in_channels = 0, out_channels = 0;
  bool transposed = false;
  LayerOp op = LayerOp::convolution;  ///< Other operations have no settings, so profiles do not contain them.
  /// Returns a text such as "3x3x3 1>2 32->64". `levels` must contain the levels of the shape. Levels whose
  /// number is their stride can be missing.
  [[nodiscard]] std::string text(std::span<const SceneLevel> levels) const;
  auto operator<=>(const LayerShape&) const = default;
};
[[nodiscard]] LayerShape shape_of(const Layer& layer, const LayerLevels& levels);

struct LevelSize {
  int stride = 1;
  std::int64_t voxels = 0;
};
struct TunedScene {
  std::string name;
  /// Hash of the voxels of stride 1, in a batch with their frames. It identifies the scene, because the
  /// profile contains no coordinates. It does not depend on the packing.
  std::uint64_t fingerprint = 0;
  std::int64_t points = 0;
  LengthUnit unit = LengthUnit::metres;  ///< Unit of `voxel_m`.
  std::array<double, 3> voxel_m{};
  PositionKind positions = PositionKind::nearest;  ///< The positions that native layers read.
  int batch = 1;                                   ///< Number of frames that ran together.
  /// The packing with which the features were measured. The packings of a profile have no batch index: its
  /// width follows from the number of frames.
  PackSpec pack;
  double weight = 1;
  std::optional<SceneDensities> densities;  ///< Empty if the profile does not contain them.
  std::vector<LevelSize> levels;            ///< In ascending order of strides.
  /// Returns the number of voxels of a level, or 0 if the scene has no level with this stride.
  [[nodiscard]] std::int64_t voxels(int stride) const;
};

// The records below contain the samples of one setting. `scene` is an index into TuningProfile::scenes.

struct FeatureRecord {
  int scene = 0;
  LayerShape shape;
  LayerSetting setting;
  std::vector<double> ms;
  bool dropped = false;
  OutputDifference output;  ///< Difference from the output for t = max.
  LayerPass pass = LayerPass::forward;
};
/// The samples contain the time to build the map, and to create the row orders that the layers of this map
/// need. The row orders are created once for each map, like the map itself.
struct MapRecord {
  int scene = 0;
  MapKey map;
  PackSpec pack;
  LayerSetting setting;  ///< A result of LayerSetting::of_map().
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<double> ms;
  bool dropped = false;
};
struct IndexingRecord {
  int scene = 0;
  PackSpec pack;
  std::vector<double> ms;  ///< Times of the voxelization and of building all levels.
  std::string why_not;     ///< The reason why the packing does not fit the scene. Empty if it fits.
};

struct TunedShape {
  LayerShape shape;
  std::vector<std::string> layers;  ///< Names of the layers, in network order.
  ShapeChoice choice;
  /// The best setting for each scene, if only this scene is considered. Empty if the scene was not measured.
  std::vector<std::optional<LayerSetting>> scene_settings;
  std::int64_t rows_low = 0, rows_high = 0;  ///< Smallest and largest number of outputs over all scenes.
  /// The choices for the backward passes. Empty unless TuningProfile::training is set and the pass exists.
  std::optional<ShapeChoice> dgrad{}, wgrad{};
};
/// The regret is the additional time of a scene if it uses other choices than the choices that are best for
/// this scene alone.
struct Regret {
  double share = 0;  ///< Ratio of the medians, minus 1.
  /// True if the regret is not distinguishable from zero. Empty if the file does not state this.
  std::optional<bool> tied = false;
};
struct TunedPacking {
  std::optional<PackSpec> pack;  ///< The selected packing. If empty, each scene uses its own packing.
  ChoiceReason why = ChoiceReason::only_setting;
  /// Times of indexing and maps: with the selected packing, and with the best of the other packings.
  /// `others_ms` is 0 if only one packing was measured.
  double median_ms = 0, others_ms = 0;
};
struct PlanCheck {
  int scene = 0;
  OutputDifference output;  ///< Difference from the output of the whole network for t = max.
  /// The reason why this plan cannot run as one graph on a GPU, although t = max for all layers can.
  std::string not_compiled;
  /// Interleaved times of the whole network, including the indexing of the points.
  Samples tuned, all_output_stationary, all_weight_stationary;
  /// Times of t = max as one graph, interleaved with the other times. Empty if t = max cannot run as one
  /// graph, or if the tuned plan can also run as one graph.
  Samples one_graph;
  /// Times with the choices that were best for the single layers. Set only if t = max as one graph was faster
  /// and replaced these choices.
  Samples layer_picks;
};

/// Limits for the use of a profile on a scene that was not measured. docs/tuning.md explains the values.
struct ProfileValidity {
  /// The largest allowed ratio between the number of outputs of a layer and the number of outputs of its
  /// tuned shape, in either direction.
  double outputs_factor = 2;
  /// If the densities of the scene and of the profile differ by more than this distance, the profile is still
  /// used, but a note warns the user.
  double density_distance_limit = 0.16;
};

struct TuningProfile {
  std::string created, tool_version;
  std::vector<std::string> command;
  DeviceFacts device;
  std::string network;
  std::uint64_t network_fingerprint = 0;
  /// The levels of the network whose number is not their stride. The level numbers in shapes and maps refer
  /// to this list, because a number can mean different levels in different networks.
  std::vector<SceneLevel> levels;
  Precision precision = Precision::fp32;
  /// True if the choices are for training steps: all passes are chosen together, and the checks time steps.
  bool training = false;
  SamplingProtocol protocol;
  double budget_ms = 0;
  /// Empty if all measurements were completed. Otherwise "budget" or "interrupted".
  std::string stopped;
  ProfileValidity validity;
  /// If it is set, `scenes` are frames of this shard of a folder, in order.
  std::optional<Shard> shard;
  std::vector<TunedScene> scenes;
  std::vector<FeatureRecord> features;
  std::vector<MapRecord> maps;
  std::vector<IndexingRecord> indexing;
  // decide() computes the members below.
  TunedPacking packing;
  std::vector<TunedShape> choices;
  std::vector<std::string> undecided;  ///< Names of the layers that were not measured.
  /// The first index is the scene for which the choices were made; a last row contains the choices for all
  /// scenes. The second index is the scene on which they run. Empty if not measured.
  std::vector<std::vector<std::optional<Regret>>> regret;
  std::vector<PlanCheck> checks;
};

[[nodiscard]] std::uint64_t fingerprint_of(const Network& network);
/// Throws `Error(usage)` if the profile belongs to a different network.
void require_network(const TuningProfile& profile, const Network& network);
/// Returns the levels for TuningProfile::levels.
[[nodiscard]] std::vector<SceneLevel> numbered_levels(const Levels& levels);

/// Computes the choices, the packing, the undecided layers and the regret from the records, for the layers of
/// the network.
void decide(TuningProfile& profile, const Network& network);

[[nodiscard]] std::string profile_json(const TuningProfile& profile);
void write_profile(const std::filesystem::path& file, const TuningProfile& profile);
/// Reads a profile. Throws `Error(input)` if it is not valid, with a message such as "FILE: features[3].t:
/// -1; expected ...".
[[nodiscard]] TuningProfile parse_profile(std::string_view json, const std::string& file_name);
[[nodiscard]] TuningProfile read_profile(const std::filesystem::path& file);
/// Returns true if the file is a tuning profile. Used by options that accept both plans and profiles. Returns
/// false if the file is not valid JSON.
[[nodiscard]] bool looks_like_profile(const std::filesystem::path& file);

struct ProfileFile {
  std::string file;
  TuningProfile profile;
};
/// Merges the profiles of all shards of a folder: appends their records, in the order of the frames, and
/// computes the choices and the regret again. The result has no checks, because the plans of the shards were
/// checked, not the new plan. If `partial` is true, shards and scenes may be missing, and the result is
/// marked as interrupted. Throws `Error(input)` if the device, the network or a setting differs, if a shard
/// is missing, or if a scene occurs twice. Throws the errors of require_network().
[[nodiscard]] TuningProfile merge_profiles(const std::vector<ProfileFile>& parts, const Network& network,
                                           bool partial);

/// Sets t = max for all layers if this is faster. This is the case if the network with the choices of the
/// single layers cannot run as one graph, and t = max as one graph is significantly faster on every checked
/// scene. PlanCheck::layer_picks keeps the times of the replaced choices. Returns false if nothing was
/// changed.
bool prefer_one_graph(TuningProfile& profile);

/// Returns the time of the tuned network divided by the time of an untuned network, as a ratio of medians
/// with its 95 % interval. The times of all checked scenes are multiplied by the weights of the scenes and
/// added round by round. If only one scene was checked, all its samples are used. `plain` must be
/// all_output_stationary or all_weight_stationary. Returns an empty value if the plans were not timed or have
/// too few rounds.
[[nodiscard]] std::optional<MedianRatio> expected_gain(const TuningProfile& profile,
                                                       Samples PlanCheck::*plain);

/// The scene of a profile whose densities are most similar to given densities.
struct NearestScene {
  int scene = 0;
  double distance = 0;  ///< The result of density_distance().
};
/// Returns the scene whose densities are most similar to `densities`. Ignores scenes without a positive
/// weight. Returns an empty value if the profile contains no densities.
[[nodiscard]] std::optional<NearestScene> nearest_scene(const TuningProfile& profile,
                                                        const SceneDensities& densities);

}  // namespace spira

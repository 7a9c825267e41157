// A tuning profile: every timing that was taken, by shape, setting and scene, and what follows from them.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/levels.hpp"
#include "engine/run/output_difference.hpp"
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

/// What a layer costs depends on: layers of one shape are measured once.
struct LayerShape {
  int kernel_size = 3, stride_in = 1, stride_out = 1, in_channels = 0, out_channels = 0;
  [[nodiscard]] bool transposed() const noexcept { return stride_in > stride_out; }
  [[nodiscard]] std::string text() const;  ///< "3x3x3 1>2 32->64"
  auto operator<=>(const LayerShape&) const = default;
};
[[nodiscard]] LayerShape shape_of(const Layer& layer, const LayerLevels& levels);

struct LevelSize {
  int stride = 1;
  std::int64_t voxels = 0;
};
struct TunedScene {
  std::string name;
  std::uint64_t fingerprint =
      0;  ///< of the voxels of stride 1, whatever the packing; no coordinates are kept
  std::int64_t points = 0;
  std::array<double, 3> voxel_m{};
  PackSpec pack;  ///< what its features were measured with
  double weight = 1;
  std::optional<SceneDensities> densities;              ///< empty: of a profile that did not keep them
  std::vector<LevelSize> levels;                        ///< ascending strides
  [[nodiscard]] std::int64_t voxels(int stride) const;  ///< 0: no such level
};

// One record a key and setting. `scene`: index into TuningProfile::scenes.
struct FeatureRecord {
  int scene = 0;
  LayerShape shape;
  int threshold = 0;
  std::vector<double> ms;
  bool dropped = false;
  OutputDifference output;  ///< of the layer, against t = max
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
  std::vector<double> ms;  ///< voxelising and all levels
  std::string why_not;     ///< the packing does not fit the scene
};

struct TunedShape {
  LayerShape shape;
  std::vector<std::string> layers;  ///< of the network, in its order
  ShapeChoice choice;
  std::vector<int> scene_thresholds;         ///< the choice for each scene alone; -1: not measured there
  std::int64_t rows_low = 0, rows_high = 0;  ///< outputs of the scenes
};
/// What picks cost on a scene over that scene's own.
struct Regret {
  double share = 0;                  ///< of medians, minus 1
  std::optional<bool> tied = false;  ///< the samples do not tell it from none; empty: a file did not say
};
struct TunedPacking {
  std::optional<PackSpec> pack;  ///< empty: each scene's own
  ChoiceReason why = ChoiceReason::only_setting;
  double median_ms = 0, others_ms = 0;  ///< indexing and maps; of the best other packing, 0: there is none
};
struct PlanCheck {
  int scene = 0;
  OutputDifference output;   ///< of the whole network, against t = max
  std::string not_compiled;  ///< on a GPU: why this plan does not run as one graph, as t = max does
  Samples tuned, all_output_stationary, all_weight_stationary;  ///< in turns, the whole network from points
  Samples one_graph;    ///< in the same turns: t = max as one graph; empty: there is none, or the plan is one
  Samples layer_picks;  ///< instead of `tuned`, where the picks of single layers lost against one_graph
};

/// Where a profile speaks for a scene that it was not measured on; docs/tuning.md says why so far.
struct ProfileValidity {
  double outputs_factor = 2;             ///< below and above the outputs that a shape was measured with
  double density_distance_limit = 0.16;  ///< beyond it the profile is taken, and that is said
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
  std::string stopped;  ///< "" all series ended by themselves, "budget", "interrupted"
  ProfileValidity validity;
  std::vector<TunedScene> scenes;
  std::vector<FeatureRecord> features;
  std::vector<MapRecord> maps;
  std::vector<IndexingRecord> indexing;
  // What decide() makes of them.
  TunedPacking packing;
  std::vector<TunedShape> choices;
  std::vector<std::string> undecided;  ///< layers without a measurement
  /// [picked for][run on]; the last row is the profile's choice for all. Empty: not measured.
  std::vector<std::vector<std::optional<Regret>>> regret;
  std::vector<PlanCheck> checks;
};

[[nodiscard]] std::uint64_t fingerprint_of(const Network& network);

/// Makes choices, packing, undecided and regret from the records, for the layers of the network that the
/// profile is of.
void decide(TuningProfile& profile, const Network& network);

[[nodiscard]] std::string profile_json(const TuningProfile& profile);
void write_profile(const std::filesystem::path& file, const TuningProfile& profile);
/// Throws Error(input) "FILE: features[3].t: -1; expected ..." for anything that is not a sound profile.
[[nodiscard]] TuningProfile parse_profile(std::string_view json, const std::string& file_name);
[[nodiscard]] TuningProfile read_profile(const std::filesystem::path& file);
/// By its schema, for options that take plans and profiles. False for what is no JSON at all.
[[nodiscard]] bool looks_like_profile(const std::filesystem::path& file);

}  // namespace spira

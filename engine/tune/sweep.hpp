// Measures sweeps of the threshold t, of the dataflow and of the packing. Only feasible settings are sampled,
// and their samples are interleaved.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

class Backend;
struct Grid;
struct LayerPlan;
struct Network;
struct NetworkWeights;
struct Plan;
struct PointCloud;
class Session;
struct VoxelScene;

struct SweepRow {
  std::string label;   ///< For example "t = 3", "mask-sorted:2" or "12/12/8".
  int threshold = -1;  ///< Used only in sweeps of thresholds. Otherwise -1.
  PackSpec pack;       ///< Used only in sweeps of packings.
  /// The reason why the setting is not feasible, such as "z needs 9 bits, 8 given". Empty if it was measured.
  std::string why_not;
  /// Wall times of building the map and computing the features, without time stamps for the stages.
  Samples wall;
  /// The stages of up to three isolated passes. Charts use them to divide the bar of a row into stages.
  StageTree stages;
  /// The result of judge():
  /// - "fastest" for the fastest row, if no other row is tied with it;
  /// - "tied" for the fastest row and all rows that are not statistically distinguishable from it (bootstrap
  ///   of the ratio of medians);
  /// - "undecided" for all rows, if there are too few samples for a verdict;
  /// - empty for all other rows.
  std::string standing{};
  /// Number of multiplied slots per pair with tiles of 16 rows (see Redundancy). Used only in sweeps of the
  /// dataflow of one layer, for dataflows that multiply tiles of rows.
  std::optional<double> slots_per_pair{};
  /// Number of layers that run the dataflow. Used only in sweeps of dataflows of a network.
  std::optional<int> layers{};
};
struct Sweep {
  std::string subject;  ///< Such as "conv2_1 5x5x5 64->64, 91,767 voxels" or "minkunet42, voxel indexing".
  int layer = -1;       ///< Index of the swept layer. -1 for the whole network.
  /// The threshold t = max in a sweep of thresholds. Empty if not known.
  std::optional<int> t_max{};
  bool of_dataflows = false;  ///< True if the rows are dataflows.
  DeviceFacts device;
  SamplingProtocol protocol;
  std::vector<SweepRow> rows;
  /// Returns the index of the measured row with the smallest median, or -1 if no row was measured.
  [[nodiscard]] int fastest() const;
  /// Returns the index of the row to use: the fastest row, or the simplest row that is tied with it. As in
  /// the tuner, t = max is simpler than t = 0, and t = 0 is simpler than hybrids; 32 bits are simpler than 64
  /// bits. In sweeps of dataflows, rows that come first are simpler. If `t_max` is empty, no row counts as t
  /// = max. Returns -1 if nothing was measured or if the rows are "undecided". judge() must be called before
  /// this function.
  [[nodiscard]] int pick() const;
};

/// Sets SweepRow::standing of each row from its samples. This takes milliseconds per row, so call it only
/// once, after a sweep was measured or read.
void judge(Sweep& sweep);

/// Sweeps the thresholds of one layer. The inputs of the layer must exist. If `layer` is -1, each row uses
/// one t for all layers of the network. Calls `partial` after each round, so that a window can draw
/// intermediate results.
[[nodiscard]] Sweep sweep_thresholds(Session& session, int layer, const Plan& plan,
                                     const std::vector<int>& thresholds, const SamplingProtocol& how,
                                     Job& job, const std::function<void(const Sweep&)>& partial = {});
/// Sweeps the dataflows of one layer, with names as in dataflow.hpp. The inputs of the layer must exist. If
/// `layer` is -1, each row uses the dataflow for all layers that can run it; the other layers run as in
/// `plan`.
[[nodiscard]] Sweep sweep_dataflows(Session& session, int layer, const Plan& plan,
                                    const std::vector<std::string>& dataflows, const SamplingProtocol& how,
                                    Job& job, const std::function<void(const Sweep&)>& partial = {});
/// Returns the names of all dataflows that at least one layer can run, the simplest first. If `layer` is not
/// -1, returns the dataflows of this layer only.
[[nodiscard]] std::vector<std::string> all_dataflows(const Network& network, int layer = -1);
/// Measures the map and the features of a layer with several settings in interleaved passes. The inputs of
/// the layer must exist. Returns one tree per setting, with one sample per pass. `how` sets the number of
/// passes and the time limit per setting.
[[nodiscard]] std::vector<StageTree> interleaved_stages(Session& session, int layer,
                                                        const std::vector<LayerPlan>& settings,
                                                        const SamplingProtocol& how, Job& job);
/// Measures the voxel indexing (voxelization, all levels, all maps) and the features of the whole network for
/// each packing.
[[nodiscard]] Sweep sweep_packings(const std::shared_ptr<Backend>& backend,
                                   const std::shared_ptr<const Network>& network,
                                   const std::shared_ptr<const NetworkWeights>& weights,
                                   const std::shared_ptr<const PointCloud>& cloud, const Grid& grid,
                                   const Plan& plan, const std::vector<PackSpec>& packs,
                                   const SamplingProtocol& how, Job& job,
                                   const std::function<void(const Sweep&)>& partial = {});
/// Returns all thresholds that at least one layer supports, in ascending order. If `layer` is not -1, returns
/// the thresholds of this layer only.
[[nodiscard]] std::vector<int> all_thresholds(const Network& network, int layer = -1);
/// Returns the packings to compare: three divisions of 32 bits, one division of 64 bits, the current packing,
/// and all other packings that fit the scene.
[[nodiscard]] std::vector<PackSpec> packings_to_compare(const VoxelScene& scene, const Network& network);
[[nodiscard]] std::string sweep_csv(const Sweep& sweep);
[[nodiscard]] std::string sweep_json(const Sweep& sweep);

}  // namespace spira

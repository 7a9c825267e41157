// Sweeps of the threshold t and of the packing widths: feasible settings only, interleaved sampling.
#pragma once

#include "engine/run/session.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct SweepRow {
  std::string label;    ///< "t = 3", "12/12/8"
  int threshold = -1;   ///< threshold sweeps
  PackSpec pack;        ///< packing sweeps
  std::string why_not;  ///< empty: measured; else why it is not feasible ("z needs 9 bits, 8 given")
  Samples wall;         ///< map and features of the subject, no recorder
  StageTree stages;     ///< up to three isolated passes, to split the bar
  /// By judge(): "fastest"; "tied" for rows that cannot be told from the fastest (bootstrap of the ratio of
  /// medians), the fastest itself among them then; "undecided" where the samples are too few for a verdict;
  /// else empty.
  std::string standing{};
};
struct Sweep {
  std::string subject;  ///< "conv2_1 5x5x5 64->64, 91,767 voxels" or "minkunet42, voxel indexing"
  int layer = -1;       ///< -1: whole network
  /// The threshold that is all output-stationary, of threshold sweeps; empty: not known.
  std::optional<int> t_max{};
  DeviceFacts device;
  SamplingProtocol protocol;
  std::vector<SweepRow> rows;
  [[nodiscard]] int fastest() const;  ///< index of the smallest median among measured rows; -1: none
  /// Index of the row to take: the fastest, or the simplest of those that are tied with it: t = max before t
  /// = 0 before hybrids, as the tuner has it; 32 bits before 64. -1: nothing was measured, or too few samples
  /// tell (then all rows are "undecided"). Without t_max no row counts as t = max. Of a sweep that was
  /// judged.
  [[nodiscard]] int pick() const;
};

/// How each row stands, from its samples. Milliseconds a row: sweeps are judged where they are measured or
/// read.
void judge(Sweep& sweep);

/// Thresholds of one layer (its inputs must have been run) or, with layer -1, the same t for all layers of
/// the network. `partial` is told after each round, so that a window can draw what there is.
[[nodiscard]] Sweep sweep_thresholds(Session& session, int layer, const Plan& plan,
                                     const std::vector<int>& thresholds, const SamplingProtocol& how,
                                     Job& job, const std::function<void(const Sweep&)>& partial = {});
/// Map and features of a layer with one setting, in isolated passes after one to warm up: a sample a pass. It
/// ends after `passes`, or when they took `most_ms` and there is one.
[[nodiscard]] StageTree layer_stages(Session& session, int layer, const LayerPlan& setting, int passes,
                                     double most_ms, Job& job);
/// Voxel indexing (voxelise, all levels, all maps) and features of the whole network for each packing.
[[nodiscard]] Sweep sweep_packings(const std::shared_ptr<Backend>& backend,
                                   const std::shared_ptr<const Network>& network,
                                   const std::shared_ptr<const NetworkWeights>& weights,
                                   const std::shared_ptr<const PointCloud>& cloud, const Grid& grid,
                                   const Plan& plan, const std::vector<PackSpec>& packs,
                                   const SamplingProtocol& how, Job& job,
                                   const std::function<void(const Sweep&)>& partial = {});
/// All thresholds that some layer can run, ascending; of one layer where `layer` >= 0.
[[nodiscard]] std::vector<int> all_thresholds(const Network& network, int layer = -1);
/// Three ways to split 32 bits, one of 64, the packing in use, and every other one that the scene fits.
[[nodiscard]] std::vector<PackSpec> packings_to_compare(const VoxelScene& scene, const Network& network);
[[nodiscard]] std::string sweep_csv(const Sweep& sweep);
[[nodiscard]] std::string sweep_json(const Sweep& sweep);

}  // namespace spira

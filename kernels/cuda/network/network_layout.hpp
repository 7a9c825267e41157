// Which networks become one graph: the layout of their features, and the limits of plans and scenes. The
// features are stored in one arena. Layers whose outputs are joined write them side by side, so that joining
// costs nothing.
#pragma once

#include "engine/backend/network_run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace spira::cuda {

struct RunStatus;

/// Location of the features of a layer: `channels` values in each row. Rows are `stride` values long.
struct FeaturePlace {
  std::size_t offset = 0;  ///< Byte offset of row 0 in the arena.
  int level = 0;           ///< Index in levels.strides.
  int channels = 0, stride = 0;
};

struct NetworkLayout {
  FeaturePlace input;
  std::vector<FeaturePlace> outputs;  ///< One per layer.
  std::vector<FeaturePlace> inputs;   ///< One per layer; the joined features if a layer has several inputs.
  std::size_t bytes = 0;              ///< Size of the arena.
  std::string why_not;  ///< The reason why the network cannot be laid out this way; empty if it can.
};
[[nodiscard]] NetworkLayout lay_out(const NetworkRunRequest& request);

/// Returns the reason why a plan cannot run as one graph, or an empty string if it can.
[[nodiscard]] std::string why_not_one_graph(const NetworkRunRequest& request);
/// Returns which capacity the scene of a run exceeded, or an empty string if the scene fitted.
[[nodiscard]] std::string why_not_fit(const RunStatus& status, const NetworkRunRequest& request);

}  // namespace spira::cuda

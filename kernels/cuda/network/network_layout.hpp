// Decides whether a network can run as one CUDA graph, and where its features are stored. All features are in
// one arena. Layers whose outputs are concatenated write to adjacent channels of the same rows, so that no
// copy is needed.
#pragma once

#include "engine/backend/network_run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace spira::cuda {

struct RunStatus;

/// The location of a layer's features. Each row has `channels` values. Row i + 1 starts `stride` values after
/// row i. In fp16, rows are padded to whole words of the kernels.
struct FeaturePlace {
  std::size_t offset = 0;  ///< Byte offset of row 0 in the arena.
  int level = 0;           ///< Index of the level in levels.sets.
  int channels = 0, stride = 0;
  /// Number of values after the channels of a row that belong to no other features. They must be 0, because
  /// kernels multiply them by weights that are 0.
  int pad = 0;
};

struct NetworkLayout {
  FeaturePlace input;
  std::vector<FeaturePlace> outputs;
  /// One entry per layer. If a convolution has several inputs, the entry is their concatenation.
  std::vector<FeaturePlace> inputs;
  std::size_t bytes = 0;  ///< Size of the arena, in bytes.
  /// The reason why there is no layout for the network. Empty if the layout is valid.
  std::string why_not;
};
[[nodiscard]] NetworkLayout lay_out(const NetworkRunRequest& request);

/// Returns the reason why a plan cannot run as one graph, or an empty string if it can.
[[nodiscard]] std::string why_not_one_graph(const NetworkRunRequest& request);
/// Returns a text that names the capacity that the scene exceeded. Returns an empty string if the scene did
/// not exceed any capacity.
[[nodiscard]] std::string why_not_fit(const RunStatus& status, const NetworkRunRequest& request);

}  // namespace spira::cuda

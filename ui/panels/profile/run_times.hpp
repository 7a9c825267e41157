// The times of a run at a glance: its total, its slowest layers, and the time of each kind of stage.
#pragma once

#include "engine/measure/statistics.hpp"
#include "ui/model/workspace.hpp"

#include <map>
#include <optional>
#include <vector>

namespace spira::ui {

struct LayerTime {
  int layer = 0;
  double ms = 0;     ///< Time of the kernel map (if the layer built it) and of the features.
  double share = 0;  ///< Share of RunTimes::sum_ms, from 0 to 1.
  std::map<StageGroup, double> parts;  ///< In ms. The residual may be negative.
};

struct RunTimes {
  std::optional<Statistics> wall;   ///< Empty for single runs, and for reports that lost their wall time.
  std::optional<Statistics> graph;  ///< The whole network as one CUDA graph. Empty if it was not compiled.
  double sum_ms = 0;         ///< Sum of all stages: medians if measured, else one sample of each layer.
  std::int64_t samples = 1;  ///< Number of samples of each stage.
  int layers_run = 0, layers = 0;
  std::vector<LayerTime> slowest;  ///< At most five layers, the slowest first.
  /// Time of each kind of stage, the longest first, and the residual if it is positive.
  std::vector<std::pair<StageGroup, double>> stages;
};

/// Returns an empty value if no layer of the open network has a time.
[[nodiscard]] std::optional<RunTimes> run_times(const Workspace& workspace);

}  // namespace spira::ui

// Defines LayerResult, the results of one layer of a network.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/map/densities.hpp"
#include "engine/network/levels.hpp"

#include <memory>

namespace spira {

struct VoxelScene;

/// The results of one layer. They are immutable and in host memory, so any thread may read them.
struct LayerResult {
  int layer = 0;
  std::shared_ptr<const VoxelScene> scene;
  LayerLevels levels;
  LayerPlan plan;
  std::shared_ptr<const KernelMap> map;  ///< For a transposed layer, the down-sampling map.
  std::shared_ptr<const Features> features;
  Densities densities;
  StageTree stages;         ///< Stages map[name] and features[name] of a single run.
  double wall_ms = 0;       ///< Host time of map and features together, in milliseconds.
  bool map_shared = false;  ///< True if an earlier layer had built this map.
};

}  // namespace spira

// The tuner: measures every threshold, mapping algorithm and packing of a network on several scenes within a
// time, and keeps what it has when the time is up.
#pragma once

#include "engine/run/session.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spira {

struct TuneScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
  double weight = 1;
};
struct TuneRequest {
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  std::vector<TuneScene> scenes;
  Precision precision = Precision::fp32;
  std::vector<int> thresholds;  ///< empty: every one that a layer can run; t = max is always measured
  std::vector<MapAlgorithm> algorithms{MapAlgorithm::z_delta};
  std::vector<PackSpec> packings;  ///< empty: each scene's own
  SamplingProtocol protocol;       ///< max_time_ms is not used: the budget is
  double budget_ms = 30'000;       ///< for all; a sample that has begun is finished
  std::string tool_version;
};

/// Adds to `known` what it lacks (records of a scene, key and setting with samples are kept, never measured
/// again), then decides anew. `known` is empty, or of this network, device, precision and version: throws
/// Error(usage) else. Stopping and the end of the budget keep what there is; TuningProfile::stopped says so.
/// Throws Error(cancelled) where nothing was measured yet, Error(does_not_fit) for a scene that its own
/// packing does not hold.
[[nodiscard]] TuningProfile tune(const TuneRequest& request, TuningProfile known, Job& job);

/// The settings of a profile as a plan for the network that it is of; layers without a choice as by default.
[[nodiscard]] Plan plan_of(const TuningProfile& profile, const Network& network);

}  // namespace spira

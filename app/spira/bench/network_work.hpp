// The least work of whole networks, and their indexing as one piece of work.
#pragma once

#include "app/spira/bench/bench.hpp"
#include "engine/scene/point_cloud.hpp"

namespace spira::app {

/// Positions, and intensities where there are any, as the host holds them.
[[nodiscard]] double bytes_of_points(const PointCloud& cloud);
/// Points, every map once, and inputs, weights and outputs of all layers. The network must have run.
[[nodiscard]] Work work_of_network(const Session& session, const Plan& plan);
/// All levels and maps of a network without its features, with the scene's points on the device.
[[nodiscard]] CompiledNetwork compile_indexing(Bench& bench, const Network& network);

}  // namespace spira::app

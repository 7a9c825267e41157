// The minimum work of whole networks, and the compiled indexing of a network.
#pragma once

#include "app/spira/bench/bench.hpp"
#include "engine/scene/point_cloud.hpp"

namespace spira::app {

/// Returns the bytes of the positions, and of the intensities if there are any, in host memory.
[[nodiscard]] double bytes_of_points(const PointCloud& cloud);
/// Returns the minimum work of a network: points, every map once, and inputs, weights and outputs of all
/// layers. The network must have run.
[[nodiscard]] Work work_of_network(const Session& session, const Plan& plan);
/// Compiles all levels and maps of a network without its features. The scene's points are on the device.
[[nodiscard]] CompiledNetwork compile_indexing(Bench& bench, const Network& network);

}  // namespace spira::app

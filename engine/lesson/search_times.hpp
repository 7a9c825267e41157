// The four searches of a map timed on a back end, apart from all counting.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/run/session.hpp"

namespace spira {

/// Builds the map of a submanifold layer of `kernel_size` on the level of `stride` with each algorithm in
/// turns, each stage alone: a warm-up and then `rounds` samples. One result an algorithm.
[[nodiscard]] std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene,
                                                        int kernel_size, int stride, int rounds, Job& job);

}  // namespace spira

// Times the four map searches on a back end, without counting comparisons or reads.
#pragma once

#include "engine/lesson/lesson_run.hpp"

namespace spira {

class Backend;
class Job;
struct VoxelScene;

/// Builds the map of a submanifold layer of `kernel_size` on the level of `stride` with each algorithm,
/// interleaved, and times each stage alone. Runs one warm-up and then takes `rounds` samples. Returns one
/// result for each algorithm.
[[nodiscard]] std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene,
                                                        int kernel_size, int stride, int rounds, Job& job);

}  // namespace spira

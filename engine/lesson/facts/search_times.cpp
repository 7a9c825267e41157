#include "engine/backend/backend.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/run/voxel_scene.hpp"

#include <array>

namespace spira {
namespace {

constexpr std::array algorithms{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                MapAlgorithm::sorted_query};

void keep(const StageTree& stages, const char* name, std::vector<double>& samples_ms) {
  const int node = stages.find({"map", "lesson", name});
  if (node >= 0) samples_ms.push_back(stages.median_ms(node));
}

}  // namespace

std::vector<SearchTimes> measure_searches(Backend& backend, const VoxelScene& scene, int kernel_size,
                                          int stride, int rounds, Job& job) {
  require_kernel(scene, kernel_size);
  const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, stride);
  const CoordSet& host = scene.level(stride);
  CoordSet copy;
  if (!backend.results_are_host_memory()) copy = backend.upload(host);
  const CoordSet& level = backend.results_are_host_memory() ? host : copy;
  std::vector<SearchTimes> times;
  for (const MapAlgorithm algorithm : algorithms)
    times.push_back({algorithm, {}, {}});
  for (int round = -1; round < rounds; ++round) {
    for (SearchTimes& of : times) {
      job.checkpoint({"timing the searches", round + 1, rounds + 1});
      const MapRequest request = request_for_threshold(offsets, of.algorithm, offsets->max_threshold(), true);
      Recorder recorder(backend.stages());
      Job timed = job.with_recorder(&recorder);
      {
        const auto stage = timed.stage("map[lesson]");
        static_cast<void>(backend.build_map(level, level, request, timed));
      }
      const StageTree stages = recorder.take();
      if (round < 0) continue;  // do not record the warm-up round
      keep(stages, "preprocess", of.preprocess_ms);
      keep(stages, "search", of.search_ms);
    }
  }
  return times;
}

}  // namespace spira

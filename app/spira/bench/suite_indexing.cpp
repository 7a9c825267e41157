// Suite of `spira bench` for voxel indexing: level 0, the coarser levels, and the compiled indexing of a
// network.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/host_read.hpp"

namespace spira::app {

void bench_indexing(Bench& bench) {
  const VoxelScene& scene = bench.scene();
  const CoordSet level = bench.backend().upload(scene.level(1));
  const auto keys = static_cast<double>(key_bytes(level));
  const UploadedPoints points = bench.backend().upload_points(scene.cloud, bench.job());
  const VoxelizeRequest request{
      scene.pack, 16,          bench.precision(), voxel_range(*scene.cloud, scene.grid, bench.job()),
      false,      scene.origin};
  std::vector<BenchSubject> subjects;
  subjects.push_back(
      {"voxelize",
       [&bench, &scene, &points, &request](Job& job) {
         static_cast<void>(bench.backend().voxelize(points, scene.grid, request, job));
         bench.backend().wait();
       },
       {bytes_of_points(*scene.cloud) + keys + bytes_of_features(level.size.value(), 4, bench.precision()),
        0}});
  for (const int stride : {2, 4, 8, 16}) {
    subjects.push_back({"downsample " + std::to_string(stride),
                        [&bench, &level, stride](Job& job) {
                          const CoordSet coarse = bench.backend().downsample(level, stride, job);
                          bench.backend().wait();
                        },
                        {keys + static_cast<double>(key_bytes(scene.level(stride))), 0}});
  }
  bench.measure("indexing", RatioOf::wall, std::move(subjects));

  std::vector<std::unique_ptr<NetworkRun>> runs;
  subjects.clear();
  for (const auto& preset : network_presets()) {
    CompiledNetwork compiled = compile_indexing(bench, network_preset(preset.id));
    if (!compiled.run) {
      bench.note("indexing as one graph is skipped: " + compiled.why_not);
      return;
    }
    subjects.push_back(
        {"all of " + std::string(preset.id), [run = compiled.run.get()](Job&) { run->run(); }, {}, true});
    runs.push_back(std::move(compiled.run));
  }
  bench.measure("as one graph", RatioOf::wall, std::move(subjects));
}

}  // namespace spira::app

// Suite of `spira bench` for kernel maps. Each algorithm builds the same map in every layout (section 5.2 of
// the paper).

#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/host_read.hpp"

namespace spira::app {

void bench_mapping(Bench& bench) {
  const CoordSet level = bench.backend().upload(bench.scene().level(1));
  for (const int kernel_size : {3, 5}) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    for (const auto layout :
         {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major, MapLayout::pair_lists}) {
      const std::string group = "K=" + std::to_string(kernel_size) + " " + std::string(text_of(layout));
      if (!bench.wants(group)) continue;
      const bool pairs = layout == MapLayout::pair_lists;
      std::vector<BenchSubject> subjects;
      for (const auto algorithm : all_algorithms) {
        subjects.push_back(
            map_subject(bench, std::string(text_of(algorithm)), level,
                        request_for_threshold(offsets, algorithm, pairs ? 0 : offsets->max_threshold(), true,
                                              pairs ? MapLayout::z_runs : layout)));
      }
      bench.measure(group, RatioOf::stages, std::move(subjects));
    }
    const std::string group = "K=" + std::to_string(kernel_size) + " dataflows";
    if (!bench.wants(group)) continue;
    std::vector<BenchSubject> subjects;
    for (const int t : {offsets->max_threshold(), 0})
      subjects.push_back(map_subject(bench, dataflow_text(t, offsets->max_threshold()), level,
                                     request_for_threshold(offsets, MapAlgorithm::z_delta, t, true)));
    for (auto& [name, request] : dense_requests(offsets, MapAlgorithm::z_delta))
      subjects.push_back(map_subject(bench, name, level, std::move(request)));
    bench.measure(group, RatioOf::stages, std::move(subjects));
  }
}

namespace {

/// Measures the voxelisation and each down-sampling by itself.
void bench_steps(Bench& bench) {
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
}

}  // namespace

void bench_indexing(Bench& bench) {
  if (!bench.own_networks()) bench_steps(bench);
  std::vector<BenchSubject> subjects;
  std::vector<std::unique_ptr<NetworkRun>> runs;
  for (const Network& network : bench.networks()) {
    CompiledNetwork compiled = compile_indexing(bench, network);
    if (!compiled.run) {
      bench.note("indexing as one CUDA graph is skipped: " + compiled.why_not);
      return;
    }
    subjects.push_back(
        {"all of " + network.name, [run = compiled.run.get()](Job&) { run->run(); }, {}, true});
    runs.push_back(std::move(compiled.run));
  }
  bench.measure("as one graph", RatioOf::wall, std::move(subjects));
}

void bench_network(Bench& bench) {
  for (const Network& network : bench.networks()) {
    const std::string& name = network.name;
    if (!bench.wants(name)) continue;
    const LoadedNetwork loaded = bench.load(network);
    Session& session = *loaded.session;
    session.run_all(loaded.plan, bench.job(), {});
    const Work work = work_of_network(session, loaded.plan);
    std::vector<BenchSubject> subjects;
    subjects.push_back(
        {"layer by layer", [&](Job& job) { session.execute_network(loaded.plan, job); }, work});
    const CompiledNetwork& compiled = session.compiled(loaded.plan, bench.job());
    if (compiled.run) {
      subjects.push_back({"as one graph", [run = compiled.run.get()](Job&) { run->run(); }, work, true});
    } else {
      bench.note(name + ": not compiled: " + compiled.why_not);
    }
    bench.measure(name, RatioOf::wall, std::move(subjects));
  }
}

namespace {

struct Channels {
  int in, out;
};

std::string group_text(int kernel_size, Channels channels) {
  return "K=" + std::to_string(kernel_size) + " " + std::to_string(channels.in) + ">" +
         std::to_string(channels.out);
}

std::vector<BenchSubject> subjects_of(Bench& bench, const LayerMaps& maps,
                                      const std::shared_ptr<const LayerOperands>& operands) {
  const int most = static_cast<int>(maps.by_threshold.size()) - 1;
  std::vector<BenchSubject> subjects;
  const auto add = [&](const std::string& name, const std::shared_ptr<const KernelMap>& map,
                       FeatureMethod method) {
    subjects.push_back(layer_subject(bench, name, map, operands, maps.pairs, method));
  };
  const auto add_threshold = [&](int t) {
    add(dataflow_text(t, most), maps.by_threshold.at(static_cast<std::size_t>(t)), FeatureMethod::by_layout);
  };
  add_threshold(most);
  for (const auto& [name, map] : maps.dense)
    add(name, map, FeatureMethod::by_layout);
  add_threshold(0);
  for (int t = 1; t < most; ++t)
    add_threshold(t);
  const bool half_products =
      bench.precision() == Precision::fp16 && !bench.backend().results_are_host_memory();
  for (const auto method : {FeatureMethod::gather_gemm_scatter, FeatureMethod::gather_gemm_scatter_fp16}) {
    if (method == FeatureMethod::gather_gemm_scatter_fp16 && !half_products) continue;
    add(std::string(text_of(method)), maps.by_threshold.front(), method);
  }
  return subjects;
}

}  // namespace

void bench_layers(Bench& bench) {
  const CoordSet level = bench.backend().upload(bench.scene().level(1));
  for (const int kernel_size : {3, 5}) {
    std::vector<Channels> shapes{{16, 16}, {32, 32}, {64, 64}, {128, 128}};
    if (kernel_size == 3) shapes.insert(shapes.end(), {{16, 32}, {256, 256}});
    LayerMaps maps;
    for (const Channels channels : shapes) {
      const std::string group = group_text(kernel_size, channels);
      if (!bench.wants(group)) continue;
      if (maps.by_threshold.empty()) maps = layer_maps(bench, level, kernel_size);
      const auto operands = layer_operands(bench, kernel_size, channels.in, channels.out);
      bench.measure(group, RatioOf::stages, subjects_of(bench, maps, operands));
    }
  }
}

}  // namespace spira::app

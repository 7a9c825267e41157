// Suite of `spira bench` that repeats comparisons of the paper. It compares map algorithms, dataflows (by
// threshold), widths of packed words, and network-wide indexing with indexing layer by layer.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/base/error.hpp"

#include <algorithm>
#include <map>

namespace spira::app {
namespace {

constexpr int compared_channels = 64;

void mapping_algorithms(Bench& bench, const CoordSet& level) {
  for (const int kernel_size : {3, 5}) {
    const std::string group = "mapping algorithms K=" + std::to_string(kernel_size);
    if (!bench.wants(group)) continue;
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    std::vector<BenchSubject> subjects;
    for (const auto algorithm : all_algorithms) {
      subjects.push_back(
          map_subject(bench, std::string(text_of(algorithm)), level,
                      request_for_threshold(offsets, algorithm, offsets->max_threshold(), true)));
    }
    bench.measure(group, RatioOf::stages, std::move(subjects));
  }
}

void dataflows(Bench& bench, const CoordSet& level) {
  for (const int kernel_size : {3, 5}) {
    const std::string shape = " K=" + std::to_string(kernel_size) + " 64>64";
    const std::string features = "dataflow" + shape, both = "dataflow with map" + shape;
    if (!bench.wants(features) && !bench.wants(both)) continue;
    const LayerMaps maps = layer_maps(bench, level, kernel_size);
    const auto operands = layer_operands(bench, kernel_size, compared_channels, compared_channels);
    const auto offsets = maps.dense.front().second->offsets;
    const int most = offsets->max_threshold();
    std::vector<BenchSubject> alone, with_map;
    for (int t = 0; t <= most; ++t) {
      const std::string name = dataflow_text(t, most);
      alone.push_back(layer_subject(bench, name, maps.by_threshold.at(static_cast<std::size_t>(t)), operands,
                                    maps.pairs));
      with_map.push_back(layers_with_map(bench, name, level,
                                         request_for_threshold(offsets, MapAlgorithm::z_delta, t, true),
                                         operands, alone.back().work, 1));
    }
    bench.measure(features, RatioOf::stages, std::move(alone));
    bench.measure(both, RatioOf::stages, std::move(with_map));
  }
}

/// Measures the scene with packed words of 32 bits and of 64 bits. Skips a width if the scene does not fit.
void packings(Bench& bench) {
  const std::string group = "packed words";
  if (!bench.wants(group)) return;
  struct Packed {
    std::string bits;
    std::shared_ptr<const VoxelScene> scene;
    CoordSet level;
  };
  std::vector<Packed> all;
  for (const PackSpec& pack : {PackSpec::bits32(), PackSpec::bits64()}) {
    try {
      auto scene = bench.scene_in(pack);
      CoordSet level = bench.backend().upload(scene->level(1));
      all.push_back({std::to_string(pack.word_bits()) + " bits", std::move(scene), std::move(level)});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::does_not_fit) throw;
      bench.note(pack.text() + " is skipped: " + error.what());
    }
  }
  for (const int kernel_size : {3, 5}) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    std::vector<BenchSubject> subjects;
    for (const Packed& packed : all) {
      subjects.push_back(
          map_subject(bench, packed.bits, packed.level,
                      request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), true)));
    }
    bench.measure(group + ", map K=" + std::to_string(kernel_size), RatioOf::stages, std::move(subjects));
  }
  std::vector<BenchSubject> levels;
  for (const Packed& packed : all) {
    levels.push_back({packed.bits,
                      [&bench, &packed](Job& job) {
                        for (const int stride : {2, 4, 8, 16})
                          static_cast<void>(bench.backend().downsample(packed.level, stride, job));
                        bench.backend().wait();
                      },
                      {}});
  }
  bench.measure(group + ", levels", RatioOf::wall, std::move(levels));
}

/// Builds all levels and maps of a network from level 0, either layer by layer or for the whole network.
class NetworkIndexing {
 public:
  NetworkIndexing(Bench& bench, const Network& network, const CoordSet& level0)
      : bench_(bench), levels_(levels_of(network)), level0_(level0) {
    if (levels_.sets.back().number >= first_numbered_level)
      throw Error(ErrorKind::usage,
                  "network " + network.name + " has levels of stride " +
                      level_text(levels_, levels_.sets.back().number) +
                      "; the ablation requires levels with the same stride on all axes, whose "
                      "coordinates are rounded down to multiples of the stride");
  }

  /// Computes each coarser level from the previous level, and builds a map when a layer needs it. If `shared`
  /// is true, layers with the same map share one map. Otherwise each layer builds its own map.
  void layer_by_layer(bool shared, Job& job) const {
    std::map<int, CoordSet> coarse;
    std::map<MapKey, KernelMap> maps;
    const CoordSet* last = &level0_;
    for (const LayerLevels& layer : levels_.layers) {
      const MapKey& key = layer.map;
      if (key.stride_out != 1 && !coarse.contains(key.stride_out)) {
        const auto made = coarse
                              .emplace(key.stride_out, bench_.backend().downsample(
                                                           *last, levels_.set(key.stride_out), {}, job))
                              .first;
        last = &made->second;
      }
      if (layer.transposed || (shared && maps.contains(key))) continue;
      maps.insert_or_assign(key, build(key, coarse, job));
    }
    bench_.backend().wait();
  }

  /// Computes every level directly from level 0, then builds every map once (section 5.5 of the paper).
  void network_wide(Job& job) const {
    std::map<int, CoordSet> coarse;
    for (const SceneLevel& set : levels_.sets) {
      if (set.number != 1) coarse.emplace(set.number, bench_.backend().downsample(level0_, set, {}, job));
    }
    std::map<MapKey, KernelMap> maps;
    for (const MapKey& key : levels_.maps)
      maps.emplace(key, build(key, coarse, job));
    bench_.backend().wait();
  }

 private:
  [[nodiscard]] KernelMap build(const MapKey& key, const std::map<int, CoordSet>& coarse, Job& job) const {
    const auto level = [&](int stride) -> const CoordSet& {
      return stride == 1 ? level0_ : coarse.at(stride);
    };
    const auto offsets =
        std::make_shared<const KernelOffsets>(key.kernel, level(key.stride_in).rule.stride());
    return bench_.backend().build_map(
        level(key.stride_in), level(key.stride_out),
        request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), key.submanifold()),
        job);
  }

  Bench& bench_;
  Levels levels_;
  const CoordSet& level0_;
};

void indexing(Bench& bench, const CoordSet& level) {
  for (const auto& preset : network_presets()) {
    const std::string group = "indexing of " + std::string(preset.id);
    const Network network = network_preset(preset.id);
    if (!bench.wants(group) || network.space != NetworkSpace::voxels) continue;
    const NetworkIndexing ways(bench, network, level);
    std::vector<BenchSubject> subjects;
    subjects.push_back({"network-wide", [&ways](Job& job) { ways.network_wide(job); }, {}});
    subjects.push_back(
        {"layer by layer, shared maps", [&ways](Job& job) { ways.layer_by_layer(true, job); }, {}});
    subjects.push_back(
        {"layer by layer, one map per layer", [&ways](Job& job) { ways.layer_by_layer(false, job); }, {}});
    const CompiledNetwork compiled = compile_indexing(bench, network);
    if (compiled.run) {
      subjects.push_back({"network-wide as one graph, including voxelization",
                          [run = compiled.run.get()](Job&) { run->run(); },
                          {},
                          true});
    }
    bench.measure(group, RatioOf::wall, std::move(subjects));
  }
}

}  // namespace

void bench_ablation(Bench& bench) {
  const CoordSet level = bench.backend().upload(bench.scene().level(1));
  mapping_algorithms(bench, level);
  dataflows(bench, level);
  packings(bench);
  indexing(bench, level);
}

}  // namespace spira::app

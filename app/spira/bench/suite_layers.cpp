// Suite of `spira bench` for features: compares the dataflows of Spira with the dense layout and with
// gather-GEMM-scatter, for each layer shape. Maps are built in advance, so that only the features are timed.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"

namespace spira::app {
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
  add("output-stationary, dense layout", maps.dense, FeatureMethod::by_layout);
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

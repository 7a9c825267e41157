#include "app/spira/bench/subjects.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"

#include <numeric>
#include <utility>

namespace spira::app {
namespace {

constexpr std::uint64_t seed = 1;

}  // namespace

Features random_features(std::int64_t rows, int channels, Precision precision) {
  const auto values = static_cast<std::size_t>(rows) * static_cast<std::size_t>(channels);
  Features made{rows, channels, precision, Buffer(make_host_pool(), values * bytes_of(precision))};
  Random random(seed);
  for (std::size_t at = 0; at < values; ++at) {
    const auto value = static_cast<float>(random.uniform(-1, 1));
    if (precision == Precision::fp32) {
      made.data.host_span<float>()[at] = value;
    } else {
      made.data.host_span<Fp16>()[at] = float_to_fp16(value);
    }
  }
  return made;
}

BenchSubject map_subject(Bench& bench, std::string name, const CoordSet& level, MapRequest request) {
  const KernelMap once = bench.backend().build_map(level, level, request, bench.job());
  Work work;
  work.bytes = static_cast<double>(key_bytes(level) + once.bytes());
  return {std::move(name),
          [&bench, &level, request = std::move(request)](Job& job) {
            const KernelMap map = bench.backend().build_map(level, level, request, job);
            bench.backend().wait();
          },
          work};
}

std::shared_ptr<const LayerOperands> layer_operands(Bench& bench, int kernel_size, int in_channels,
                                                    int out_channels) {
  const auto weights = seeded_weights(single_layer_network(kernel_size, 1, in_channels, out_channels), seed,
                                      bench.job().stop_token());
  const std::int64_t rows = bench.scene().level(1).size.value();
  LayerOperands made;
  made.weights = bench.backend().upload_weights(weights.layers.back(), bench.precision());
  made.in = bench.backend().upload(random_features(rows, in_channels, bench.precision()));
  return std::make_shared<const LayerOperands>(std::move(made));
}

BenchSubject layer_subject(Bench& bench, std::string name, std::shared_ptr<const KernelMap> map,
                           std::shared_ptr<const LayerOperands> operands, std::int64_t pairs,
                           FeatureMethod method) {
  const UploadedWeights& weights = operands->weights;
  Work work;
  for (const auto& part : map->parts)
    work.bytes += static_cast<double>(part.entries.bytes() + part.counts.bytes());
  work.bytes += bytes_of_features(map->inputs, weights.in_channels, weights.precision) +
                bytes_of_features(map->outputs, weights.out_channels, weights.precision) +
                bytes_of_features(std::int64_t{weights.columns} * weights.in_channels, weights.out_channels,
                                  weights.precision);
  work.flops = 2.0 * static_cast<double>(pairs) * weights.in_channels * weights.out_channels;
  ConvRequest request;
  request.relu = true;
  request.method = method;
  return {std::move(name),
          [&bench, map = std::move(map), operands = std::move(operands), request](Job& job) {
            const Features out =
                bench.backend().convolve(*map, operands->in, operands->weights, request, job);
            bench.backend().wait();
          },
          work};
}

BenchSubject layers_with_map(Bench& bench, std::string name, const CoordSet& level, MapRequest request,
                             const std::shared_ptr<const LayerOperands>& operands, const Work& work,
                             int layers) {
  return {std::move(name),
          [&bench, &level, request = std::move(request), operands, layers](Job& job) {
            const KernelMap map = bench.backend().build_map(level, level, request, job);
            for (int layer = 0; layer < layers; ++layer)
              static_cast<void>(
                  bench.backend().convolve(map, operands->in, operands->weights, {.relu = true}, job));
            bench.backend().wait();
          },
          work};
}

std::vector<std::pair<std::string, MapRequest>> dense_requests(
    const std::shared_ptr<const KernelOffsets>& offsets, MapAlgorithm algorithm) {
  constexpr int most_splits = 5;  // TorchSparse++ measures 1 to 4 splits.
  const auto request = [&](MapLayout layout, int splits) {
    return request_for_threshold(offsets, algorithm, offsets->max_threshold(), true, layout, splits);
  };
  std::vector<std::pair<std::string, MapRequest>> requests{{"unsorted", request(MapLayout::output_major, 0)}};
  for (int splits = 1; splits <= most_splits; ++splits) {
    if (why_not_splits(offsets->columns(), splits).empty())
      requests.emplace_back("mask-sorted:" + std::to_string(splits), request(MapLayout::mask_sorted, splits));
  }
  return requests;
}

LayerMaps layer_maps(Bench& bench, const CoordSet& level, int kernel_size) {
  const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
  const auto build = [&](const MapRequest& request) {
    return std::make_shared<const KernelMap>(bench.backend().build_map(level, level, request, bench.job()));
  };
  LayerMaps maps;
  for (int t = 0; t <= offsets->max_threshold(); ++t)
    maps.by_threshold.push_back(build(request_for_threshold(offsets, MapAlgorithm::z_delta, t, true)));
  for (const auto& [name, request] : dense_requests(offsets, MapAlgorithm::z_delta))
    maps.dense.emplace_back(name, build(request));
  const bool host = bench.backend().results_are_host_memory();
  const auto matches = host ? matches_per_column(*maps.by_threshold.back())
                            : matches_per_column(bench.backend().download(*maps.by_threshold.back()));
  maps.pairs = std::accumulate(matches.begin(), matches.end(), std::int64_t{0});
  return maps;
}

std::string dataflow_text(int threshold, int max_threshold) {
  if (threshold == 0) return "weight-stationary";
  if (threshold == max_threshold) return "output-stationary";
  return "hybrid t=" + std::to_string(threshold);
}

double bytes_of_points(const PointCloud& cloud) {
  return static_cast<double>((cloud.positions.size() * sizeof(Point)) +
                             (cloud.intensity.size() * sizeof(cloud.intensity[0])));
}

Work work_of_network(const Session& session, const Plan& plan) {
  Work work;
  work.bytes = bytes_of_points(*session.scene()->cloud);
  for (std::size_t at = 0; at < session.network().layers.size(); ++at) {
    const Layer& layer = session.network().layers[at];
    const auto result = session.result(static_cast<int>(at));
    if (!layer.has_map()) {
      work.bytes +=
          bytes_of_features(result->features->rows, layer.in_channels + layer.out_channels, plan.precision);
      continue;
    }
    const bool transposed = result->levels.transposed;
    const KernelMap& map = *result->map;
    work.bytes +=
        bytes_of_features(transposed ? map.outputs : map.inputs, layer.in_channels, plan.precision) +
        bytes_of_features(transposed ? map.inputs : map.outputs, layer.out_channels, plan.precision);
    if (!result->map_shared) work.bytes += static_cast<double>(map.bytes());
    if (!layer.convolution()) continue;  // A pool has no weights.
    work.bytes += bytes_of_features(std::int64_t{map.offsets->columns()} * layer.in_channels,
                                    layer.out_channels, plan.precision);
    work.flops += 2.0 * static_cast<double>(result->densities.pairs) * layer.in_channels * layer.out_channels;
  }
  return work;
}

CompiledNetwork compile_indexing(Bench& bench, const Network& network) {
  if (levels_of(network).has_points())
    return {nullptr, "network " + network.name + " reads points, so it only runs layer by layer"};
  const auto shared = std::make_shared<const Network>(network);
  Plan plan = default_plan(network);
  plan.precision = Precision::fp16;
  const auto scene = bench.scene_for(network);
  NetworkRunRequest request = run_request(*scene, shared, plan, bench.job());
  request.features = false;
  CompiledNetwork compiled = bench.backend().compile(request, bench.job());
  if (compiled.run) compiled.run->set_points(*scene->cloud);
  return compiled;
}

}  // namespace spira::app

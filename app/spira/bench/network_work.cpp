
#include "app/spira/bench/subjects.hpp"

namespace spira::app {

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
    const bool transposed = result->levels.transposed;
    const KernelMap& map = *result->map;
    work.bytes +=
        bytes_of_features(transposed ? map.outputs : map.inputs, layer.in_channels, plan.precision) +
        bytes_of_features(transposed ? map.inputs : map.outputs, layer.out_channels, plan.precision) +
        bytes_of_features(std::int64_t{map.offsets->columns()} * layer.in_channels, layer.out_channels,
                          plan.precision);
    if (!result->map_shared) work.bytes += static_cast<double>(map.bytes());
    work.flops += 2.0 * static_cast<double>(result->densities.pairs) * layer.in_channels * layer.out_channels;
  }
  return work;
}

CompiledNetwork compile_indexing(Bench& bench, const Network& network) {
  const auto shared = std::make_shared<const Network>(network);
  Plan plan = default_plan(network);
  plan.precision = Precision::fp16;
  NetworkRunRequest request = run_request(bench.scene(), shared, plan, bench.job());
  request.features = false;
  CompiledNetwork compiled = bench.backend().compile(request, bench.job());
  if (compiled.run) compiled.run->set_points(*bench.scene().cloud);
  return compiled;
}

}  // namespace spira::app

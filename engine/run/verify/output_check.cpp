#include "engine/run/verify/output_check.hpp"

#include "engine/backend/backend.hpp"
#include "engine/run/session.hpp"

namespace spira {

std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job) {
  Job quiet = job.with_recorder(nullptr);
  Backend& backend = session.backend();
  const int layers = static_cast<int>(session.network().layers.size());
  std::vector<OutputDifference> found;
  for (int layer = 0; layer < layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    job.checkpoint({"checking the output of " + session.network().layers[at].name, layer, layers});
    const auto& there = session.result(layer);
    if (!there || there->plan != plan.layers.at(at)) static_cast<void>(session.run_layer(layer, plan, quiet));
    const int highest = feasible_thresholds(session.network().layers[at]).back();
    const auto map = session.build_layer_map(layer, LayerPlan{highest}, quiet);
    const Features reference = session.execute_features(layer, *map, quiet);
    const Features& ours = *session.result(layer)->features;
    found.push_back(backend.results_are_host_memory() ? output_difference(ours, reference)
                                                      : output_difference(ours, backend.download(reference)));
    found.back().ok = found.back().ok && found.back().non_finite == 0;
  }
  return found;
}

}  // namespace spira

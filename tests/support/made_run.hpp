// A synthetic run for tests of the advice rules.
#pragma once

#include "engine/report/advice/advice.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spira::test {

[[nodiscard]] inline std::vector<double> around(double ms, int n = 20) {
  std::vector<double> samples;
  for (int at = 0; at < n; ++at)
    samples.push_back(ms * (1.0 + 0.001 * (at % 3)));
  return samples;
}

/// A run on a CPU with three layers: two submanifold layers that share a map, and a strided layer. No advice
/// rule applies to the unchanged run.
struct MadeRun {
  MadeRun() {
    network = parse_network(R"({"name": "made", "layers": [
      {"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8},
      {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2}]})",
                            "made.json");
    measurement.plan = default_plan(network);
    measurement.device.kind = BackendKind::cpu;
    measurement.wall.ms = around(10);
    for (const Layer& layer : network.layers) {
      LayerMeasurement row;
      row.name = layer.name;
      row.outputs = 50'000;
      row.useful_flops = 1'000'000;
      row.map_shared = layer.name == "b";
      if (!row.map_shared) row.stages.nodes.push_back({"map[" + layer.name + "]", -1, around(1)});
      row.stages.nodes.push_back({"features[" + layer.name + "]", -1, around(2)});
      measurement.layers.push_back(row);
    }
    scene.voxels = 50'000;
    scene.pack = PackSpec::bits32();
    scene.fit_extent = {1000, 1000, 100};
    offsets = std::make_unique<KernelOffsets>(3, 1);
    setDensities(0.4, 0.2);
  }
  /// Sets the densities of all offsets except the centre. The densities change linearly with the L1 norm from
  /// `near` to `far`.
  void setDensities(double near, double far) {
    std::vector<std::int64_t> matches;
    for (int column = 0; column < 27; ++column) {
      const double share = near + (far - near) * (offsets->l1(column) - 1) / 2.0;
      matches.push_back(offsets->l1(column) == 0 ? 50'000 : static_cast<std::int64_t>(50'000 * share));
    }
    shown = densities(*offsets, matches, 50'000);
  }
  [[nodiscard]] AdviceFacts facts() const {
    AdviceFacts facts;
    facts.scene = &scene;
    facts.network = &network;
    facts.measurement = &measurement;
    facts.densities = {&shown, &shown, nullptr};
    facts.threshold_sweep = sweep.rows.empty() ? nullptr : &sweep;
    facts.pack_sweep = packs.rows.empty() ? nullptr : &packs;
    return facts;
  }
  [[nodiscard]] std::vector<Advice> all(AdviceRule rule) const {
    std::vector<Advice> result;
    for (Advice& one : advise(facts())) {
      if (one.rule == rule) result.push_back(std::move(one));
    }
    return result;
  }
  void sweepLayer(int layer, std::vector<std::pair<int, double>> medians) {
    sweep.layer = layer;
    for (const auto& [t, ms] : medians)
      sweep.rows.push_back({"t = " + std::to_string(t), t, scene.pack, "", {around(ms), false}, {}});
    sweep.t_max = 4;
    judge(sweep);
  }
  void addMapsToSweep(double ms) {
    for (SweepRow& row : sweep.rows)
      row.stages.nodes.push_back({"map[a]", -1, around(ms)});
  }

  Network network;
  Measurement measurement;
  SceneFacts scene;
  std::unique_ptr<KernelOffsets> offsets;
  Densities shown;
  Sweep sweep, packs;
};

}  // namespace spira::test

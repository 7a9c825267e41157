// Sweeps and tunes bird's-eye view networks for the commands of `spira`.
#pragma once

#include "app/spira/bev.hpp"

#include <string>
#include <vector>

namespace spira::app {

/// The options of `spira sweep` and `spira tune` that bird's-eye view networks use.
struct BevTuneOptions {
  BevOptions view;
  std::string cores = "all";
  void add(CLI::App& command);  ///< Adds --mask, --z and --cores.
  /// Throws Error(usage) if the user gave one of these options. For networks on voxels.
  static void refuse(const CLI::App& command);
};

/// Measures dense units and units on blocks, and prints the times.
void sweep_bev(const Context& context, const SceneOptions& scene, const RunOptions& run,
               const OutputOptions& output, Network network, const BevTuneOptions& options);
/// Selects the fastest plan for the units of each shape, prints it, and writes it to the file `plan_file`
/// unless it is empty. With `json`, prints the measurement as JSON.
void tune_bev(const Context& context, const SceneOptions& scene, const EngineOptions& engine,
              const SamplingProtocol& how, Network network, const BevTuneOptions& options,
              const std::string& plan_file, bool json);

/// Returns the tables of a sweep: the network with each setting, and the units of each shape with each
/// setting.
[[nodiscard]] std::string bev_sweep_text(const BevSweep& sweep);
/// Returns the chosen plans, and their gain over dense units in words.
[[nodiscard]] std::string bev_tuning_text(const BevTuning& tuning);

}  // namespace spira::app

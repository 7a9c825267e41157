// Runs bird's-eye view networks for the commands of `spira`, and declares their options.
#pragma once

#include "app/spira/options.hpp"
#include "engine/run/bev_run.hpp"
#include "engine/tune/bev_sweep.hpp"

#include <memory>
#include <string>

namespace spira::app {

struct BevOptions {
  std::string mask = "occupied", z = "-3,1", method = "fused";
  int core = 16;
  std::int64_t min_cells = 1;
  std::string plan;          ///< A plan file with one entry for each unit. Empty for one method and core.
  bool ignore_mask = false;  ///< Use the plan even if it was made for a mask with other blocks.
  void add(CLI::App& command);
  void add_mask(CLI::App& command);  ///< Adds only --mask and --z.
  /// Throws Error(usage) if the user gave one of these options. For networks on voxels.
  static void refuse(const CLI::App& command);
  /// Returns the request for the area. The cell size is --grid, or `cell_m` without it. Throws Error(usage)
  /// if an option cannot be parsed.
  [[nodiscard]] AreaRequest area_request(const SceneOptions& scene, const Network& network,
                                         double cell_m) const;
};

constexpr double default_cell_m = 0.1;  ///< As in the paper, for KITTI.

/// Throws Error(usage) if the user gave an option of the list, which has no effect for a bird's-eye view
/// network.
void refuse_options(const CLI::App& command, const std::vector<std::string>& names);

/// Opens the scene and the network, and creates the back end. Prints notes about the area. The plans of the
/// units are empty.
[[nodiscard]] BevSubject open_bev(const Context& context, const SceneOptions& scene,
                                  const EngineOptions& engine, Network network, const BevOptions& options,
                                  Job& job);
/// Opens the scene and prepares the network, with one method and core for all units or with a plan file.
/// Throws Error(usage) if the plan was tuned for a mask with other blocks, unless --ignore-mask is given.
/// Prints notes about the area and about units that run dense because the core is too large for them.
[[nodiscard]] std::unique_ptr<BevRun> load_bev(const Context& context, const SceneOptions& scene,
                                               const EngineOptions& engine, Network network,
                                               const BevOptions& options, Job& job);

/// Measures the network and prints the results. With `check`, also compares each unit with dense units. Then
/// throws Error(failed_check) if cells whose whole reach lies in active blocks differ by more than rounding.
void measure_bev(const Context& context, const SceneOptions& scene, const RunOptions& run,
                 const OutputOptions& output, Network network, const BevOptions& options, bool check);

/// Returns the table of units of a report.
[[nodiscard]] std::string units_text(const Measurement& measurement);

}  // namespace spira::app

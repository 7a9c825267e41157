// Builds the commands that repeat a measurement, so that users can verify the numbers in the window.
#pragma once

#include "engine/report/report.hpp"

#include <string>
#include <vector>

namespace spira {

struct MeasuredWith {
  /// The scene as it is written on a command line: a path, or the name of a built-in scene.
  std::string scene;
  std::string format;                ///< The id of the file format. Empty if the format is detected.
  std::string network;               ///< The id of a preset network, or a path.
  std::vector<std::string> batch{};  ///< The further scenes of a batch.
  SceneFacts facts;                  ///< Contains the grid, the crop, the packing and `every`.
  Network layers;
  Plan plan;
  BackendKind backend = BackendKind::cpu;
  int threads = 0;      ///< Number of CPU threads. 0 means the default of the command.
  std::string weights;  ///< The name as in reports, such as "seeded He, seed 1", or a path.
  int repetitions = 0;  ///< 0 means the default of the command.
  int warmup = SamplingProtocol{}.warmup;
  int loss_scale = 0;  ///< The loss scale of training steps. 0 if none were measured.
  /// The options of the backward passes that differ from default_backward().
  std::vector<std::string> backward{};
  std::string
      gradient{};  ///< The file with the first gradient of training steps. Empty for random gradients.
  /// The positions that native layers read.
  PositionKind positions = PositionKind::nearest;
  /// The files with the nodes of relational convolutions and with their features. Empty without such files.
  std::string nodes{}, features{};
  std::optional<BevFacts> bev{};  ///< Only for a bird's-eye view network.
  std::string unit_plan{};        ///< The plan file of the units. Empty if all have the same method and core.
};
/// Returns how the measurement of a report was made. Uses the scene name from the command in the report if
/// possible, otherwise the name in the scene facts.
[[nodiscard]] MeasuredWith measured_with(const Report& report);

// The functions below return a command as separate words: the program and its arguments.

/// Returns the command that measures a layer with its stages. If `layer` is -1, returns the command for the
/// whole network.
[[nodiscard]] std::vector<std::string> command_of_layer(const MeasuredWith& how, int layer);
/// Returns the command that measures one threshold of a sweep of a layer. If `layer` is -1, the command
/// sweeps the whole network.
[[nodiscard]] std::vector<std::string> command_of_threshold(const MeasuredWith& how, int layer,
                                                            int threshold);
[[nodiscard]] std::vector<std::string> command_of_packing(const MeasuredWith& how, PackSpec pack);
/// Returns the command that computes the density of each offset in the map of a layer.
[[nodiscard]] std::vector<std::string> command_of_densities(const MeasuredWith& how, int layer);
/// Returns the command that computes the density of each offset in a map of the scene, without a network.
[[nodiscard]] std::vector<std::string> command_of_scene_densities(const MeasuredWith& how, int kernel_size,
                                                                  int stride);
/// Returns the command that prints the points, voxels, extents and packing bits of the scene.
[[nodiscard]] std::vector<std::string> command_of_scene(const MeasuredWith& how);

/// Returns the command as one line for a POSIX shell, with quotes where they are necessary.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& command);

/// Returns the id of the preset that is equal to this network, or an empty string if there is none.
[[nodiscard]] std::string preset_of(const Network& network);
/// Returns the value of --network: the id of a preset, also if --neighbours changes it to this network.
/// Otherwise returns the name of a network file.
[[nodiscard]] std::string network_argument(const Network& network);

}  // namespace spira

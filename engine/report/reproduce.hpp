// Builds the command lines that repeat a measurement, so that users can verify the numbers in the window.
#pragma once

#include "engine/report/report.hpp"

#include <string>
#include <vector>

namespace spira {

struct MeasuredWith {
  std::string scene;    ///< Scene as on a command line: a path, or the name of a built-in scene.
  std::string format;   ///< Id of the file format. Empty if the format is detected automatically.
  std::string network;  ///< Id of a preset network, or a path.
  SceneFacts facts;     ///< Contains the grid, the crop, the packing and `every` (every n-th point was read).
  Network layers;
  Plan plan;
  BackendKind backend = BackendKind::cpu;
  int threads = 0;      ///< Number of CPU threads. 0 uses the default of the command.
  std::string weights;  ///< Name as in reports, such as "seeded He, seed 1", or a path.
  int repetitions = 0;  ///< 0 uses the default of the command.
  int warmup = SamplingProtocol{}.warmup;
};
/// Returns the conditions of the measurement of a report. The scene is named as in the command of the report
/// if possible, otherwise as in the scene facts.
[[nodiscard]] MeasuredWith measured_with(const Report& report);

// The functions below return the program and its arguments as separate words.

/// Returns the command that measures a layer with its stages. If `layer` is -1, the command measures the
/// whole network.
[[nodiscard]] std::vector<std::string> command_of_layer(const MeasuredWith& how, int layer);
/// Returns the command that measures one threshold of a sweep. If `layer` is -1, the sweep is of the whole
/// network.
[[nodiscard]] std::vector<std::string> command_of_threshold(const MeasuredWith& how, int layer,
                                                            int threshold);
[[nodiscard]] std::vector<std::string> command_of_packing(const MeasuredWith& how, PackSpec pack);
/// Returns the command that computes the density of each offset in the map of a layer.
[[nodiscard]] std::vector<std::string> command_of_densities(const MeasuredWith& how, int layer);
/// Returns the command that computes the density of each offset in a map of the scene, without a network.
[[nodiscard]] std::vector<std::string> command_of_scene_densities(const MeasuredWith& how, int kernel_size,
                                                                  int stride);
/// Returns the command that prints the points, voxels, extents and bits of the scene.
[[nodiscard]] std::vector<std::string> command_of_scene(const MeasuredWith& how);

/// Returns the command as one line for a POSIX shell, with quotes where necessary.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& command);

/// Returns the id of the preset that is equal to this network, or an empty string if there is none.
[[nodiscard]] std::string preset_of(const Network& network);

}  // namespace spira

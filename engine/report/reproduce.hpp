// The command line that measures a number again: what a window shows can be checked without it.
#pragma once

#include "engine/report/report.hpp"

#include <string>
#include <vector>

namespace spira {

/// Where a number comes from.
struct MeasuredWith {
  std::string scene;    ///< as a command line takes it: a path, or a built-in scene
  std::string format;   ///< id; empty: guessed
  std::string network;  ///< a preset's id, or a file
  SceneFacts facts;     ///< grid, crop and packing
  Network layers;
  Plan plan;
  BackendKind backend = BackendKind::cpu;
  int threads = 0;      ///< of the CPU; 0: as many as the command takes by itself
  std::string weights;  ///< as reports name them: "seeded He, seed 1", or a file
  int repetitions = 0;  ///< 0: as many as the command takes by itself
  int warmup = SamplingProtocol{}.warmup;
};
/// Of a report: its scene as its command named it, else by name.
[[nodiscard]] MeasuredWith measured_with(const Report& report);

// Each is the program and its arguments, one by one.

/// A layer with its stages; -1: the whole network.
[[nodiscard]] std::vector<std::string> command_of_layer(const MeasuredWith& how, int layer);
/// One threshold of a sweep, of a layer or (-1) of the whole network.
[[nodiscard]] std::vector<std::string> command_of_threshold(const MeasuredWith& how, int layer,
                                                            int threshold);
[[nodiscard]] std::vector<std::string> command_of_packing(const MeasuredWith& how, PackSpec pack);
/// The densities of each offset of a layer's map.
[[nodiscard]] std::vector<std::string> command_of_densities(const MeasuredWith& how, int layer);
/// The same of a map of the scene alone.
[[nodiscard]] std::vector<std::string> command_of_scene_densities(const MeasuredWith& how, int kernel_size,
                                                                  int stride);
/// Points, voxels, extents and bits.
[[nodiscard]] std::vector<std::string> command_of_scene(const MeasuredWith& how);

/// One line for a POSIX shell; words are quoted where they must be.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& command);

/// The id of the preset that this network is; empty: of none.
[[nodiscard]] std::string preset_of(const Network& network);

}  // namespace spira

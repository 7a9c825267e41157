// Measures models layer by layer, and finds the fastest settings of each layer.
//
//   std::ofstream("run.spira.json") << spira::profile(model, scene, {.voxel_m = {0.05, 0.05, 0.05}});
//
// The texts are the files of the program `spira`: `spirascope run.spira.json` shows the report, and `spira
// compare` compares two of them. docs/measuring.md explains how times are measured.
#pragma once

#include <array>
#include <spira/model.hpp>
#include <spira/scene.hpp>
#include <spira/version.hpp>
#include <stop_token>
#include <string>
#include <vector>

namespace spira::v0 {

struct ProfileOptions {
  std::array<double, 3> voxel_m{};  ///< Has the same meaning as in RunOptions.
  int repetitions = 5;              ///< Number of measured runs, from 1 to 10,000.
  int warmup = 1;                   ///< Number of runs before them, which are not measured.
  std::stop_token stop{};
};
/// Measures the network, and each layer and stage of it, on a scene. Returns a report as JSON, as `spira run
/// -o` writes it. Throws the errors of Runner::run(), and `Error(usage)` if a number is out of range.
/// Thread-safe, but other work on the device at the same time makes the times longer.
[[nodiscard]] std::string profile(const Model& model, const Scene& scene, const ProfileOptions& options = {});

struct TuneOptions {
  std::array<double, 3> voxel_m{};  ///< Has the same meaning as in RunOptions.
  double budget_s = 30;             ///< Time for all scenes, in seconds. Must be positive.
  std::stop_token stop{};
};
/// Measures the settings of each layer on one or more scenes, and chooses the fastest. Returns a tuning
/// profile as JSON, as `spira tune -o` writes it. Written to a file, it is a value for ModelOptions::plan.
/// The plan of `model` is not used. Throws the errors of Runner::run(), and `Error(usage)` if the budget is
/// too short to choose any setting. A stop request ends the measurement, and the settings measured so far are
/// returned. Thread-safe, as profile().
[[nodiscard]] std::string tune(const Model& model, const std::vector<Scene>& scenes,
                               const TuneOptions& options = {});

/// Compares two reports of profile() or `spira run -o` row by row, and returns the comparison as JSON, as
/// `spira compare --json` prints it. Each row has a verdict with the confidence interval of its ratio. Throws
/// `Error(input)` if a text is not a report. Thread-safe.
[[nodiscard]] std::string compare(const std::string& baseline, const std::string& current);

}  // namespace spira::v0

// What was measured, for the lessons that compare a scene with it: the open run, or a recorded one.
#pragma once

#include "engine/report/report.hpp"

#include <memory>
#include <string>
#include <vector>

namespace spira {

/// One search of a map, as the stages of its build; no samples of a part that it does not have.
struct SearchTimes {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  std::vector<double> preprocess_ms, search_ms;
};

struct LessonRun {
  /// Where the figures are from: "recorded run, NVIDIA H200, minkunet42 on street, 2026-11-22T14:28:28Z".
  std::string source;
  bool recorded = false;                   ///< of another machine, and of another scene than the open one
  std::shared_ptr<const Network> network;  ///< of the measurement
  std::shared_ptr<const Measurement> measurement;  ///< null: nothing was measured
  std::vector<std::shared_ptr<const Densities>>
      layer_densities;                      ///< one a layer of it, none null; empty: not known
  std::shared_ptr<const Sweep> thresholds;  ///< null: t was not swept; may be of one layer
  std::vector<SearchTimes> searches;        ///< of the open scene, by measure_searches(); empty: not measured
  std::string searched_on;                  ///< where: "AMD EPYC 9654, 8 threads"; empty: that is not known
};

/// Of a report that was read: of another machine, or of another scene. Its parts stay those of the report, so
/// that this takes no time however large the report is.
[[nodiscard]] std::shared_ptr<const LessonRun> run_of_report(const std::shared_ptr<const Report>& report);

/// The sweep of t over all layers at once; null: none was made, or one of a single layer.
[[nodiscard]] const Sweep* network_sweep(const LessonRun& run);

/// What a page wants of a run, so that none of its numbers is missing.
struct RunNeeds {
  bool measured = false, sweep = false, side_by_side = false;
  bool operator==(const RunNeeds&) const = default;
};
[[nodiscard]] RunNeeds run_needs(const std::vector<std::string>& facts);
/// What of them this run does not have.
[[nodiscard]] RunNeeds missing_of(const LessonRun& run, const RunNeeds& needs);

}  // namespace spira

// Measures a bird's-eye view network with dense units and with units on blocks, and selects the fastest plan
// for the units of each shape.
#pragma once

#include "engine/measure/sampling.hpp"
#include "engine/run/bev_run.hpp"
#include "engine/tune/unit_choice.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spira {

/// One plan for all units of the network.
struct BevSweepSetting {
  UnitPlan plan;       ///< Units that cannot run it run dense.
  Samples wall{};      ///< Wall times of the network, without time stamps for the stages.
  StageTree stages{};  ///< Stages of the same number of further runs, which are interleaved with them.
  SettingVerdict verdict = SettingVerdict::none;
  std::optional<double> modelled_ms{};  ///< Sum over all units. Empty without a measured dense unit.
};
/// The units of one shape.
struct BevShape {
  UnitShape shape;
  std::vector<std::size_t> units;  ///< Indices into units_of().
  std::string name;                ///< Name of the first unit.
  /// One entry for each setting that these units can run. The first one is dense.
  struct Row {
    UnitTimes times;
    BlockShares shares;
    std::optional<double> modelled_ms{};  ///< Of all units, like the samples of `times`.
  };
  std::vector<Row> rows;
  UnitChoice choice;
};
struct BevSweep {
  std::string network;
  DeviceFacts device;
  SamplingProtocol protocol;
  DeviceRates rates;
  Precision precision = Precision::fp32;
  BevFacts facts;                         ///< Area and mask. The units are those of the setting dense.
  std::vector<BevSweepSetting> settings;  ///< The first one is dense.
  std::vector<BevShape> shapes;           ///< In the order of their first units.
};
/// Returns the name of a setting in tables, such as "fused 8" or "dense".
[[nodiscard]] std::string short_text(const UnitPlan& plan);

/// A network on a scene, for several plans.
struct BevSubject {
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const PointCloud> cloud;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  BevSettings settings;  ///< Its units are ignored.
};
/// Measures dense units, and units on blocks with both methods and each of the cores, in interleaved rounds.
/// Each round runs every setting once without and once with timers. Cores that are larger than all images are
/// left out. Throws `Error(usage)` if no core can be measured.
[[nodiscard]] BevSweep sweep_units(const BevSubject& subject, std::span<const int> cores,
                                   const SamplingProtocol& how, Job& job);

/// The plan that a sweep leads to.
struct BevTuning {
  BevSweep sweep;
  Plan plan;  ///< With the mask for which it was made.
  /// True if the plan that was chosen for each shape was slower than dense units in the second series. The
  /// plan then is dense.
  bool rejected = false;
  std::vector<UnitPlan> chosen;     ///< One for each unit, before the second series.
  Samples dense_wall, chosen_wall;  ///< Wall times of the second series. Empty if all chosen units are dense.
  [[nodiscard]] bool all_dense() const;
  /// Returns the verdict on the chosen plan in comparison with dense units. Empty without a second series.
  [[nodiscard]] std::optional<Verdict> verdict_over_dense() const;
};
/// Sweeps the settings, chooses the fastest plan for each shape, and measures these plans again together with
/// dense units.
[[nodiscard]] BevTuning tune_units(const BevSubject& subject, std::span<const int> cores,
                                   const SamplingProtocol& how, Job& job);

[[nodiscard]] std::string bev_sweep_json(const BevSweep& sweep);
[[nodiscard]] std::string bev_tuning_json(const BevTuning& tuning);
/// Returns one row for each shape and setting.
[[nodiscard]] std::string bev_sweep_csv(const BevSweep& sweep);

}  // namespace spira

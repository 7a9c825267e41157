// The commands that run the network (run, step, measure, sweep) and set the precision.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>

#include <span>

namespace spira::ui {

class BreakdownPanel;
class DockLayout;
class EngineJobs;
class SweepPanel;

[[nodiscard]] std::span<const CommandFacts> run_commands() noexcept;

class Runs : public QObject {
  Q_OBJECT
 public:
  Runs(const FeatureContext& context, EngineJobs& jobs, DockLayout& docks, SweepPanel& sweep,
       const BreakdownPanel& breakdown);

 private:
  [[nodiscard]] QString whyNoRun() const;
  [[nodiscard]] QString whyNoTraining() const;
  [[nodiscard]] QString whyNoSweep(int layer) const;
  [[nodiscard]] QString whyNoRates() const;
  void bindRuns();
  void bindSteps();
  void bindSweeps();
  void bindPrecisions();
  void bindDurations();
  void followDurations();

  FeatureContext context_;
  EngineJobs& jobs_;
  DockLayout& docks_;
  SweepPanel& sweep_;
};

}  // namespace spira::ui

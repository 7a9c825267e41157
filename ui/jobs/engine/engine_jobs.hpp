// Owns the engine lane and the classes that start its jobs.
#pragma once

#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/jobs/engine/run_jobs.hpp"
#include "ui/jobs/engine/scene_jobs.hpp"
#include "ui/jobs/engine/sweep_jobs.hpp"
#include "ui/jobs/engine/tune_jobs.hpp"

#include <memory>
#include <utility>

namespace spira::ui {

class EngineJobs {
 public:
  EngineJobs(Tasks& tasks, std::shared_ptr<const Registry> registry, Workspace* workspace,
             Selection* selection)
      : lane_(tasks, std::move(registry), workspace),
        scenes_(tasks, &lane_, workspace, selection),
        runs_(&lane_, &scenes_, workspace, selection),
        sweeps_(&lane_, workspace, selection),
        tuning_(&lane_, &scenes_, workspace) {}

  [[nodiscard]] EngineLane& lane() noexcept { return lane_; }
  [[nodiscard]] SceneJobs& scenes() noexcept { return scenes_; }
  [[nodiscard]] RunJobs& runs() noexcept { return runs_; }
  [[nodiscard]] SweepJobs& sweeps() noexcept { return sweeps_; }
  [[nodiscard]] TuneJobs& tuning() noexcept { return tuning_; }

 private:
  EngineLane lane_;
  SceneJobs scenes_;
  RunJobs runs_;
  SweepJobs sweeps_;
  TuneJobs tuning_;
};

}  // namespace spira::ui

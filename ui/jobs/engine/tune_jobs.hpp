// Tunes the open network. The user can stop the job and keep its results.
#pragma once

#include "engine/tune/group_table.hpp"
#include "engine/tune/matrix.hpp"
#include "engine/tune/tune_estimate.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace spira::ui {

class SceneJobs;

/// A request to tune the open network on the open scene, on other scenes, or on both.
struct TuneWish {
  struct Scene {
    /// A file that is read and voxelised with the settings of the open scene. If empty, the scene is the open
    /// scene itself.
    QString file;
    double weight = 1;
  };
  std::vector<Scene> scenes;
  double budget_ms = 30'000;
  std::vector<int> thresholds;   ///< If empty, all values that a layer can run are measured.
  bool other_dataflows = false;  ///< True to also measure all dataflows that are not thresholds.
  bool training = false;         ///< True to tune training steps. The network must be trainable.
  std::vector<MapAlgorithm> algorithms{MapAlgorithm::z_delta};
  std::vector<PackSpec> packings;              ///< If empty, each scene uses its own packing.
  std::shared_ptr<const TuningProfile> known;  ///< Profile to extend. If `nullptr`, a new profile is made.
};

/// Results after one step of tuning.
struct TuneStepDone {
  std::shared_ptr<const TuningProfile> profile;  ///< All samples so far, with the resulting choices.
  /// The settings of `matrix` and `groups` that count as current are the choices of `profile`.
  std::shared_ptr<const SettingMatrix> matrix;
  std::shared_ptr<const GroupTable> groups;
};

/// Returns which layers the time limit of `wish` covers. The times come from the last measurement or run of
/// the open scene, from a sweep of t, and from `profile`, the open profile (or `nullptr`). If the request
/// extends this profile, settings with enough samples need no time. Other scenes are assumed to have as many
/// points as the open scene. Returns an empty value if no times of the open scene and network are known.
[[nodiscard]] std::optional<TuneEstimate> estimate_of(const TuneWish& wish, const Workspace& workspace,
                                                      const std::shared_ptr<const TuningProfile>& profile);

class TuneJobs : public QObject {
  Q_OBJECT
 public:
  TuneJobs(EngineLane* lane, const SceneJobs* scenes, Workspace* workspace, QObject* parent = nullptr);

  void tune(const TuneWish& wish);
  [[nodiscard]] bool tuning() const { return lane_->doing() == EngineLane::Doing::tuning; }
  /// Stops the running job of the engine. The first call ends tuning but keeps its results, and the second
  /// call cancels tuning. All other jobs are cancelled at the first call.
  void stop();

 signals:
  /// Emitted before the first sample.
  void estimated(const spira::TuneEstimate& estimate, double budget_ms);
  void stepDone(const spira::ui::TuneStepDone& step);
  void tuned(const std::shared_ptr<const spira::TuningProfile>& profile);

 private:
  EngineLane* lane_;
  const SceneJobs* scenes_;
  Workspace* workspace_;
  std::stop_source keep_best_;  // A stop request ends the tuning job and keeps its results.
};

}  // namespace spira::ui

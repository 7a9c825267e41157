// Measures settings that differ from the plan: sweeps of t and of packings, and single values of t. Also
// measures the map searches.
#pragma once

#include "engine/voxel/pack_spec.hpp"
#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace spira {
struct LayerSetting;
struct LessonRun;
}  // namespace spira

namespace spira::ui {

enum class Timed {
  searches,   ///< The four map searches (measure_searches()).
  neighbours  ///< A layer with voxels and with native neighbours (measure_neighbours()).
};

/// What a page of a lesson times, for one kernel and one level of a scene.
struct TimedSubject {
  Timed what = Timed::searches;
  std::shared_ptr<const VoxelScene> scene;
  KernelShape kernel;
  int stride = 0;
  bool operator==(const TimedSubject&) const = default;
};

struct LessonTiming {
  TimedSubject subject;
  std::shared_ptr<const LessonRun> run;  ///< Contains only the times and the device that ran them.
};

class SweepJobs : public QObject {
  Q_OBJECT
 public:
  SweepJobs(EngineLane* lane, Workspace* workspace, Selection* selection, QObject* parent = nullptr);

  void sweepThresholds();  ///< Sweeps the selected layer, or the network if no layer is selected.
  /// Sweeps all dataflows of the selected layer, or of the network if no layer is selected.
  void sweepDataflows();
  void sweepPackings(const std::vector<PackSpec>& packs);
  /// Times a layer with t = `threshold` and with t = `baseline` in a few interleaved passes. Stores the
  /// result in the trials of the Workspace. Any other job may replace this one.
  void tryThreshold(int layer, int threshold, int baseline);
  /// Times two settings of a layer with interleaved samples and emits settingsCompared().
  void compareSettings(int layer, const LayerSetting& current, const LayerSetting& other);
  /// Times the subject with interleaved samples and emits timed(). Any other job may replace this one.
  void time(const TimedSubject& subject);

 signals:
  void timed(const spira::ui::LessonTiming& timing);
  /// Emitted after each round of samples. `sweep` has one row for each threshold. The first row is the
  /// current threshold.
  void settingsCompared(const std::shared_ptr<const spira::Sweep>& sweep);

 private:
  EngineLane* lane_;
  Workspace* workspace_;
  Selection* selection_;
};

/// Measures the threshold t that the user tries by dragging the divider of a chart, together with the current
/// t. A short job starts when the divider stops moving, and the next move cancels it.
class ThresholdTrials : public QObject {
  Q_OBJECT
 public:
  ThresholdTrials(Workspace* workspace, Selection* selection, EngineLane* lane, SweepJobs* sweeps,
                  QObject* parent = nullptr);

 private:
  void follow();
  void begin();
  void jobEnded();
  /// Returns the t to measure now. Returns an empty value if no measurement is needed, for example because
  /// this t was already compared with compared_threshold(), or because the layer cannot use it.
  [[nodiscard]] std::optional<TriedThreshold> wanted() const;

  Workspace* workspace_;
  Selection* selection_;
  EngineLane* lane_;
  SweepJobs* sweeps_;
  QTimer rest_;
  // The trial that is running or waiting. A trial waits until the user stops moving the divider and until
  // other jobs end.
  std::optional<TriedThreshold> waiting_;
  bool started_ = false;  // True if the running job is a trial that this object started.
};

}  // namespace spira::ui

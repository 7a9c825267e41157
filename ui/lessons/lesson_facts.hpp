// Provides the facts that a lesson shows. A background task computes them for the open scene and the
// selection. A change of the scene or of the selection discards them.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QString>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spira::ui {

class LessonTimer;

class LessonFacts : public QObject {
  Q_OBJECT
 public:
  LessonFacts(Tasks& tasks, Workspace* workspace, Selection* selection, QObject* parent = nullptr);

  /// Sets the object that measures the facts of a group, such as "search_times". Without it, these facts do
  /// not exist.
  void setTimer(const std::string& group, LessonTimer* timer);
  /// Computes the groups that contain these facts, now and after each change. An empty list stops all
  /// computations.
  void want(const std::vector<std::string>& names);
  /// Sets the run that provides the measured times. `run` is `nullptr` if nothing was measured.
  void setRun(std::shared_ptr<const LessonRun> run);
  void setTrial(const LessonTrial& trial);
  [[nodiscard]] const LessonTrial& trial() const noexcept { return trial_; }
  /// Sets the voxel size at the start of the lesson, in metres per axis.
  void setFirstVoxel(const std::array<double, 3>& voxel_m);
  /// Computes the facts for the voxel under the pointer instead of the selected voxel. If `voxel` is empty,
  /// uses the selected voxel again.
  void setPointedAt(const std::optional<ChosenVoxel>& voxel);
  [[nodiscard]] bool pointed() const noexcept { return pointed_at_.has_value(); }
  /// Returns the fact. Returns `nullptr` if the fact has not been computed yet, or if it does not exist for
  /// the selection.
  [[nodiscard]] const Fact* fact(const std::string& name) const;
  /// Returns true if the fact is being computed or waits to be computed.
  [[nodiscard]] bool computing(const std::string& name) const;
  [[nodiscard]] bool busy() const;
  /// Returns true if a computation is running now.
  [[nodiscard]] bool counting() const noexcept { return task_.busy(); }
  /// Returns the inputs of the next computation. The member `scene` is `nullptr` if no scene is open.
  [[nodiscard]] LessonInput input() const;

 signals:
  void changed();
  void failed(const spira::Error& error);

 private:
  /// The inputs on which the facts of a group depend.
  struct Basis {
    std::shared_ptr<const VoxelScene> scene;
    int kernel_size = 0, stride = 0;
    std::shared_ptr<const LayerResult> layer;
    std::optional<ChosenVoxel> voxel;
    std::vector<int> columns;
    std::shared_ptr<const ChosenRows> rows;
    std::shared_ptr<const LessonRun> timed;
    std::shared_ptr<const LessonRun> run;
    LessonTrial trial;
    std::array<double, 3> first_voxel_m{};
    std::shared_ptr<const KernelMap> map;
    bool operator==(const Basis&) const = default;
  };
  struct Known {
    Basis basis;
    std::map<std::string, Fact> facts;
  };
  [[nodiscard]] Basis basisOf(const std::string& group) const;
  [[nodiscard]] const std::optional<ChosenVoxel>& voxel() const;
  /// Returns the native map of the shown level. Returns `nullptr` if the neighbours are voxels, or if the map
  /// is not ready.
  [[nodiscard]] std::shared_ptr<const KernelMap> nativeMap() const;
  /// Returns true if the times of the group are being measured.
  [[nodiscard]] bool timing(const std::string& group) const;
  [[nodiscard]] const Known* known(const std::string& group) const;
  void followSoon();
  void follow();

  Workspace* workspace_;
  Selection* selection_;
  std::map<std::string, LessonTimer*> timers_;  // By group.
  std::shared_ptr<const LessonRun> run_;
  std::optional<ChosenVoxel> pointed_at_;
  LessonTrial trial_;
  std::array<double, 3> first_voxel_m_{};
  std::set<std::string> wanted_;
  std::map<std::string, Known> known_;
  struct Asked {
    std::string group;
    Basis basis;
    bool operator==(const Asked&) const = default;
  };
  [[nodiscard]] std::vector<Asked> missing() const;
  void start(const Asked& asked);
  std::optional<Asked> computing_;  // The computation that was started last.
  std::vector<Asked> refused_;      // Computations that failed. They are not repeated.
  bool pending_ = false;
  TaskSlot task_;
};

// Formats the numbers of a lesson. A text contains the number and its error, or the note that the number is
// being computed.

/// Returns the number as text, for example "53,693", "12.5 %" or "4.95 ± 0.02". Returns "computing" while the
/// number is being computed, and a dash if the number does not exist.
[[nodiscard]] QString number_text(const Expression& value, int digits, const QString& unit,
                                  const LessonFacts& facts);
/// Returns the number of decimals for the labels of the bars. They must show three significant digits of the
/// largest value (at most 4 decimals) and two significant digits of the smallest value (at most 2 decimals).
[[nodiscard]] int bar_digits(const LessonBars& bars, const LessonFacts& facts);
/// Returns the value as text. If `digits` is 0, the text has thousands separators.
[[nodiscard]] QString digits_text(double value, int digits);
/// Returns the text with its numbers filled in. Integers have thousands separators, and other numbers have as
/// few digits as needed.
[[nodiscard]] QString template_text(const TemplateText& text, const LessonFacts& facts);
/// Returns how the number was sampled, such as "sample 65,536 of 200,000", or the source of a measured
/// number. Returns an empty string if the number is neither sampled nor measured.
[[nodiscard]] QString sample_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] bool is_coming(const Expression& value, const LessonFacts& facts);
/// Returns the formula, for example "percent(density.axis.x)", followed by the facts in it and their values.
[[nodiscard]] QString formula_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] Expression::Lookup lookup_in(const LessonFacts& facts);

}  // namespace spira::ui

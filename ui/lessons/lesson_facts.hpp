// The facts that a lesson shows, computed on a worker for what is open and chosen, and forgotten when that
// changes.
#pragma once

#include "engine/lesson/facts.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spira::ui {

class SearchTimer;

class LessonFacts : public QObject {
  Q_OBJECT
 public:
  LessonFacts(Workspace* workspace, Selection* selection, QObject* parent = nullptr);
  ~LessonFacts() override;
  LessonFacts(const LessonFacts&) = delete;
  LessonFacts& operator=(const LessonFacts&) = delete;

  /// Of `search_times`, which is measured; without one they are missing.
  void setSearchTimer(SearchTimer* timer);
  /// The groups of these are computed, and again when they change. None: nothing is.
  void want(const std::vector<std::string>& names);
  /// What the facts of measured times are read from; null: nothing was measured.
  void setRun(std::shared_ptr<const LessonRun> run);
  void setTrial(const LessonTrial& trial);
  [[nodiscard]] const LessonTrial& trial() const noexcept { return trial_; }
  /// Voxel sizes with which the lesson began.
  void setFirstVoxel(const std::array<double, 3>& voxel_m);
  /// The voxel under the pointer takes the place of the chosen one; empty: it does not.
  void setPointedAt(const std::optional<ChosenVoxel>& voxel);
  [[nodiscard]] bool pointed() const noexcept { return pointed_at_.has_value(); }
  /// Null: not yet, or it does not exist for what is chosen.
  [[nodiscard]] const Fact* fact(const std::string& name) const;
  [[nodiscard]] bool computing(const std::string& name) const;  ///< it may still come
  [[nodiscard]] bool busy() const;
  [[nodiscard]] bool counting() const noexcept { return runner_->busy(); }  ///< at this moment
  /// What facts are computed from now; scene null: nothing is open.
  [[nodiscard]] LessonInput input() const;

 signals:
  void changed();
  void failed(const spira::Error& error);

 private:
  /// What a group depends on.
  struct Basis {
    std::shared_ptr<const VoxelScene> scene;
    int kernel_size = 0, stride = 0;
    std::shared_ptr<const LayerResult> layer;
    std::optional<ChosenVoxel> voxel;
    std::vector<int> columns;
    std::shared_ptr<const ChosenRows> rows;
    std::shared_ptr<const LessonRun> searches;
    std::shared_ptr<const LessonRun> run;
    LessonTrial trial;
    std::array<double, 3> first_voxel_m{};
    bool operator==(const Basis&) const = default;
  };
  struct Known {
    Basis basis;
    std::map<std::string, Fact> facts;
  };
  [[nodiscard]] Basis basisOf(const std::string& group) const;
  [[nodiscard]] const std::optional<ChosenVoxel>& voxel() const;
  [[nodiscard]] const Known* known(const std::string& group) const;
  void followSoon();
  void follow();

  Workspace* workspace_;
  Selection* selection_;
  JobRunner* runner_;
  SearchTimer* searches_ = nullptr;
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
  std::optional<Asked> computing_;  // the last one that was begun
  std::vector<Asked> refused_;      // that could not be computed, and would not be a second time
  bool pending_ = false;
};

}  // namespace spira::ui

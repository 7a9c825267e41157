// Which measured run the pages of a lesson are about: that of this window, the report that was open when the
// lesson began, or a recorded run that comes with the program. What a run is of is always said beside its
// numbers.
#pragma once

#include "engine/lesson/lesson_run.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

class LessonRuns : public QObject {
  Q_OBJECT
 public:
  enum class Of { here, opened, shipped };

  explicit LessonRuns(Workspace* workspace, QObject* parent = nullptr);
  ~LessonRuns() override;
  LessonRuns(const LessonRuns&) = delete;
  LessonRuns& operator=(const LessonRuns&) = delete;

  /// A lesson begins. `opened`: the report that is open; null: none.
  void begin(const std::shared_ptr<const Report>& opened);
  void end();
  /// The facts of the page: without a choice it gets the first run that has all of them.
  void want(const std::vector<std::string>& facts);
  void choose(Of which);  ///< until the lesson ends
  [[nodiscard]] const RunNeeds& needs() const noexcept { return needs_; }
  [[nodiscard]] std::vector<Of> choices() const;  ///< that there are, in the order they are tried
  [[nodiscard]] Of current() const;
  [[nodiscard]] const std::shared_ptr<const LessonRun>& run(Of which) const;
  /// Null: the page needs none, or it is being read.
  [[nodiscard]] std::shared_ptr<const LessonRun> run() const;
  [[nodiscard]] bool busy() const { return reading_->busy(); }

 signals:
  void changed();  ///< another run, or more of it
  void failed(const spira::Error& error);

 private:
  void readShipped();
  void followHere();
  [[nodiscard]] std::shared_ptr<const LessonRun> runOfThisWindow() const;
  /// Empty unless all layers were run.
  [[nodiscard]] std::vector<std::shared_ptr<const Densities>> densitiesOfLayers() const;

  Workspace* workspace_;
  JobRunner* reading_;
  RunNeeds needs_;
  std::optional<Of> chosen_;
  std::shared_ptr<const LessonRun> here_, opened_, shipped_;
  bool active_ = false;
};

/// Whose times they are; of a recorded run, that it is not of what is open.
[[nodiscard]] QString source_text(const LessonRun& run);

}  // namespace spira::ui

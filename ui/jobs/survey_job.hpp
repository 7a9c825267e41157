// Surveys a folder of frames, or reads a survey, in the thread pool, so that the window stays responsive. A
// stopped survey keeps the finished frames.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/survey/survey.hpp"
#include "ui/jobs/tasks.hpp"

#include <QObject>

#include <memory>
#include <stop_token>

namespace spira::ui {

class SurveyJob : public QObject {
  Q_OBJECT
 public:
  SurveyJob(Tasks& tasks, std::shared_ptr<const Registry> registry, QObject* parent = nullptr);
  ~SurveyJob() override;
  SurveyJob(const SurveyJob&) = delete;
  SurveyJob& operator=(const SurveyJob&) = delete;

  void start(const SurveyRequest& request);
  /// Reads a survey from a file of survey_json(). The current survey stays if this fails.
  void read(const QString& file);
  void stop();  ///< Stops the survey. The result contains the finished frames.
  void clear();
  [[nodiscard]] bool busy() const { return task_.busy(); }
  /// Returns `nullptr` before the first survey. During a survey, the result contains only the finished
  /// frames.
  [[nodiscard]] const std::shared_ptr<const Survey>& survey() const noexcept { return survey_; }
  /// Returns the file that contained the survey. Empty for a survey of the open frames.
  [[nodiscard]] const QString& file() const noexcept { return file_; }

 signals:
  void changed();  ///< Emitted at the start, after more frames, at the end, and after clear().
  void failed(const spira::Error& error);

 private:
  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<const Survey> survey_;
  QString file_;
  std::stop_source stop_;
  TaskSlot task_, reading_;
};

}  // namespace spira::ui

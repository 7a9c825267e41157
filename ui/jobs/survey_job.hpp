// Surveys a folder of frames on a worker of its own, so that the window goes on with its scene. Stopping
// keeps the frames that were finished.
#pragma once

#include "engine/backend/registry.hpp"
#include "engine/survey/survey.hpp"
#include "ui/jobs/job_runner.hpp"

#include <QObject>

#include <memory>
#include <stop_token>

namespace spira::ui {

class SurveyJob : public QObject {
  Q_OBJECT
 public:
  explicit SurveyJob(std::shared_ptr<const Registry> registry, QObject* parent = nullptr);
  ~SurveyJob() override;
  SurveyJob(const SurveyJob&) = delete;
  SurveyJob& operator=(const SurveyJob&) = delete;

  void start(const SurveyRequest& request);
  void stop();   ///< what is finished is summarised and kept
  void clear();  ///< forgets the survey
  [[nodiscard]] bool busy() const { return runner_->busy(); }
  /// Null: none yet. While it runs, of the frames that are finished.
  [[nodiscard]] const std::shared_ptr<const Survey>& survey() const noexcept { return survey_; }

 signals:
  void changed();  ///< begun, more frames, ended, or cleared
  void failed(const spira::Error& error);

 private:
  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<const Survey> survey_;
  std::stop_source stop_;
  JobRunner* runner_;
};

}  // namespace spira::ui

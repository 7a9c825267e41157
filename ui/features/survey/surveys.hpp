// Runs the survey of the open folder of frames. Contains its job, its tab and its commands.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/features/survey/survey_panel.hpp"
#include "ui/jobs/survey_job.hpp"

#include <QObject>

#include <memory>
#include <span>

namespace spira::ui {

class DockLayout;
class EngineJobs;
class OpenDocument;

[[nodiscard]] std::span<const CommandFacts> survey_commands() noexcept;

class Surveys : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    EngineJobs& jobs;
    DockLayout& docks;
    const OpenDocument& document;
  };
  Surveys(const FeatureContext& context, const Parts& parts, std::shared_ptr<const Registry> registry);
  [[nodiscard]] SurveyJob& job() noexcept { return job_; }
  [[nodiscard]] SurveyPanel& panel() noexcept { return *panel_; }

 private:
  void run();
  void save();

  FeatureContext context_;
  Parts parts_;
  SurveyJob job_;
  SurveyPanel* panel_;
};

}  // namespace spira::ui

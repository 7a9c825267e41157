// Runs the survey of the open folder of frames, and opens surveys from files. Contains their job, tab and
// commands.
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
  /// Opens a survey and shows it in the tab. Returns false if the file is not a survey. The open scene stays
  /// open.
  [[nodiscard]] bool takes(const QString& file);
  [[nodiscard]] SurveyJob& job() noexcept { return job_; }
  [[nodiscard]] SurveyPanel& panel() noexcept { return *panel_; }

 signals:
  void openRequested(const QString& scene);  ///< A frame of a survey from a file.

 private:
  void run();
  void save();
  void showTab();
  void showFrame(int frame);
  [[nodiscard]] bool describesOpenFrames() const;

  FeatureContext context_;
  Parts parts_;
  SurveyJob job_;
  SurveyPanel* panel_;
};

}  // namespace spira::ui

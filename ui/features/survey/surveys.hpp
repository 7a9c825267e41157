// The survey of the open folder: its job, its tab and its commands.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/survey/survey_panel.hpp"
#include "ui/jobs/survey_job.hpp"

#include <QObject>

#include <memory>

namespace spira::ui {

class MainWindow;

[[nodiscard]] std::span<const CommandFacts> survey_commands() noexcept;

class Surveys : public QObject {
  Q_OBJECT
 public:
  /// Must be created after the tabs and the commands of the window.
  Surveys(std::shared_ptr<const Registry> registry, MainWindow* window);
  [[nodiscard]] SurveyJob& job() noexcept { return *job_; }
  [[nodiscard]] SurveyPanel& panel() noexcept { return *panel_; }
  void save(const QString& file) const;  ///< Throws Error(input) if the file cannot be written.

 private:
  void run();
  void saveDialog();

  MainWindow* window_;
  SurveyJob* job_;
  SurveyPanel* panel_;
};

}  // namespace spira::ui

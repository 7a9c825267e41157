// Selects the compute device of runs. Contains the device commands, the toolbar button, and the sampling
// settings.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/tasks.hpp"

#include <QObject>

#include <span>

class QToolButton;

namespace spira::ui {

class EngineJobs;

[[nodiscard]] std::span<const CommandFacts> device_commands() noexcept;

class Devices : public QObject {
  Q_OBJECT
 public:
  Devices(const FeatureContext& context, EngineJobs& jobs);
  [[nodiscard]] QToolButton* button() const noexcept { return button_; }

 private:
  void bindDevices();
  void makeButton();
  void followSettings();

  FeatureContext context_;
  EngineJobs& jobs_;
  QToolButton* button_;
  TaskSlot finder_;
};

}  // namespace spira::ui

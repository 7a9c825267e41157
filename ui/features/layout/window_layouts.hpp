// The commands for layouts, docks and tabs. Also stores the state of the window until the next start of the
// program.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/settings/json_file.hpp"

#include <QObject>

#include <span>

namespace spira::ui {

class Chart;
class DockLayout;

[[nodiscard]] std::span<const CommandFacts> layout_commands() noexcept;

class WindowLayouts : public QObject {
  Q_OBJECT
 public:
  /// If `state_folder` is empty, the window state is not stored.
  WindowLayouts(const FeatureContext& context, DockLayout& docks, const QString& state_folder);

  /// Restores the state of the window from the last run of the program.
  void restore();
  void keep();
  /// Arranges the docks after the first show event, because the window has no size before this event.
  void arrangeShown();
  /// Returns the description of a problem with the state file. Empty if there is no problem.
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 private:
  void bindLayouts();
  void bindLeftSide();
  void bindCharts();
  [[nodiscard]] Chart* chartInSight() const;

  FeatureContext context_;
  DockLayout& docks_;
  JsonFile file_;
  bool restored_ = false;  // True if the docks were restored from the last run of the program.
};

}  // namespace spira::ui

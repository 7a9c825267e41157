// The settings and keyboard shortcuts of the user: their dialogs, the themes, and how the window follows
// them.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/selection.hpp"

#include <QObject>
#include <QString>

#include <span>

namespace spira::ui {

[[nodiscard]] std::span<const CommandFacts> settings_commands() noexcept;

/// Returns the colours for scenes that were never opened before.
[[nodiscard]] ColourLook usual_look(const Settings& settings);

class Preferences : public QObject {
  Q_OBJECT
 public:
  explicit Preferences(const FeatureContext& context);

 private:
  void bindThemes();
  /// Applies only settings that changed, so that a look from the command line, a lesson or the classroom mode
  /// stays.
  void follow();

  FeatureContext context_;
  struct Followed {  // Settings of the look at the last call of follow().
    QString colour_map, theme;
    int text_percent = 0;
  };
  Followed followed_;
};

}  // namespace spira::ui

// The settings and keyboard shortcuts of the user, their dialogs, and the themes. Also applies changed
// settings to the window.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/scene_look.hpp"

#include <QObject>
#include <QString>

#include <span>

namespace spira::ui {

[[nodiscard]] std::span<const CommandFacts> settings_commands() noexcept;

/// Returns the colours for a scene that has never been opened before.
[[nodiscard]] ColourLook usual_look(const Settings& settings);

class Preferences : public QObject {
  Q_OBJECT
 public:
  explicit Preferences(const FeatureContext& context);
  /// Opens the settings dialog. If `id` is not empty, the focus is on this setting.
  void showDialog(const QString& id = {});

 private:
  void bindThemes();
  /// Applies only the settings that changed. Colours, theme and text size that were set by the command line,
  /// a lesson or the classroom mode therefore do not change.
  void follow();

  FeatureContext context_;
  struct Followed {  // Values at the last call of follow().
    QString colour_map, theme;
    int text_percent = 0;
  };
  Followed followed_;
};

}  // namespace spira::ui

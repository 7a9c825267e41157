#include "ui/features/settings/preferences.hpp"

#include "ui/features/settings/settings_dialog.hpp"
#include "ui/features/settings/shortcuts_dialog.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QMainWindow>

#include <utility>

namespace spira::ui {

ColourLook usual_look(const Settings& settings) {
  const QString map = settings.text("look.colour_map");
  ColourLook look;
  look.map = map == "cividis" ? ColourMap::cividis : map == "bands" ? ColourMap::bands : ColourMap::viridis;
  return look;
}

Preferences::Preferences(const FeatureContext& context) : QObject(&context.window), context_(context) {
  CommandSet* commands = &context.commands;
  Settings* settings = &context.settings;
  commands->takeKeys(settings->keys());
  connect(commands, &CommandSet::keysChanged, this,
          [commands, settings] { settings->setKeys(commands->changedKeys()); });
  commands->bind("edit.shortcuts",
                 [commands, &window = context.window] { ShortcutsDialog(commands, &window).exec(); });
  commands->bind("edit.settings", [commands, settings, &window = context.window] {
    SettingsDialog dialog(settings, &window);
    connect(&dialog, &SettingsDialog::keysRequested, &dialog,
            [commands, &dialog] { ShortcutsDialog(commands, &dialog).exec(); });
    dialog.exec();
  });
  bindThemes();
  follow();
  connect(settings, &Settings::changed, this, &Preferences::follow);
  connect(settings, &Settings::writeFailed, &context.workspace, &Workspace::addLog);
}

void Preferences::bindThemes() {
  Theme& theme = context_.theme;
  for (const char* name : {"system", "light", "dark", "contrast"}) {
    const auto follow = context_.commands.bindMark(
        QString("theme.") + name,
        [this, name] {
          // The theme is set even if the setting does not change, because the command line may have set
          // another theme.
          context_.theme.choose(theme_choice(name));
          context_.settings.set("look.theme", name);
        },
        [&theme, name] { return theme.choice() == theme_choice(name); });
    connect(&theme, &Theme::changed, this, follow);
  }
}

void Preferences::follow() {
  const Settings& settings = context_.settings;
  const Followed now{settings.text("look.colour_map"), settings.text("look.theme"),
                     settings.whole("look.text_percent")};
  const Followed before = std::exchange(followed_, now);
  if (before.colour_map != now.colour_map) {
    ColourLook look = context_.selection.look();
    look.map = usual_look(settings).map;
    context_.selection.setLook(look);
  }
  if (before.text_percent != now.text_percent) context_.theme.setTextPercent(now.text_percent);
  if (before.theme != now.theme) context_.theme.choose(theme_choice(now.theme));
  const bool calm = settings.truth("look.reduced_motion");
  context_.window.setAnimated(!calm);
  for (const Qt::UIEffect effect : {Qt::UI_AnimateMenu, Qt::UI_FadeMenu, Qt::UI_AnimateCombo,
                                    Qt::UI_AnimateTooltip, Qt::UI_FadeTooltip, Qt::UI_AnimateToolBox})
    QApplication::setEffectEnabled(effect, !calm);
}

}  // namespace spira::ui

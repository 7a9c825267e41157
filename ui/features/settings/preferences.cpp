#include "ui/features/settings/preferences.hpp"

#include "ui/features/settings/settings_dialog.hpp"
#include "ui/features/settings/shortcuts_dialog.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QMainWindow>
#include <QtGlobal>

#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto settings_table = std::to_array<CommandFacts>({
    {"edit.shortcuts", QT_TRANSLATE_NOOP("Command", "Keyboard shortcuts..."), "Ctrl+Alt+K",
     QT_TRANSLATE_NOOP("Command", "Show, search and change all keyboard shortcuts"), 300, Menu::edit, 2,
     Opens::dialog},
    {"edit.settings", QT_TRANSLATE_NOOP("Command", "Settings..."), "Ctrl+,",
     QT_TRANSLATE_NOOP("Command", "Change theme, text size, animation, measurement and crash recovery"), 310,
     Menu::edit, 2, Opens::dialog},
    {"theme.light", QT_TRANSLATE_NOOP("Command", "Light theme"), "", "", 1680, Menu::theme, 1},
    {"theme.dark", QT_TRANSLATE_NOOP("Command", "Dark theme"), "", "", 1690, Menu::theme, 1},
    {"theme.contrast", QT_TRANSLATE_NOOP("Command", "High contrast theme"), "",
     QT_TRANSLATE_NOOP("Command", "Use white on black with strong lines"), 1700, Menu::theme, 1},
    {"theme.system", QT_TRANSLATE_NOOP("Command", "System theme"), "", "", 1710, Menu::theme, 1},
});

}  // namespace

std::span<const CommandFacts> settings_commands() noexcept {
  return settings_table;
}

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
  commands->bind("edit.settings", [this] { showDialog(); });
  bindThemes();
  follow();
  connect(settings, &Settings::changed, this, &Preferences::follow);
  connect(settings, &Settings::writeFailed, &context.workspace, &Workspace::addLog);
}

void Preferences::showDialog(const QString& id) {
  SettingsDialog dialog(&context_.settings, &context_.window);
  connect(&dialog, &SettingsDialog::keysRequested, &dialog,
          [this, &dialog] { ShortcutsDialog(&context_.commands, &dialog).exec(); });
  if (!id.isEmpty()) dialog.focusSetting(id);
  dialog.exec();
}

void Preferences::bindThemes() {
  Theme& theme = context_.theme;
  for (const char* name : {"system", "light", "dark", "contrast"}) {
    const auto follow = context_.commands.bindMark(
        QString("theme.") + name,
        [this, name] {
          // Set the theme even if the setting does not change, because the command line may have set another
          // theme.
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
    ColourLook look = context_.selection.look().colours();
    look.map = usual_look(settings).map;
    context_.selection.look().setColours(look);
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

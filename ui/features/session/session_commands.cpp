#include "ui/features/session/sessions.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto session_table = std::to_array<CommandFacts>({
    {"file.reload", QT_TRANSLATE_NOOP("Command", "Reload"), "Ctrl+R",
     QT_TRANSLATE_NOOP("Command", "Read the scene file again, but keep camera, colours and crop"), 40,
     Menu::file, 1},
    {"file.watch", QT_TRANSLATE_NOOP("Command", "Reload when the file changes"), "",
     QT_TRANSLATE_NOOP("Command", "Reload the scene when its file changes"), 50, Menu::file, 1},
    {"file.save_session", QT_TRANSLATE_NOOP("Command", "Save session"), "Ctrl+S",
     QT_TRANSLATE_NOOP("Command", "Save scene, settings and view to a file"), 220, Menu::file, 1},
    {"file.save_session_as", QT_TRANSLATE_NOOP("Command", "Save session as..."), "Ctrl+Shift+S",
     QT_TRANSLATE_NOOP("Command", "Save the session under another name"), 230, Menu::file, 1, Opens::dialog},
    {"file.recover", QT_TRANSLATE_NOOP("Command", "Restore after a crash..."), "",
     QT_TRANSLATE_NOOP("Command", "Restore or discard the scenes of windows that did not shut down properly"),
     240, Menu::file, 1, Opens::dialog},
    {"file.close", QT_TRANSLATE_NOOP("Command", "Close"), "Ctrl+W",
     QT_TRANSLATE_NOOP("Command", "Close the scene or report. In a lesson, leave the lesson."), 260,
     Menu::file, 1},
    {"file.quit", QT_TRANSLATE_NOOP("Command", "Quit"), "Ctrl+Q", "", 270, Menu::file, 1},
});

}  // namespace

std::span<const CommandFacts> session_commands() noexcept {
  return session_table;
}

}  // namespace spira::ui

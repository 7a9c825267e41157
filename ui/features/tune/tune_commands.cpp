#include "ui/features/tune/profile_tools.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto tune_table = std::to_array<CommandFacts>({
    {"tune.open", QT_TRANSLATE_NOOP("Command", "Tune..."), "Ctrl+T",
     QT_TRANSLATE_NOOP("Command", "Find the fastest setting of each layer within a time limit"), 1200,
     Menu::run, 5, Opens::dialog},
    {"tune.apply", QT_TRANSLATE_NOOP("Command", "Apply the tuning profile"), "", "", 1210, Menu::run, 5},
    {"tune.use_anyway", QT_TRANSLATE_NOOP("Command", "Use the tuning profile of another device"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Use a profile measured on another device. Reports record that it was used."),
     1220, Menu::run, 5},
    {"tune.open_profile", QT_TRANSLATE_NOOP("Command", "Open tuning profile..."), "", "", 1230, Menu::run, 5,
     Opens::dialog},
    {"tune.save", QT_TRANSLATE_NOOP("Command", "Save tuning profile..."), "", "", 1240, Menu::run, 5,
     Opens::dialog},
    {"compare.set_baseline", QT_TRANSLATE_NOOP("Command", "Set as baseline"), "B",
     QT_TRANSLATE_NOOP("Command", "Compare the next runs with this run"), 1250, Menu::run, 6},
    {"compare.show", QT_TRANSLATE_NOOP("Command", "Show comparison"), "", "", 1260, Menu::run, 6},
});

}  // namespace

std::span<const CommandFacts> tune_commands() noexcept {
  return tune_table;
}

}  // namespace spira::ui

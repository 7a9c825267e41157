#include "ui/features/survey/surveys.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto survey_table = std::to_array<CommandFacts>({
    {"survey.run", QT_TRANSLATE_NOOP("Command", "Survey this folder"), "",
     QT_TRANSLATE_NOOP("Command", "Survey all frames, and show statistics and outliers"), 380, Menu::scene,
     4},
    {"survey.stop", QT_TRANSLATE_NOOP("Command", "Stop the survey"), "",
     QT_TRANSLATE_NOOP("Command", "Stop the survey and keep the finished frames"), 390, Menu::scene, 4},
    {"survey.save", QT_TRANSLATE_NOOP("Command", "Save survey (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the rows of all frames and the summary"), 400, Menu::scene, 4,
     Opens::dialog},
});

}  // namespace

std::span<const CommandFacts> survey_commands() noexcept {
  return survey_table;
}

}  // namespace spira::ui

#include "ui/features/scene/crop_and_frames.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto scene_table = std::to_array<CommandFacts>({
    {"frame.previous", QT_TRANSLATE_NOOP("Command", "Previous frame"), "Left", "", 350, Menu::scene, 3},
    {"frame.next", QT_TRANSLATE_NOOP("Command", "Next frame"), "Right", "", 360, Menu::scene, 3},
    {"frame.play", QT_TRANSLATE_NOOP("Command", "Play or pause the frames"), "Space",
     QT_TRANSLATE_NOOP("Command", "Show the frames in sequence"), 370, Menu::scene, 3},
    {"crop.box", QT_TRANSLATE_NOOP("Command", "Crop box"), "C",
     QT_TRANSLATE_NOOP("Command", "Show the crop as a box with handles, together with the removed points"),
     410, Menu::scene, 1},
    {"crop.reset", QT_TRANSLATE_NOOP("Command", "Remove crop"), "Shift+C",
     QT_TRANSLATE_NOOP("Command", "Use all points of the scene"), 420, Menu::scene, 1},
});

}  // namespace

std::span<const CommandFacts> scene_commands() noexcept {
  return scene_table;
}

}  // namespace spira::ui

#include "ui/features/select/selecting.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto select_table = std::to_array<CommandFacts>({
    {"select.box", QT_TRANSLATE_NOOP("Command", "Select with a rectangle"), "R",
     QT_TRANSLATE_NOOP("Command", "Drag a rectangle around voxels; Ctrl adds, Shift removes"), 430,
     Menu::scene, 2},
    {"select.lasso", QT_TRANSLATE_NOOP("Command", "Select with a lasso"), "L",
     QT_TRANSLATE_NOOP("Command", "Draw around voxels; Ctrl adds, Shift removes"), 440, Menu::scene, 2},
    {"select.voxel", QT_TRANSLATE_NOOP("Command", "Choose the centre voxel"), "P",
     QT_TRANSLATE_NOOP("Command", "Choose the visible voxel nearest to the centre of the view"), 450,
     Menu::scene, 2},
    {"select.next_voxel", QT_TRANSLATE_NOOP("Command", "Next voxel"), "N",
     QT_TRANSLATE_NOOP("Command", "Choose the next voxel in the order of packed keys (z changes fastest)"),
     460, Menu::scene, 2},
    {"select.previous_voxel", QT_TRANSLATE_NOOP("Command", "Previous voxel"), "Shift+N", "", 470, Menu::scene,
     2},
    {"select.voxel_at", QT_TRANSLATE_NOOP("Command", "Choose voxel by coordinates..."), "Shift+P",
     QT_TRANSLATE_NOOP("Command", "Choose the occupied voxel with the given x, y, z at the visible stride"),
     480, Menu::scene, 2, Opens::dialog},
    {"select.grow", QT_TRANSLATE_NOOP("Command", "Grow the selection"), "Ctrl+G",
     QT_TRANSLATE_NOOP("Command", "Add all voxels that touch the selection or the chosen voxel"), 490,
     Menu::scene, 2},
    {"select.invert", QT_TRANSLATE_NOOP("Command", "Invert the selection"), "Ctrl+I",
     QT_TRANSLATE_NOOP("Command", "Select all other visible voxels"), 500, Menu::scene, 2},
    {"select.clear", QT_TRANSLATE_NOOP("Command", "Clear selection"), "Ctrl+Shift+A", "", 510, Menu::scene,
     2},
    {"select.save", QT_TRANSLATE_NOOP("Command", "Save the selection..."), "Ctrl+Shift+E",
     QT_TRANSLATE_NOOP("Command", "Write the selected voxels as PLY, NPY or CSV"), 520, Menu::scene, 2,
     Opens::dialog},
    {"select.back", QT_TRANSLATE_NOOP("Command", "Previous selection"), "Alt+Left",
     QT_TRANSLATE_NOOP("Command", "Restore the previous layer, stride, offsets and voxels"), 530, Menu::scene,
     2},
    {"select.forward", QT_TRANSLATE_NOOP("Command", "Next selection"), "Alt+Right", "", 540, Menu::scene, 2},
    {"view.clear", QT_TRANSLATE_NOOP("Command", "Clear highlights"), "Esc", "", 900, Menu::view, 1},
});

}  // namespace

std::span<const CommandFacts> select_commands() noexcept {
  return select_table;
}

}  // namespace spira::ui

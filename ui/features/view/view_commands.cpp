#include "ui/features/view/look.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto view_table = std::to_array<CommandFacts>({
    {"view.stride_1", QT_TRANSLATE_NOOP("Command", "Show stride 1"), "1", "", 550, Menu::view, 1},
    {"view.stride_2", QT_TRANSLATE_NOOP("Command", "Show stride 2"), "2", "", 560, Menu::view, 1},
    {"view.stride_4", QT_TRANSLATE_NOOP("Command", "Show stride 4"), "3", "", 570, Menu::view, 1},
    {"view.stride_8", QT_TRANSLATE_NOOP("Command", "Show stride 8"), "4", "", 580, Menu::view, 1},
    {"view.stride_16", QT_TRANSLATE_NOOP("Command", "Show stride 16"), "5", "", 590, Menu::view, 1},
    {"view.next_colour", QT_TRANSLATE_NOOP("Command", "Next colouring"), "S", "", 600, Menu::view, 1},
    {"colour.viridis", QT_TRANSLATE_NOOP("Command", "Colour map: viridis"), "", "", 610, Menu::view, 2},
    {"colour.cividis", QT_TRANSLATE_NOOP("Command", "Colour map: cividis"), "",
     QT_TRANSLATE_NOOP("Command", "Suitable for red-green colour blindness"), 620, Menu::view, 2},
    {"colour.bands", QT_TRANSLATE_NOOP("Command", "Colour map: projector, 7 bands"), "",
     QT_TRANSLATE_NOOP("Command", "Seven colours with names, for a lecture room"), 630, Menu::view, 2},
    {"colour.range_all", QT_TRANSLATE_NOOP("Command", "Colour range: all voxels"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Use the range of all voxels. In a sequence, the range of the current frame is kept "
                       "for the other frames."),
     640, Menu::view, 2},
    {"colour.range_view", QT_TRANSLATE_NOOP("Command", "Colour range: voxels in view"), "V",
     QT_TRANSLATE_NOOP("Command", "Use the range of the voxels in view; the range follows the camera"), 650,
     Menu::view, 2},
    {"colour.show_classes", QT_TRANSLATE_NOOP("Command", "Show all classes"), "", "", 660, Menu::view, 2},
    {"view.slab", QT_TRANSLATE_NOOP("Command", "Show z slab"), "Z",
     QT_TRANSLATE_NOOP("Command", "Show only voxels between two heights"), 670, Menu::view, 1},
    {"view.frame", QT_TRANSLATE_NOOP("Command", "Zoom to selection"), "F",
     QT_TRANSLATE_NOOP("Command", "Zoom to the chosen voxel or selection, or show all voxels"), 680,
     Menu::view, 1},
    {"view.reset", QT_TRANSLATE_NOOP("Command", "Reset camera"), "Home", "", 690, Menu::view, 1},
    {"view.top", QT_TRANSLATE_NOOP("Command", "View from above"), "Num+7", "", 700, Menu::view, 1},
    {"view.front", QT_TRANSLATE_NOOP("Command", "View from the front"), "Num+1", "", 710, Menu::view, 1},
    {"view.side", QT_TRANSLATE_NOOP("Command", "View from the side"), "Num+3", "", 720, Menu::view, 1},
    {"view.below", QT_TRANSLATE_NOOP("Command", "View from below"), "Num+9", "", 730, Menu::view, 1},
    {"view.orthographic", QT_TRANSLATE_NOOP("Command", "Parallel projection"), "Num+5",
     QT_TRANSLATE_NOOP("Command", "Draw near and far objects at the same size"), 740, Menu::view, 1},
    {"view.automatic", QT_TRANSLATE_NOOP("Command", "Voxels as cubes or points, by size"), "",
     QT_TRANSLATE_NOOP("Command", "Cubes if a voxel covers at least 3 pixels, otherwise points"), 750,
     Menu::view, 1},
    {"view.points", QT_TRANSLATE_NOOP("Command", "Voxels as points"), "", "", 760, Menu::view, 1},
    {"view.cubes", QT_TRANSLATE_NOOP("Command", "Voxels as cubes"), "",
     QT_TRANSLATE_NOOP("Command", "Draw all voxels as cubes, whatever their size"), 770, Menu::view, 1},
    {"view.outlined", QT_TRANSLATE_NOOP("Command", "Voxels as cubes with edges"), "",
     QT_TRANSLATE_NOOP("Command", "Draw all voxels as cubes, whatever their size"), 780, Menu::view, 1},
    {"view.depth", QT_TRANSLATE_NOOP("Command", "Depth shading"), "D",
     QT_TRANSLATE_NOOP("Command", "Darken the edges of voxels that are in front of distant voxels"), 790,
     Menu::view, 1},
    {"view.voxels", QT_TRANSLATE_NOOP("Command", "Voxels"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the voxels in the 3D view"), 800, Menu::view, 1},
    {"view.highlights", QT_TRANSLATE_NOOP("Command", "Highlights"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the highlights; the selection does not change"), 810,
     Menu::view, 1},
    {"view.axes", QT_TRANSLATE_NOOP("Command", "Axes and scale bar"), "X", "", 820, Menu::view, 1},
    {"view.grid", QT_TRANSLATE_NOOP("Command", "Grid on the ground"), "G",
     QT_TRANSLATE_NOOP("Command", "Show a grid below the voxels with lines at whole metres"), 830, Menu::view,
     1},
    {"view.part", QT_TRANSLATE_NOOP("Command", "Show or hide selected part"), "Shift+H",
     QT_TRANSLATE_NOOP("Command", "Show or hide the part in the selected row of Scenes"), 840, Menu::view, 1},
    {"view.part_alone", QT_TRANSLATE_NOOP("Command", "Show only selected part"), "Ctrl+Shift+H",
     QT_TRANSLATE_NOOP("Command",
                       "Show only the part in the selected row of Scenes (or Alt+click its eye). Repeat to "
                       "show the other parts."),
     850, Menu::view, 1},
    {"view.measure", QT_TRANSLATE_NOOP("Command", "Measure a distance"), "M",
     QT_TRANSLATE_NOOP("Command", "Click two voxels to show the distance in metres and voxels"), 860,
     Menu::view, 1},
    {"view.up_z", QT_TRANSLATE_NOOP("Command", "Up is z"), "",
     QT_TRANSLATE_NOOP("Command", "Use z as the vertical axis of the camera, as in most scans"), 870,
     Menu::view, 1},
    {"view.up_y", QT_TRANSLATE_NOOP("Command", "Up is y"), "",
     QT_TRANSLATE_NOOP("Command", "Use y as the vertical axis of the camera"), 880, Menu::view, 1},
    {"view.up_minus_y", QT_TRANSLATE_NOOP("Command", "Up is minus y"), "",
     QT_TRANSLATE_NOOP("Command", "Use -y as the vertical axis, for points in camera coordinates"), 890,
     Menu::view, 1},
});

}  // namespace

std::span<const CommandFacts> view_commands() noexcept {
  return view_table;
}

}  // namespace spira::ui

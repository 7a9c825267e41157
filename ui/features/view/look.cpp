#include "ui/features/view/look.hpp"

#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/reasons.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/slab_box.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene/scene_colouring.hpp"
#include "ui/view3d/scene/scene_marks.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"

#include <QMainWindow>
#include <QTreeWidget>
#include <QtGlobal>

#include <array>
#include <tuple>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto view_table = std::to_array<CommandFacts>({
    {"view.stride_1", QT_TRANSLATE_NOOP("Command", "Show stride 1"), "1", "", 550, Menu::stride, 1},
    {"view.stride_2", QT_TRANSLATE_NOOP("Command", "Show stride 2"), "2", "", 560, Menu::stride, 1},
    {"view.stride_4", QT_TRANSLATE_NOOP("Command", "Show stride 4"), "3", "", 570, Menu::stride, 1},
    {"view.stride_8", QT_TRANSLATE_NOOP("Command", "Show stride 8"), "4", "", 580, Menu::stride, 1},
    {"view.stride_16", QT_TRANSLATE_NOOP("Command", "Show stride 16"), "5", "", 590, Menu::stride, 1},
    {"view.next_colour", QT_TRANSLATE_NOOP("Command", "Colour by the next value"), "S",
     QT_TRANSLATE_NOOP(
         "Command",
         "Colour the voxels by the next value of the list: height, intensity, points per voxel, "
         "and so on"),
     600, Menu::colours, 1},
    {"colour.viridis", QT_TRANSLATE_NOOP("Command", "Colour map: viridis"), "", "", 610, Menu::colours, 2},
    {"colour.cividis", QT_TRANSLATE_NOOP("Command", "Colour map: cividis"), "",
     QT_TRANSLATE_NOOP("Command", "Suitable for red-green colour blindness"), 620, Menu::colours, 2},
    {"colour.bands", QT_TRANSLATE_NOOP("Command", "Colour map: projector, 7 bands"), "",
     QT_TRANSLATE_NOOP("Command", "Use seven colours with common names, for a lecture room"), 630,
     Menu::colours, 2},
    {"colour.range_all", QT_TRANSLATE_NOOP("Command", "Colour range: all voxels"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Use the range of all voxels. In a sequence, the range of the current frame is kept "
                       "for the other frames."),
     640, Menu::colours, 3},
    {"colour.range_view", QT_TRANSLATE_NOOP("Command", "Colour range: voxels in view"), "V",
     QT_TRANSLATE_NOOP("Command", "Use the range of the voxels in view; the range follows the camera"), 650,
     Menu::colours, 3},
    {"colour.show_classes", QT_TRANSLATE_NOOP("Command", "Show all classes"), "", "", 660, Menu::colours, 4},
    {"view.slab", QT_TRANSLATE_NOOP("Command", "Show z slab"), "Z",
     QT_TRANSLATE_NOOP("Command", "Show only voxels between two heights"), 670, Menu::view, 2},
    {"view.frame", QT_TRANSLATE_NOOP("Command", "Zoom to selection"), "F",
     QT_TRANSLATE_NOOP("Command", "Zoom to the selection. If nothing is selected, show all voxels."), 680,
     Menu::camera, 1},
    {"view.reset", QT_TRANSLATE_NOOP("Command", "Reset camera"), "Home", "", 690, Menu::camera, 1},
    {"view.top", QT_TRANSLATE_NOOP("Command", "View from above"), "Num+7", "", 700, Menu::camera, 2},
    {"view.front", QT_TRANSLATE_NOOP("Command", "View from the front"), "Num+1", "", 710, Menu::camera, 2},
    {"view.side", QT_TRANSLATE_NOOP("Command", "View from the side"), "Num+3", "", 720, Menu::camera, 2},
    {"view.below", QT_TRANSLATE_NOOP("Command", "View from below"), "Num+9", "", 730, Menu::camera, 2},
    {"view.orthographic", QT_TRANSLATE_NOOP("Command", "Parallel projection"), "Num+5",
     QT_TRANSLATE_NOOP("Command", "Draw near and far objects at the same size"), 740, Menu::camera, 3},
    {"view.automatic", QT_TRANSLATE_NOOP("Command", "Voxels as cubes or points (automatic)"), "",
     QT_TRANSLATE_NOOP("Command", "Draw cubes if a voxel covers at least 3 pixels, otherwise points"), 750,
     Menu::voxel_style, 1},
    {"view.points", QT_TRANSLATE_NOOP("Command", "Voxels as points"), "", "", 760, Menu::voxel_style, 1},
    {"view.cubes", QT_TRANSLATE_NOOP("Command", "Voxels as cubes"), "",
     QT_TRANSLATE_NOOP("Command", "Draw all voxels as cubes, even if they are small on the screen"), 770,
     Menu::voxel_style, 1},
    {"view.outlined", QT_TRANSLATE_NOOP("Command", "Voxels as cubes with edges"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Draw all voxels as cubes with edges, even if they are small on the screen"),
     780, Menu::voxel_style, 1},
    {"view.depth", QT_TRANSLATE_NOOP("Command", "Depth shading"), "D",
     QT_TRANSLATE_NOOP("Command", "Draw dark edges where a near voxel covers a distant voxel"), 790,
     Menu::voxel_style, 2},
    {"view.voxels", QT_TRANSLATE_NOOP("Command", "Voxels"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the voxels in the 3D view"), 800, Menu::view, 2},
    {"view.voxel_points", QT_TRANSLATE_NOOP("Command", "Points"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the points in voxels near the camera"), 802, Menu::view, 2},
    {"view.cells_on_point", QT_TRANSLATE_NOOP("Command", "Cells around the point"), "U",
     QT_TRANSLATE_NOOP("Command",
                       "Draw the cells of the selected voxel around its point. If off, draw them around "
                       "the voxel, to compare with the neighbourhood voxels."),
     804, Menu::view, 2},
    {"view.highlights", QT_TRANSLATE_NOOP("Command", "Highlights"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the highlights; the selection does not change"), 810,
     Menu::view, 2},
    {"view.axes", QT_TRANSLATE_NOOP("Command", "Axes and scale bar"), "X", "", 820, Menu::view, 2},
    {"view.grid", QT_TRANSLATE_NOOP("Command", "Ground grid"), "G",
     QT_TRANSLATE_NOOP("Command",
                       "Show a grid below the voxels; the scale bar shows the distance between its lines"),
     830, Menu::view, 2},
    {"view.part", QT_TRANSLATE_NOOP("Command", "Show or hide selected item"), "Shift+H",
     QT_TRANSLATE_NOOP("Command", "Show or hide the item that is selected in Scenes"), 840, Menu::view, 3},
    {"view.part_alone", QT_TRANSLATE_NOOP("Command", "Show only selected item"), "Ctrl+Shift+H",
     QT_TRANSLATE_NOOP("Command",
                       "Show only the item that is selected in Scenes (or Alt+click its eye icon). Repeat "
                       "to show the other items again."),
     850, Menu::view, 3},
    {"view.measure", QT_TRANSLATE_NOOP("Command", "Measure a distance"), "M",
     QT_TRANSLATE_NOOP("Command", "Click two voxels to show their distance"), 860, Menu::view, 4},
    {"view.up_z", QT_TRANSLATE_NOOP("Command", "Up axis: z"), "",
     QT_TRANSLATE_NOOP("Command", "Use z as the vertical axis of the camera, as in most scans"), 870,
     Menu::camera, 4},
    {"view.up_y", QT_TRANSLATE_NOOP("Command", "Up axis: y"), "",
     QT_TRANSLATE_NOOP("Command", "Use y as the vertical axis of the camera"), 880, Menu::camera, 4},
    {"view.up_minus_y", QT_TRANSLATE_NOOP("Command", "Up axis: -y"), "",
     QT_TRANSLATE_NOOP("Command", "Use -y as the vertical axis, for points in camera coordinates"), 890,
     Menu::camera, 4},
});

}  // namespace

std::span<const CommandFacts> view_commands() noexcept {
  return view_table;
}

Look::Look(const FeatureContext& context, SceneView& view, ParameterHistory& history)
    : QObject(&context.window), context_(context) {
  bindStrides();
  bindStyles(history);
  bindPointSize();
  bindColours(view);
  bindCells(view);
}

void Look::bindStrides() {
  Selection& selection = context_.selection;
  const Workspace& workspace = context_.workspace;
  const auto has_scene = [&workspace] { return why_no_scene(workspace); };
  for (const int stride : {1, 2, 4, 8, 16}) {
    context_.commands.bind(
        QString("view.stride_%1").arg(stride), [&selection, stride] { selection.setStride(stride); },
        has_scene);
  }
  context_.commands.bind(
      "view.next_colour",
      [&selection, &workspace] {
        for (int step = 1; step <= colourings; ++step) {
          const auto next =
              static_cast<ColourBy>((static_cast<int>(selection.look().colourBy()) + step) % colourings);
          if (!colouring_unavailable_reason(next, workspace, selection).isEmpty()) continue;
          return selection.look().setColourBy(next);
        }
      },
      has_scene);
}

/// Implements the voxel style commands. A style that the user selects is also used at the next start, unlike
/// a style that a session or undo restores.
void Look::bindStyles(ParameterHistory& history) {
  Selection& selection = context_.selection;
  const std::vector<std::tuple<QString, VoxelStyle, QString>> styles{
      {"view.automatic", VoxelStyle::automatic, "automatic"},
      {"view.points", VoxelStyle::points, "points"},
      {"view.cubes", VoxelStyle::cubes, "cubes"},
      {"view.outlined", VoxelStyle::outlined, "outlined"}};
  for (const auto& [id, style, name] : styles) {
    if (context_.settings.text("look.voxels") == name) selection.look().setVoxelStyle(style);
    const auto follow = context_.commands.bindMark(
        id,
        [this, &history, style = style, name = name] {
          context_.selection.look().setVoxelStyle(style);
          if (!history.paused()) context_.settings.set("look.voxels", name);
        },
        [&selection, style = style] { return selection.look().voxelStyle() == style; },
        [&workspace = context_.workspace] { return why_no_scene(workspace); });
    connect(&selection.look(), &SceneLook::voxelStyleChanged, this, follow);
  }
}

/// Stores the point size as a setting, so that it is the same at the next start.
void Look::bindPointSize() {
  Selection& selection = context_.selection;
  Settings& settings = context_.settings;
  const auto follow = [&] {
    selection.look().setPointPercent(static_cast<int>(settings.whole("look.point_percent")));
  };
  connect(&settings, &Settings::changed, this, follow);
  connect(&selection.look(), &SceneLook::pointPercentChanged, this,
          [&] { settings.set("look.point_percent", selection.look().pointPercent()); });
  follow();
}

void Look::bindColours(SceneView& view) {
  CommandSet& commands = context_.commands;
  Selection& selection = context_.selection;
  const auto has_scene = [&workspace = context_.workspace] { return why_no_scene(workspace); };
  for (const auto& [id, map] : {std::pair{"colour.viridis", ColourMap::viridis},
                                {"colour.cividis", ColourMap::cividis},
                                {"colour.bands", ColourMap::bands}}) {
    commands.bind(
        id,
        [&selection, map = map] {
          ColourLook look = selection.look().colours();
          look.map = map;
          selection.look().setColours(look);
        },
        has_scene);
  }
  for (const auto& [id, range] :
       {std::pair{"colour.range_all", RangeMode::all}, {"colour.range_view", RangeMode::view}}) {
    commands.bind(
        id,
        [&selection, &view, range = range] {
          ColourLook look = selection.look().colours();
          look.range = range;
          selection.look().setColours(look);
          if (range == RangeMode::all) view.colouring().recomputeRange();
        },
        has_scene);
  }
  commands.bind(
      "colour.show_classes", [&selection] { selection.look().setHiddenLabels({}); },
      [&selection] {
        return selection.look().hiddenLabels().empty() ? tr("no class is hidden") : QString();
      });
  connect(&selection.look(), &SceneLook::hiddenLabelsChanged, &commands, &CommandSet::refreshSoon);
}

void Look::bindParts(ViewParts& parts, CropBox& crop, ScenesPanel& scenes) {
  CommandSet& commands = context_.commands;
  const Workspace& workspace = context_.workspace;
  for (const auto& [id, part] : {std::pair{"view.voxels", ViewPart::voxels},
                                 {"view.voxel_points", ViewPart::points},
                                 {"view.highlights", ViewPart::highlights},
                                 {"view.axes", ViewPart::axes},
                                 {"view.grid", ViewPart::grid}}) {
    const auto follow = commands.bindMark(
        id, [&parts, part = part] { parts.toggle(part); },
        [&parts, part = part] { return parts.shows(part); },
        [&workspace, part = part] {
          const QString why = why_no_scene(workspace);
          const bool missing =
              part == ViewPart::points && why.isEmpty() && workspace.scene().voxels()->positions.empty();
          return missing ? tr("no layer has the neighbourhood cube or ball") : why;
        });
    connect(&parts, &ViewParts::changed, this, follow);
  }
  const auto has_part = [&scenes] { return scenes.whyNoPart(); };
  commands.bind(
      "view.part", [&scenes] { scenes.togglePart(); }, has_part);
  commands.bind(
      "view.part_alone", [&scenes] { scenes.togglePartAlone(); }, has_part);
  for (const char* id : {"view.part", "view.part_alone"})
    scenes.tree()->addAction(commands.action(id));
  connect(&scenes, &ScenesPanel::partChosen, &commands, &CommandSet::refreshSoon);
  // While the crop box is visible, the user can drag it.
  connect(&crop, &CropBox::editingChanged, &parts,
          [&parts](bool editing) { parts.show(ViewPart::crop_box, editing); });
  connect(&parts, &ViewParts::changed, &crop, [&parts, &crop, &workspace] {
    crop.setEditing(workspace.scene().cloud() && parts.shows(ViewPart::crop_box));
  });
}

void Look::bindCells(SceneView& view) {
  SceneLook& look = context_.selection.look();
  const auto follow = context_.commands.bindMark(
      "view.cells_on_point", [&look] { look.setCellsOnPoint(!look.cellsOnPoint()); },
      [&look] { return look.cellsOnPoint(); },
      [&workspace = context_.workspace, &selection = context_.selection] {
        QString why = why_no_scene(workspace);
        if (!why.isEmpty()) return why;
        const auto map = shown_map(workspace, selection).map;
        return map && map->many() ? QString()
                                  : tr("run and select a layer with the neighbourhood cube or ball first");
      });
  connect(&look, &SceneLook::cellsOnPointChanged, this, follow);
  connect(&context_.selection, &Selection::layerChanged, &context_.commands, &CommandSet::refreshSoon);
  connect(&context_.selection, &Selection::strideChanged, &context_.commands, &CommandSet::refreshSoon);
  connect(&context_.workspace.results(), &RunResults::layerChanged, &context_.commands,
          &CommandSet::refreshSoon);
  const auto calm = [this, &view] {
    view.marks().native().setCalm(context_.settings.truth("look.reduced_motion"));
  };
  connect(&context_.settings, &Settings::changed, this, calm);
  calm();
}

void Look::bindSlab(PointsPanel& points, DockLayout& docks) {
  context_.commands.bind(
      "view.slab",
      [this, &points, &docks] {
        points.slabBox()->toggle();
        if (context_.selection.look().slab()) docks.show("points");
      },
      [&workspace = context_.workspace] { return why_no_scene(workspace); });
}

}  // namespace spira::ui

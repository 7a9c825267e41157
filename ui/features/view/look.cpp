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
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/voxels/colour_sources.hpp"

#include <QMainWindow>
#include <QTreeWidget>

#include <tuple>
#include <utility>

namespace spira::ui {

Look::Look(const FeatureContext& context, SceneView& view, ParameterHistory& history)
    : QObject(&context.window), context_(context) {
  bindStrides();
  bindStyles(history);
  bindColours(view);
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
              static_cast<ColourBy>((static_cast<int>(selection.colourBy()) + step) % colourings);
          if (!colouring_unavailable_reason(next, workspace, selection).isEmpty()) continue;
          return selection.setColourBy(next);
        }
      },
      has_scene);
}

/// Implements the voxel style commands. The style that the user selects is also the style at the next start.
/// Sessions and undo do not change the style for the next start.
void Look::bindStyles(ParameterHistory& history) {
  Selection& selection = context_.selection;
  const std::vector<std::tuple<QString, VoxelStyle, QString>> styles{
      {"view.automatic", VoxelStyle::automatic, "automatic"},
      {"view.points", VoxelStyle::points, "points"},
      {"view.cubes", VoxelStyle::cubes, "cubes"},
      {"view.outlined", VoxelStyle::outlined, "outlined"}};
  for (const auto& [id, style, name] : styles) {
    if (context_.settings.text("look.voxels") == name) selection.setVoxelStyle(style);
    const auto follow = context_.commands.bindMark(
        id,
        [this, &history, style = style, name = name] {
          context_.selection.setVoxelStyle(style);
          if (!history.paused()) context_.settings.set("look.voxels", name);
        },
        [&selection, style = style] { return selection.voxelStyle() == style; },
        [&workspace = context_.workspace] { return why_no_scene(workspace); });
    connect(&selection, &Selection::voxelStyleChanged, this, follow);
  }
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
          ColourLook look = selection.look();
          look.map = map;
          selection.setLook(look);
        },
        has_scene);
  }
  for (const auto& [id, range] :
       {std::pair{"colour.range_all", RangeMode::all}, {"colour.range_view", RangeMode::view}}) {
    commands.bind(
        id,
        [&selection, &view, range = range] {
          ColourLook look = selection.look();
          look.range = range;
          selection.setLook(look);
          if (range == RangeMode::all) view.colouring().recomputeRange();
        },
        has_scene);
  }
  commands.bind(
      "colour.show_classes", [&selection] { selection.setHiddenLabels({}); },
      [&selection] { return selection.hiddenLabels().empty() ? tr("no class is hidden") : QString(); });
  connect(&selection, &Selection::hiddenLabelsChanged, &commands, &CommandSet::refreshSoon);
}

void Look::bindParts(ViewParts& parts, CropBox& crop, ScenesPanel& scenes) {
  CommandSet& commands = context_.commands;
  const Workspace& workspace = context_.workspace;
  for (const auto& [id, part] : {std::pair{"view.voxels", ViewPart::voxels},
                                 {"view.highlights", ViewPart::highlights},
                                 {"view.axes", ViewPart::axes},
                                 {"view.grid", ViewPart::grid}}) {
    const auto follow = commands.bindMark(
        id, [&parts, part = part] { parts.toggle(part); },
        [&parts, part = part] { return parts.shows(part); },
        [&workspace] { return why_no_scene(workspace); });
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
  // The user can drag the crop box while it is visible.
  connect(&crop, &CropBox::editingChanged, &parts,
          [&parts](bool editing) { parts.show(ViewPart::crop_box, editing); });
  connect(&parts, &ViewParts::changed, &crop, [&parts, &crop, &workspace] {
    crop.setEditing(workspace.cloud() && parts.shows(ViewPart::crop_box));
  });
}

void Look::bindSlab(PointsPanel& points, DockLayout& docks) {
  context_.commands.bind(
      "view.slab",
      [this, &points, &docks] {
        points.slabBox()->toggle();
        if (context_.selection.slab()) docks.show("points");
      },
      [&workspace = context_.workspace] { return why_no_scene(workspace); });
}

}  // namespace spira::ui

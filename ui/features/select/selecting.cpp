#include "ui/features/select/selecting.hpp"

#include "ui/features/file_dialogs.hpp"
#include "ui/features/reasons.hpp"
#include "ui/features/select/voxel_commands.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/slab_box.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QMainWindow>
#include <QtGlobal>

#include <array>
#include <optional>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto select_table = std::to_array<CommandFacts>({
    {"select.box", QT_TRANSLATE_NOOP("Command", "Select with a rectangle"), "R",
     QT_TRANSLATE_NOOP("Command", "Drag a rectangle around voxels; Ctrl adds, Shift removes"), 430,
     Menu::scene, 2},
    {"select.lasso", QT_TRANSLATE_NOOP("Command", "Select with a lasso"), "L",
     QT_TRANSLATE_NOOP("Command", "Draw a line around voxels; Ctrl adds, Shift removes"), 440, Menu::scene,
     2},
    {"select.voxel", QT_TRANSLATE_NOOP("Command", "Choose the centre voxel"), "P",
     QT_TRANSLATE_NOOP("Command", "Select the visible voxel that is nearest to the centre of the view"), 450,
     Menu::scene, 2},
    {"select.next_voxel", QT_TRANSLATE_NOOP("Command", "Next voxel"), "N",
     QT_TRANSLATE_NOOP("Command", "Choose the next voxel in the order of the words (z changes fastest)"), 460,
     Menu::scene, 2},
    {"select.previous_voxel", QT_TRANSLATE_NOOP("Command", "Previous voxel"), "Shift+N", "", 470, Menu::scene,
     2},
    {"select.voxel_at", QT_TRANSLATE_NOOP("Command", "Choose voxel by coordinates..."), "Shift+P",
     QT_TRANSLATE_NOOP("Command",
                       "Choose the voxel with the entered coordinates x, y, z at the visible stride"),
     480, Menu::scene, 2, Opens::dialog},
    {"select.grow", QT_TRANSLATE_NOOP("Command", "Grow the selection"), "Ctrl+G",
     QT_TRANSLATE_NOOP("Command", "Add all voxels that touch the selection or the selected voxel"), 490,
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
    {"view.clear", QT_TRANSLATE_NOOP("Command", "Clear highlights"), "Esc", "", 900, Menu::view, 4},
});

}  // namespace

std::span<const CommandFacts> select_commands() noexcept {
  return select_table;
}

Selecting::Selecting(const FeatureContext& context, SelectionJobs& selecting, SceneView& view,
                     PointsPanel& points, DensityPanel& density)
    : QObject(&context.window),
      context_(context),
      selecting_(selecting),
      view_(view),
      visited_(&context.selection, &context.workspace, nullptr) {
  bindDrawing();
  bindSelected();
  bindHistory();
  points.selectionBox()->addCommands(context.commands);
  connect(&selecting, &SelectionJobs::densitiesChanged, &density, &DensityPanel::setSubset);
}

void Selecting::bindDrawing() {
  const auto has_scene = [&workspace = context_.workspace] { return why_no_scene(workspace); };
  LassoTool& lasso = *view_.tools().lasso();
  for (const auto& [id, mode] : {std::pair{"select.box", DrawMode::box}, {"select.lasso", DrawMode::lasso}}) {
    const auto follow = context_.commands.bindMark(
        id, [&lasso, mode = mode] { lasso.setMode(lasso.mode() == mode ? DrawMode::off : mode); },
        [&lasso, mode = mode] { return lasso.mode() == mode; }, has_scene);
    connect(&lasso, &LassoTool::modeChanged, this, follow);
    view_.topBar()->addMode(context_.commands.action(id));
  }
  connect(&view_, &SceneView::outlined, &selecting_, [this](const DrawnOutline& drawn) {
    selecting_.choose(
        drawn.mesh->stride, [drawn](const std::stop_token& stop) { return rows_inside(drawn, stop); },
        drawn.how);
  });
  bind_voxel_commands(context_.commands,
                      {&context_.workspace, &context_.selection, &view_, &selecting_, has_scene});
}

void Selecting::bindSelected() {
  CommandSet& commands = context_.commands;
  Selection& selection = context_.selection;
  const auto has_rows = [&selection, &workspace = context_.workspace] {
    const QString why = why_no_scene(workspace);
    return why.isEmpty() && !selection.rows() ? tr("select some voxels first") : why;
  };
  commands.bind(
      "select.invert", [this] { selecting_.invert(); }, has_rows);
  commands.bind(
      "select.clear", [&selection] { selection.setRows(nullptr); }, has_rows);
  commands.bind(
      "select.save",
      [this] {
        const QString file = context_.dialogs.saveFile(&context_.window, tr("Save the selected voxels"),
                                                       "selection.ply", tr("Voxels (*.ply *.npy *.csv)"));
        if (!file.isEmpty()) selecting_.save(file);
      },
      has_rows);
  connect(&selection, &Selection::rowsChanged, &commands, &CommandSet::refreshSoon);
}

void Selecting::bindHistory() {
  context_.commands.bind(
      "select.back", [this] { visited_.back(); },
      [this] { return visited_.canGoBack() ? QString() : tr("there is no previous selection"); });
  context_.commands.bind(
      "select.forward", [this] { visited_.forward(); },
      [this] { return visited_.canGoForward() ? QString() : tr("there is no next selection"); });
  connect(&visited_, &SelectionHistory::changed, &context_.commands, &CommandSet::refreshSoon);
}

/// Implements the command that clears highlights. The command stops the running job only if there is nothing
/// to clear.
void Selecting::bindClear(CropBox& crop, EngineJobs& jobs) {
  context_.commands.bind("view.clear", [this, &crop, &jobs] {
    Selection& selection = context_.selection;
    LassoTool& lasso = *view_.tools().lasso();
    if (lasso.drawing()) return lasso.giveUp();
    if (lasso.mode() != DrawMode::off) return lasso.setMode(DrawMode::off);
    if (view_.tools().measure()->on()) return view_.tools().measure()->setOn(false);
    if (crop.editing()) return crop.setEditing(false);
    if (selection.voxel()) return selection.setVoxel(std::nullopt);
    if (!selection.columns().empty()) return selection.setColumns({});
    if (selection.rows()) return selection.setRows(nullptr);
    if (selection.phase()) return selection.setPhase(std::nullopt);
    if (selection.layer() >= 0) return selection.setLayer(-1);
    if (jobs.lane().busy()) jobs.tuning().stop();
  });
}

}  // namespace spira::ui

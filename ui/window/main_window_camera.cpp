// Commands of the camera and of the drawing styles of the 3D view.
#include "ui/features/lessons/lessons.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/undo_step.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/window/main_window.hpp"

#include <QActionGroup>
#include <QScopedValueRollback>
#include <QTreeWidget>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace spira::ui {

void MainWindow::bindCameraCommands() {
  const auto has_scene = [this] { return whyNoScene(); };
  commands_->bind(
      "view.frame", [this] { view_->frameChosen(); }, has_scene);
  commands_->bind(
      "view.reset", [this] { view_->resetCamera(); }, has_scene);
  commands_->bind(
      "view.top", [this] { view_->look(0, 0, -1); }, has_scene);
  commands_->bind(
      "view.below", [this] { view_->look(0, 0, 1); }, has_scene);
  commands_->bind(
      "view.front", [this] { view_->look(0, 1, 0); }, has_scene);
  commands_->bind(
      "view.side", [this] { view_->look(1, 0, 0); }, has_scene);
  const auto toggle = [&](const char* id, bool on, auto set) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    action->setChecked(on);
    commands_->bind(
        id, [action, set] { set(action->isChecked()); }, has_scene);
  };
  toggle("view.orthographic", false, [this](bool on) { view_->setOrthographic(on); });
  toggle("view.depth", false, [this](bool on) { view_->setDepthShading(on); });
  MeasureTool& measure = view_->measureTool();
  toggle("view.measure", false, [&measure](bool on) { measure.setOn(on); });
  connect(&measure, &MeasureTool::onChanged, commands_->action("view.measure"), &QAction::setChecked);
  bindMeasuring();
  auto* ups = new QActionGroup(this);
  for (const auto& [id, up] :
       {std::pair{"view.up_z", UpAxis::z}, {"view.up_y", UpAxis::y}, {"view.up_minus_y", UpAxis::minus_y}}) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    action->setChecked(up == UpAxis::z);
    ups->addAction(action);
    commands_->bind(
        id, [this, up = up] { view_->setUp(up); }, has_scene);
  }
  bindVoxelStyles();
  bindParts();
}

/// Adds an undo step if a distance was replaced or cleared, but not if it was removed because its voxels were
/// replaced.
void MainWindow::bindMeasuring() {
  struct Known {
    std::vector<Point> ends;
    std::weak_ptr<const VoxelScene> of;
    bool applying = false;
  };
  MeasureTool* measure = &view_->measureTool();
  const auto known = std::make_shared<Known>();
  connect(measure, &MeasureTool::changed, this, [this, measure, known] {
    if (measure->ends().size() == 1) return;  // The second end is not set yet.
    const std::vector<Point> before = std::exchange(known->ends, measure->ends()), now = known->ends;
    const auto of = std::exchange(known->of, workspace_->voxels()).lock();
    const bool with_voxels = now.empty() && of != workspace_->voxels();
    if (known->applying || history_->paused() || before == now || with_voxels) return;
    const auto apply = [measure, known](const std::vector<Point>& ends) {
      const QScopedValueRollback applying(known->applying, true);
      measure->restore(ends);
    };
    history_->stack()->push(new UndoStep(
        now.empty() ? tr("clear distance") : tr("measure distance"), [apply, before] { apply(before); },
        [apply, now] { apply(now); }));
  });
}

void MainWindow::bindParts() {
  const auto has_scene = [this] { return whyNoScene(); };
  for (const auto& [id, part] : {std::pair{"view.voxels", ViewPart::voxels},
                                 {"view.highlights", ViewPart::highlights},
                                 {"view.axes", ViewPart::axes},
                                 {"view.grid", ViewPart::grid}}) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    commands_->bind(
        id, [this, part = part] { parts_->toggle(part); }, has_scene);
    const auto follow = [this, action, part = part] { action->setChecked(parts_->shows(part)); };
    connect(parts_, &ViewParts::changed, action, follow);
    connect(action, &QAction::triggered, action, follow);
    follow();
  }
  const auto has_part = [this] { return scenes_->whyNoPart(); };
  commands_->bind(
      "view.part", [this] { scenes_->togglePart(); }, has_part);
  commands_->bind(
      "view.part_alone", [this] { scenes_->togglePartAlone(); }, has_part);
  for (const char* id : {"view.part", "view.part_alone"})
    scenes_->tree()->addAction(commands_->action(id));
  connect(scenes_, &ScenesPanel::partChosen, commands_, &CommandSet::refreshSoon);
  // While the box is shown, the user can drag it.
  connect(crop_, &CropBox::editingChanged, parts_,
          [this](bool editing) { parts_->show(ViewPart::crop_box, editing); });
  connect(parts_, &ViewParts::changed, crop_,
          [this] { crop_->setEditing(workspace_->cloud() && parts_->shows(ViewPart::crop_box)); });
}

/// Stores the style that the user chose last as the style for the next start. Sessions and undo do not change
/// the stored style.
void MainWindow::bindVoxelStyles() {
  const std::vector<std::tuple<QString, VoxelStyle, QString>> styles{
      {"view.automatic", VoxelStyle::automatic, "automatic"},
      {"view.points", VoxelStyle::points, "points"},
      {"view.cubes", VoxelStyle::cubes, "cubes"},
      {"view.outlined", VoxelStyle::outlined, "outlined"}};
  for (const auto& [id, style, name] : styles) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    commands_->bind(
        id,
        [this, style = style, name = name] {
          selection_->setVoxelStyle(style);
          if (lessons_->player().lesson() == nullptr) settings_->set("look.voxels", name);
        },
        [this] { return whyNoScene(); });
    const auto follow = [this, action, style = style] {
      action->setChecked(selection_->voxelStyle() == style);
    };
    connect(selection_, &Selection::voxelStyleChanged, action, follow);
    connect(action, &QAction::triggered, action, follow);  // A second click must not clear the check mark.
    if (settings_->text("look.voxels") == name) selection_->setVoxelStyle(style);
    follow();
  }
}

}  // namespace spira::ui

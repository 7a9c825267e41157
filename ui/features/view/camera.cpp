#include "ui/features/view/camera.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/features/reasons.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/undo_step.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_camera.hpp"

#include <QActionGroup>
#include <QMainWindow>
#include <QScopedValueRollback>

#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

Camera::Camera(const FeatureContext& context, SceneView& view, ParameterHistory& history)
    : QObject(&context.window), context_(context), view_(view) {
  bindDirections();
  bindSwitches();
  followMeasuring(history);
}

void Camera::bindDirections() {
  CommandSet& commands = context_.commands;
  const auto has_scene = [&workspace = context_.workspace] { return why_no_scene(workspace); };
  commands.bind(
      "view.frame", [this] { view_.camera().frameChosen(); }, has_scene);
  commands.bind(
      "view.reset", [this] { view_.camera().reset(); }, has_scene);
  commands.bind(
      "view.top", [this] { view_.camera().look(0, 0, -1); }, has_scene);
  commands.bind(
      "view.below", [this] { view_.camera().look(0, 0, 1); }, has_scene);
  commands.bind(
      "view.front", [this] { view_.camera().look(0, 1, 0); }, has_scene);
  commands.bind(
      "view.side", [this] { view_.camera().look(1, 0, 0); }, has_scene);
  auto* ups = new QActionGroup(this);
  for (const auto& [id, up] :
       {std::pair{"view.up_z", UpAxis::z}, {"view.up_y", UpAxis::y}, {"view.up_minus_y", UpAxis::minus_y}}) {
    QAction* action = commands.action(id);
    action->setCheckable(true);
    action->setChecked(up == UpAxis::z);
    ups->addAction(action);
    commands.bind(
        id, [this, up = up] { view_.camera().setUp(up); }, has_scene);
  }
}

void Camera::bindSwitches() {
  CommandSet& commands = context_.commands;
  const auto bind = [&](const char* id, auto set) {
    QAction* action = commands.action(id);
    action->setCheckable(true);
    commands.bind(
        id, [action, set] { set(action->isChecked()); },
        [&workspace = context_.workspace] { return why_no_scene(workspace); });
  };
  bind("view.orthographic", [this](bool on) { view_.camera().setOrthographic(on); });
  bind("view.depth", [this](bool on) { view_.setDepthShading(on); });
  MeasureTool& measure = *view_.tools().measure();
  bind("view.measure", [&measure](bool on) { measure.setOn(on); });
  connect(&measure, &MeasureTool::onChanged, commands.action("view.measure"), &QAction::setChecked);
}

/// Adds an undo step if the user changed or cleared a measured distance, but not if the distance was removed
/// because its voxels were replaced.
void Camera::followMeasuring(ParameterHistory& history) {
  struct Known {
    std::vector<Point> ends;
    std::weak_ptr<const VoxelScene> of;
    bool applying = false;
  };
  MeasureTool* measure = view_.tools().measure();
  const auto known = std::make_shared<Known>();
  connect(measure, &MeasureTool::changed, this, [this, measure, known, &history] {
    // Wait until the user sets the second end.
    if (measure->ends().size() == 1) return;
    const auto& voxels = context_.workspace.scene().voxels();
    const std::vector<Point> before = std::exchange(known->ends, measure->ends()), now = known->ends;
    const auto of = std::exchange(known->of, voxels).lock();
    const bool with_voxels = now.empty() && of != voxels;
    if (known->applying || history.paused() || before == now || with_voxels) return;
    const auto apply = [measure, known](const std::vector<Point>& ends) {
      const QScopedValueRollback applying(known->applying, true);
      measure->restore(ends);
    };
    history.stack()->push(new UndoStep(
        now.empty() ? tr("clear distance") : tr("measure distance"), [apply, before] { apply(before); },
        [apply, now] { apply(now); }));
  });
}

}  // namespace spira::ui

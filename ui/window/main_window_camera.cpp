// Commands of the camera and of how the 3D view draws.
#include "ui/view3d/scene_view.hpp"
#include "ui/window/main_window.hpp"

#include <QActionGroup>

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
  toggle("view.axes", true, [this](bool on) { view_->setAxesShown(on); });
  auto* styles = new QActionGroup(this);
  for (const auto& [id, style] : {std::pair{"view.automatic", VoxelStyle::automatic},
                                  {"view.points", VoxelStyle::points},
                                  {"view.outlined", VoxelStyle::outlined}}) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    action->setChecked(style == VoxelStyle::automatic);
    styles->addAction(action);
    commands_->bind(
        id, [this, style = style] { view_->setStyle(style); }, has_scene);
  }
}

}  // namespace spira::ui

#include "ui/view3d/scene/scene_tools.hpp"

#include "ui/model/workspace.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"
#include "ui/view3d/vtk_widget.hpp"

namespace spira::ui {

SceneTools::SceneTools(Tasks& tasks, Workspace* workspace, CropBox* box, ViewParts* parts, Theme* theme,
                       SceneCanvas* canvas)
    : parts_(parts),
      canvas_(canvas),
      lasso_(new LassoTool(canvas->widget())),
      measure_(new MeasureTool(this)),
      crop_(new CropTool(tasks, workspace, box, parts, theme, canvas->widget())) {
  connectCrop(box);
  connectOutline();
  connect(measure_, &MeasureTool::onChanged, this, [this](bool on) {
    if (on) lasso_->setMode(DrawMode::off);
  });
  connect(measure_, &MeasureTool::changed, this, [this] { canvas_->overlay().setHint(measure_->hint()); });
  connect(&workspace->scene(), &OpenScene::voxelsChanged, measure_, &MeasureTool::clear);
}

void SceneTools::connectCrop(CropBox* box) {
  connect(crop_, &CropTool::changed, this, [this] {
    if (crop_->handles().dragging()) canvas_->startMoving(SceneCanvas::smooth_ms);
    canvas_->camera().include(crop_->bounds());
    canvas_->redraw();
  });
  connect(box, &CropBox::editingChanged, this, [this](bool editing) {
    if (!editing || !crop_->bounds() || crop_->handles().inPicture()) return;
    canvas_->camera().frame(*crop_->bounds());
    canvas_->redraw();
  });
}

void SceneTools::connectOutline() {
  connect(lasso_, &LassoTool::modeChanged, this, [this] {
    if (lasso_->mode() != DrawMode::off) measure_->setOn(false);
    canvas_->overlay().setHint(lasso_->hint());
  });
  connect(lasso_, &LassoTool::outlineChanged, this,
          [this] { canvas_->overlay().setOutline(lasso_->outline()); });
  connect(lasso_, &LassoTool::drawn, this, [this](const QPolygonF& outline, Combine how) {
    if (canvas_->meshOfScene() == nullptr || !parts_->shows(ViewPart::voxels)) return;
    emit outlined({canvas_->actors().mesh(), canvas_->viewPoint(), canvas_->size(), outline, how});
  });
}

bool SceneTools::mouse(QEvent* event) {
  return crop_->mouse(event) || lasso_->mouse(event);
}

}  // namespace spira::ui

// Pictures of SceneView that are larger than the screen or have no background.
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QPainter>
#include <vtkCamera.h>
#include <vtkRenderer.h>

namespace spira::ui {

void SceneView::followSize() {
  camera_->frameAgain();
  redraw();
}

QImage SceneView::picture(int scale, bool transparent) {
  followSize();  // the layout may have changed just now
  finishColours();
  QImage image = canvas_->picture(canvas_->size() * scale, transparent);
  if (image.isNull()) return image;
  image.setDevicePixelRatio(scale);
  QPainter painter(&image);
  overlay_->render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
  painter.end();
  image.setDevicePixelRatio(1);
  return image;
}

QString SceneView::pictureText() const {
  vtkCamera* camera = canvas_->renderer()->GetActiveCamera();
  const auto triple = [](const double* at) {
    return QString("%1, %2, %3").arg(at[0], 0, 'f', 2).arg(at[1], 0, 'f', 2).arg(at[2], 0, 'f', 2);
  };
  return QString("stride %1; camera at %2, towards %3, up %4")
      .arg(selection_->stride())
      .arg(triple(camera->GetPosition()), triple(camera->GetFocalPoint()), triple(camera->GetViewUp()));
}

}  // namespace spira::ui

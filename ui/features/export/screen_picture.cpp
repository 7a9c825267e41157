#include "ui/features/export/screen_picture.hpp"

#include "ui/charts/plot_chart.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/theme/busy_cursor.hpp"
#include "ui/theme/png_text.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/main_window.hpp"

#include <QFile>
#include <QPainter>

namespace spira::ui {
namespace {

constexpr const char* state_key = "SpiraScope session";
constexpr qint64 max_bytes = 4 << 20;  // Limit for the read part of a file. PNG texts are at its beginning.

/// Renders the 3D view again at `scale`, because the window holds it only in screen resolution.
void draw_view(QPainter& painter, MainWindow& window, int scale) {
  SceneView& view = window.sceneView();
  QWidget* canvas = view.canvas();
  if (!canvas->isVisible()) return;
  const QRect place(canvas->mapTo(&window, QPoint(0, 0)), canvas->size());
  const QImage picture = view.picture(scale, false);
  if (!picture.isNull()) painter.drawImage(place, picture);
  for (QWidget* child : canvas->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    const bool drawn = child->inherits("spira::ui::ViewOverlay");
    if (child->isVisible() && !drawn)
      child->render(&painter, child->mapTo(&window, QPoint(0, 0)), QRegion(), QWidget::DrawChildren);
  }
}

}  // namespace

QImage screen_picture(MainWindow& window, const ScreenPicture& how) {
  const BusyCursor busy;  // OpenGL and widgets can paint only on this thread.
  if (how.view_only) {
    if (!window.workspace().voxels()) return {};
    return window.sceneView().picture(how.scale, how.transparent);
  }
  replot_charts(window, how.scale);
  // The layout has just changed, and resizing one view can change the camera of the others.
  for (SceneView* view : window.findChildren<SceneView*>())
    view->followSize();
  QImage image(window.size() * how.scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(how.scale);
  window.render(&image);
  QPainter painter(&image);
  draw_view(painter, window, how.scale);
  painter.end();
  replot_charts(window, window.devicePixelRatioF());
  image.setDevicePixelRatio(1);
  return image;
}

std::function<std::string()> painted_screen(MainWindow& window, const ScreenPicture& how,
                                            const std::filesystem::path& folder) {
  PngTexts texts{{"Title", window.windowTitle()}};
  if (window.workspace().voxels()) texts.emplace_back("View", window.sceneView().pictureText());
  for (const auto& tag : window.exports().run().tags())
    texts.push_back(tag);
  if (how.state && window.whyNoSession().isEmpty())
    texts.emplace_back(state_key, QString::fromStdString(session_json(window.session(), folder)));
  const QImage image = screen_picture(window, how);
  if (image.isNull()) return nullptr;
  return [image, texts] { return png_with_text(image, texts).toStdString(); };
}

QString state_of_picture(const QString& file) {
  QFile picture(file);
  if (!file.endsWith(".png", Qt::CaseInsensitive) || !picture.open(QIODevice::ReadOnly)) return {};
  return text_of_png(picture.read(max_bytes), state_key);
}

}  // namespace spira::ui

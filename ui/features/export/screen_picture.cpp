#include "ui/features/export/screen_picture.hpp"

#include "ui/charts/plot_chart.hpp"
#include "ui/theme/busy_cursor.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QFile>
#include <QPainter>

#include <utility>

namespace spira::ui {
namespace {

constexpr const char* state_key = "SpiraScope session";
// Only this part of a file is read. PNG texts are at the beginning of a file.
constexpr qint64 max_bytes = 4 << 20;

/// Renders the 3D view again at `scale`, because the window contains it only in screen resolution.
void draw_view(QPainter& painter, const QWidget& window, SceneView& view, int scale) {
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

QImage screen_picture(QWidget& window, SceneView& view, const ScreenPicture& how) {
  // Painting blocks the window, because OpenGL and widgets can paint only on this thread.
  const BusyCursor busy;
  if (how.view_only) return view.picture(how.scale, how.transparent);
  replot_charts(window, how.scale);
  // All pending resizes must finish first, because resizing one view can change the camera of the others.
  for (SceneView* one : window.findChildren<SceneView*>())
    one->followSize();
  QImage image(window.size() * how.scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(how.scale);
  window.render(&image);
  QPainter painter(&image);
  draw_view(painter, window, view, how.scale);
  painter.end();
  replot_charts(window, window.devicePixelRatioF());
  image.setDevicePixelRatio(1);
  return image;
}

std::function<std::string()> painted_screen(QWidget& window, SceneView& view, const ScreenPicture& how,
                                            PngTexts texts, const std::string& session) {
  if (!session.empty()) texts.emplace_back(state_key, QString::fromStdString(session));
  const QImage image = screen_picture(window, view, how);
  if (image.isNull()) return nullptr;
  return [image, texts = std::move(texts)] { return png_with_text(image, texts).toStdString(); };
}

QString state_of_picture(const QString& file) {
  QFile picture(file);
  if (!file.endsWith(".png", Qt::CaseInsensitive) || !picture.open(QIODevice::ReadOnly)) return {};
  return text_of_png(picture.read(max_bytes), state_key);
}

}  // namespace spira::ui

#include "ui/view3d/no_opengl_page.hpp"

#include "ui/view3d/vtk_widget.hpp"

#include <QOpenGLContext>
#include <QSurfaceFormat>

namespace spira::ui {

const QString& openGlFault() {
  static const QString fault = [] {
    QOpenGLContext context;
    if (!context.create()) return NoOpenGlPage::tr("no OpenGL context can be created");
    const auto [major, minor] = context.format().version();
    if (major > 3 || (major == 3 && minor >= 2)) return QString();
    return NoOpenGlPage::tr("OpenGL 3.2 is required, found %1.%2").arg(major).arg(minor);
  }();
  return fault;
}

NoOpenGlPage::NoOpenGlPage(std::unique_ptr<VtkWidget> canvas, QWidget* parent)
    : QLabel(parent), canvas_(std::move(canvas)) {
  setText(tr("<b>No 3D view on this machine: %1.</b><br>Install or repair the graphics driver, or start with "
             "LIBGL_ALWAYS_SOFTWARE=1 to draw without a graphics card.<br>Densities, runs, sweeps, timelines "
             "and reports still work.")
              .arg(openGlFault()));
  setWordWrap(true);
  setAlignment(Qt::AlignCenter);
  setMargin(24);
  setAccessibleName(tr("3D view"));
}

NoOpenGlPage::~NoOpenGlPage() = default;

}  // namespace spira::ui

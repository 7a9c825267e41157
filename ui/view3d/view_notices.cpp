#include "ui/view3d/view_notices.hpp"

#include "ui/view3d/vtk_widget.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QOpenGLContext>
#include <QPushButton>
#include <QSurfaceFormat>

namespace spira::ui {

HiddenNotice::HiddenNotice(QWidget* canvas) : QFrame(canvas), text_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->setSpacing(10);
  layout->addWidget(text_);
  auto* show = new QPushButton(tr("Show"), this);
  show->setObjectName("showHidden");
  layout->addWidget(show);
  setObjectName("hiddenNotice");
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setCursor(Qt::ArrowCursor);
  connect(show, &QPushButton::clicked, this, &HiddenNotice::showRequested);
  hide();
}

void HiddenNotice::setText(const QString& text) {
  if (text == text_->text() && isHidden() == text.isEmpty()) return;
  text_->setText(text);
  setAccessibleName(text);
  setVisible(!text.isEmpty());
  place();
}

QString HiddenNotice::text() const {
  return text_->text();
}

void HiddenNotice::place() {
  adjustSize();
  move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

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

#include "ui/theme/focus_ring.hpp"

#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QEvent>
#include <QPainter>

namespace spira::ui {
namespace {

constexpr int thick = 2;  // Width of the ring, in pixels.

}  // namespace

FocusRing::FocusRing(Theme* theme, QWidget* window) : QWidget(window), theme_(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  setObjectName("focusRing");
  hide();
  qApp->installEventFilter(this);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

/// Records whether the last input was a key or a mouse button. The ring appears only if a key moved the
/// focus.
bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::KeyPress:
      by_key_ = true;
      break;
    case QEvent::MouseButtonPress:
      by_key_ = false;
      if (isVisible()) hide();
      break;
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::Hide:
    case QEvent::Show:
      if (isVisible() && watched != this)
        QMetaObject::invokeMethod(this, &FocusRing::place, Qt::QueuedConnection);
      break;
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

void FocusRing::follow(QWidget* focused) {
  around_ = focused != nullptr && focused != window() && window()->isAncestorOf(focused) ? focused : nullptr;
  place();
}

/// Places the ring around the focused widget. Hides the ring if another widget covers the focused widget, for
/// example in a dock that is not the current tab.
void FocusRing::place() {
  if (!by_key_ || !around_ || !around_->isVisible() || around_->visibleRegion().isEmpty()) return hide();
  const QRect area(around_->mapTo(window(), QPoint(0, 0)), around_->size());
  setGeometry(area);
  setMask(QRegion(rect()) - QRegion(rect().adjusted(thick, thick, -thick, -thick)));
  raise();
  show();
}

void FocusRing::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(rect(), theme_->palette().accent);
}

}  // namespace spira::ui

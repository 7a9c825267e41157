#pragma once
#include <QApplication>
#include <QMouseEvent>
#include <QWidget>

namespace spira::ui {

/// Moves the mouse over a widget. The event is sent directly: QTest::mouseMove without a pressed button moves
/// the pointer of the display, and tests that run at the same time share this pointer.
inline void move_mouse(QWidget& over, const QPointF& at, Qt::MouseButtons pressed = {},
                       Qt::KeyboardModifiers modifiers = {}) {
  QMouseEvent move(QEvent::MouseMove, at, over.mapToGlobal(at), Qt::NoButton, pressed, modifiers);
  QApplication::sendEvent(&over, &move);
}

}  // namespace spira::ui

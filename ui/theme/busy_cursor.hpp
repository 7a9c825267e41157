// Shows a wait cursor during its lifetime, for long work that must stay on the GUI thread.
#pragma once

#include <QCursor>
#include <QGuiApplication>

namespace spira::ui {

class BusyCursor {
 public:
  BusyCursor() { QGuiApplication::setOverrideCursor(Qt::WaitCursor); }
  ~BusyCursor() { QGuiApplication::restoreOverrideCursor(); }
  BusyCursor(const BusyCursor&) = delete;
  BusyCursor& operator=(const BusyCursor&) = delete;
};

}  // namespace spira::ui

// The cursor of a program that is at work, for what takes longer than a blink and cannot leave the GUI
// thread.
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

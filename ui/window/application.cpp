#include "ui/window/application.hpp"

#include "engine/base/current_error.hpp"

#include <QThread>

namespace spira::ui {

bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (...) {
    if (QThread::currentThread() != thread()) throw;  // only events of the GUI thread are reported
    report(current_error());
    return false;
  }
}

/// A view that throws whenever it is painted reports its fault once per second. failed() is emitted from the
/// event loop, because the receiver may be in the middle of painting.
void Application::report(const Error& error) {
  constexpr qint64 repeat_ms = 1000;
  const bool repeated = last_ == error.what() && since_last_.isValid() && !since_last_.hasExpired(repeat_ms);
  if (repeated) return;
  last_ = error.what();
  since_last_.start();
  QMetaObject::invokeMethod(
      this, [this, error] { emit failed(error); }, Qt::QueuedConnection);
}

}  // namespace spira::ui

#include "ui/window/qt_application.hpp"

#include "engine/base/error.hpp"

#include <QThread>

namespace spira::ui {

bool QtApplication::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (...) {
    if (QThread::currentThread() != thread()) throw;  // Report only errors of events on the GUI thread.
    report(current_error());
    return false;
  }
}

/// Reports an error. The same error is reported at most once per second, because a view may throw at each
/// paint. failed() is emitted later, from the event loop, because the receiver may be painting now.
void QtApplication::report(const Error& error) {
  constexpr qint64 repeat_ms = 1000;
  const bool repeated = last_ == error.what() && since_last_.isValid() && !since_last_.hasExpired(repeat_ms);
  if (repeated) return;
  last_ = error.what();
  since_last_.start();
  QMetaObject::invokeMethod(
      this, [this, error] { emit failed(error); }, Qt::QueuedConnection);
}

}  // namespace spira::ui

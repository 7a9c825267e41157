// The QApplication of the program. If an event handler throws an exception, it reports the exception and the
// program continues.
#pragma once

#include "engine/base/error.hpp"

#include <QApplication>
#include <QElapsedTimer>

#include <string>

namespace spira::ui {

class QtApplication : public QApplication {
  Q_OBJECT
 public:
  using QApplication::QApplication;
  /// Catches exceptions of the receiver. failed() reports them later, from the event loop.
  bool notify(QObject* receiver, QEvent* event) override;

 signals:
  void failed(const spira::Error& error);

 private:
  void report(const Error& error);

  std::string last_;
  QElapsedTimer since_last_;
};

}  // namespace spira::ui

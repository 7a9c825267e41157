// The application of the window. An exception that leaves an event handler is reported and does not end the
// program.
#pragma once

#include "engine/base/error.hpp"

#include <QApplication>
#include <QElapsedTimer>

#include <string>

namespace spira::ui {

class Application : public QApplication {
  Q_OBJECT
 public:
  using QApplication::QApplication;
  /// Catches what the receiver throws and reports it with failed() from the event loop.
  bool notify(QObject* receiver, QEvent* event) override;

 signals:
  void failed(const spira::Error& error);

 private:
  void report(const Error& error);

  std::string last_;
  QElapsedTimer since_last_;
};

}  // namespace spira::ui

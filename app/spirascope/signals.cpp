#include "app/spirascope/signals.hpp"

#include "ui/window/application.hpp"

#include <QApplication>
#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace spira::app {
namespace {

std::array<int, 2> signal_pipe{-1, -1};

/// Writes the signal number to a pipe, which the event loop reads. A signal handler must not call Qt.
void pass_on(int number) {
  const auto byte = static_cast<unsigned char>(number);
  static_cast<void>(!write(signal_pipe[1], &byte, 1));
}

}  // namespace

void close_on_signals(ui::Application& app) {
  if (pipe2(signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  auto* notifier = new QSocketNotifier(signal_pipe[0], QSocketNotifier::Read, &app.window());
  QObject::connect(notifier, &QSocketNotifier::activated, &app.window(), [&app] {
    unsigned char number = 0;
    if (read(signal_pipe[0], &number, 1) != 1) return;
    app.closing().closeWithoutQuestions();
    constexpr int shells_add = 128;
    QApplication::exit(shells_add + number);
  });
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = pass_on;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    const bool ignored = before.sa_handler == SIG_IGN;  // nohup ignores SIGHUP
    if (number != SIGHUP || !ignored) sigaction(number, &action, nullptr);
  }
}

}  // namespace spira::app

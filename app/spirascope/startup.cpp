#include "app/spirascope/startup.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "ui/window/application.hpp"

#include <QApplication>
#include <QByteArray>
#include <QSocketNotifier>
#include <QString>
#include <QtGlobal>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
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
    const bool ignored = before.sa_handler == SIG_IGN;  // nohup ignores SIGHUP.
    if (number != SIGHUP || !ignored) sigaction(number, &action, nullptr);
  }
}

namespace {

QtMessageHandler default_handler = nullptr;
bool is_open = false;
/// The first warning of Qt. It contains the reason why the display cannot be opened. The fatal message that
/// follows does not contain this reason.
QString first_warning;

[[noreturn]] void end(const QString& line) {
  std::fprintf(stderr, "spirascope: %s\n", line.simplified().toLocal8Bit().constData());
  std::_Exit(facts(ErrorKind::device).exit_code);
}

void handle(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (message.contains("connection broke")) end("the connection to the display was lost");
  if (is_open) return default_handler(type, context, message);
  if (type == QtFatalMsg)
    end(QString(
            "the display cannot be opened (%1); check DISPLAY or WAYLAND_DISPLAY, or use the command line "
            "program spira")
            .arg(first_warning.isEmpty() ? message : first_warning));
  if (first_warning.isEmpty()) first_warning = message;
}

/// Throws if the limit of the address space is too low, because Mesa and LLVM crash if an allocation fails.
void require_address_space() {
  constexpr rlim_t min_bytes = 2'000'000'000;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= min_bytes)
    return;
  throw Error(ErrorKind::device, "the limit of the address space (ulimit -v) is " +
                                     bytes_text(limit.rlim_cur) + ", and the window needs " +
                                     bytes_text(min_bytes) +
                                     "; raise the limit, or use the command line program spira");
}

}  // namespace

void require_display() {
#ifdef Q_OS_LINUX
  bool named = false;
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    named = named || !qEnvironmentVariableIsEmpty(name);
  if (!named)
    throw Error(ErrorKind::device,
                "there is no display (DISPLAY and WAYLAND_DISPLAY are empty); start spirascope in a desktop "
                "session or under "
                "xvfb-run, or use the command line program spira");
#endif
  require_address_space();
}

void handle_display_faults() {
  default_handler = qInstallMessageHandler(handle);
}

void display_is_open() {
  is_open = true;
  if (!first_warning.isEmpty()) std::fprintf(stderr, "%s\n", first_warning.toLocal8Bit().constData());
}

}  // namespace spira::app

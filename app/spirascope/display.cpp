#include "app/spirascope/display.hpp"

#include "engine/base/error.hpp"

#include <QByteArray>
#include <QString>
#include <QtGlobal>

#include <cstdio>
#include <cstdlib>

namespace spira::app {
namespace {

/// The first warnings say why the display cannot be opened; the fatal message after them does not.
QString first_warning;

void end_instead_of_aborting(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
  if (type != QtFatalMsg) {
    if (first_warning.isEmpty()) first_warning = message;
    return;
  }
  const QString why = first_warning.isEmpty() ? message : first_warning;
  std::fprintf(stderr,
               "spirascope: the display cannot be opened (%s); check DISPLAY or WAYLAND_DISPLAY, or use the "
               "command line program spira\n",
               why.simplified().toLocal8Bit().constData());
  std::_Exit(facts(ErrorKind::device).exit_code);
}

}  // namespace

void require_display() {
#ifdef Q_OS_LINUX
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
    if (!qEnvironmentVariableIsEmpty(name)) return;
  }
  throw Error(ErrorKind::device,
              "there is no display (DISPLAY and WAYLAND_DISPLAY are empty); start it in a desktop, under "
              "xvfb-run, or use the command line program spira");
#endif
}

OpeningDisplay::OpeningDisplay() {
  qInstallMessageHandler(end_instead_of_aborting);
}

OpeningDisplay::~OpeningDisplay() {
  qInstallMessageHandler(nullptr);
  if (!first_warning.isEmpty()) std::fprintf(stderr, "%s\n", first_warning.toLocal8Bit().constData());
}

}  // namespace spira::app

#include "ui/model/measured/device_text.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}
QString latin(std::string_view text) {
  return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

QString unitsText(const DeviceFacts& device) {
  const char* units = device.kind == BackendKind::cuda ? "%1 SMs"
                      : device.threads == 1            ? "%1 thread"
                                                       : "%1 threads";
  const QString count = tr(units).arg(device.threads);
  return device.instructions.empty() ? count : count + ", " + QString::fromStdString(device.instructions);
}

QString dateText(const std::string& created) {
  const QString text = QString::fromStdString(created);
  const QDateTime when = QDateTime::fromString(text, Qt::ISODate);
  return when.isValid() ? QLocale::c().toString(when.toUTC(), "d MMM yyyy, HH:mm") + " UTC" : text;
}

QString recordedText(const Report& report) {
  const DeviceFacts& device = report.measurement.device;
  QStringList parts{tr("Recorded on %1 (%2)").arg(QString::fromStdString(device.name), unitsText(device))};
  if (!device.driver.empty()) parts += tr("driver %1").arg(QString::fromStdString(device.driver));
  parts += dateText(report.created);
  parts += latin(clock_text(device.clock));
  return parts.join(", ");
}

}  // namespace spira::ui

#include "ui/model/measured/measured_text.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>

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

namespace {

class Percentiles {
  Q_DECLARE_TR_FUNCTIONS(Percentiles)
};

QString name_of(const Percentile& one) {
  return QString::fromLatin1(one.name.data(), static_cast<qsizetype>(one.name.size()));
}

}  // namespace

QString percentilesText(std::span<const double> samples_ms) {
  QStringList parts;
  for (const Percentile& one : percentiles(samples_ms))
    parts += name_of(one) + " " + (one.ms ? onScreen(ms_text(*one.ms)) : QString(QChar(0x2013)));
  return parts.join(", ");
}

QString missingPercentilesText(std::span<const double> samples_ms) {
  QStringList parts;
  for (const Percentile& one : percentiles(samples_ms)) {
    if (!one.ms) parts += Percentiles::tr("%1 needs %2 samples").arg(name_of(one)).arg(one.least);
  }
  return parts.isEmpty() ? QString()
                         : Percentiles::tr("%1 measured. Missing percentiles: %2.")
                               .arg(counted(std::ssize(samples_ms), Percentiles::tr("1 sample"),
                                            Percentiles::tr("%1 samples")),
                                    parts.join(", "));
}

QString searchesText(const SearchCounters& counters) {
  const auto number = [](const std::string& digits) { return QString::fromStdString(digits); };
  const CountedSearches all = counters.whole();
  QString text =
      QCoreApplication::translate("spira::ui",
                                  "%1 comparisons and %2 sectors per query with z-delta, %3 and %4 with "
                                  "binary search, %5 and %6 with hash; replayed for %7 of %8 queries");
  for (const MapAlgorithm algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash}) {
    const auto at = static_cast<std::size_t>(algorithm);
    text =
        text.arg(number(fixed(all.comparisons.at(at).value, 2)), number(fixed(all.sectors.at(at).value, 2)));
  }
  return text.arg(number(count_text(all.sampled_queries)), number(count_text(all.queries)));
}

}  // namespace spira::ui

#include "ui/model/measured/percentile_text.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>
#include <QStringList>

namespace spira::ui {
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

}  // namespace spira::ui

#include "ui/theme/screen_number.hpp"

#include "engine/base/text.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

namespace spira::ui {

QString onScreen(std::string_view number) {
  const QString text = QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size()));
  const QLocale locale;
  const auto is_digit = [&text](qsizetype at) { return at >= 0 && at < text.size() && text[at].isDigit(); };
  QString out;
  for (qsizetype at = 0; at < text.size(); ++at) {
    const bool inside = is_digit(at - 1) && is_digit(at + 1);
    out += inside && text[at] == ','   ? locale.groupSeparator()
           : inside && text[at] == '.' ? locale.decimalPoint()
                                       : QString(text[at]);
  }
  return out;
}

QString onScreen(double value, char format, int precision) {
  QLocale locale;
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  return locale.toString(value, format, precision);
}

QString keepUnits(QString text) {
  static const QRegularExpression space(R"((?<=\d) (?=(?:ms|s|%|kB|MB|GB|GFLOP/s|GB/s|MHz)(?![\w/])))");
  static const QRegularExpression equation(R"(\b([tzK]) = (?=\d|max))"), bar(R"((?<=\|)(?=d[xyz]\|))");
  const QString word_joiner(QChar(0x2060));
  return text.replace(space, QString(QChar::Nbsp))
      .replace(equation, "\\1\u00a0=\u00a0")
      .replace(bar, word_joiner);
}

QString shareOnScreen(double share) {
  const std::string whole = percent_text(share, 0);
  return share > 0 && whole == percent_text(0, 0) ? QString("<1 %") : onScreen(whole);
}

QString counted(std::int64_t count, const QString& one, const QString& more) {
  return count == 1 ? one : more.arg(onScreen(count_text(count)));
}

QString gridOnScreen(const std::array<double, 3>& voxel_m) {
  QStringList sizes;
  for (const double size : voxel_m)
    sizes += onScreen(shortest(size));
  const bool cube = voxel_m[0] == voxel_m[1] && voxel_m[1] == voxel_m[2];
  return cube ? sizes.front() : sizes.join(", ");
}

QString withUnit(const QString& number, LengthUnit unit) {
  if (unit == LengthUnit::metres) return QCoreApplication::translate("spira::ui", "%1 m").arg(number);
  return number == "1" ? QCoreApplication::translate("spira::ui", "1 cell")
                       : QCoreApplication::translate("spira::ui", "%1 cells").arg(number);
}

QString unitOnScreen(LengthUnit unit) {
  return unit == LengthUnit::metres ? QCoreApplication::translate("spira::ui", "m")
                                    : QCoreApplication::translate("spira::ui", "cells");
}

QString voxelsOnScreen(std::int64_t voxels, const std::array<double, 3>& voxel_m, LengthUnit unit) {
  QString count = counted(voxels, QCoreApplication::translate("spira::ui", "1 voxel"),
                          QCoreApplication::translate("spira::ui", "%1 voxels"));
  if (unit == LengthUnit::cells && voxel_m == std::array<double, 3>{1, 1, 1}) return count;
  return QCoreApplication::translate("spira::ui", "%1 of %2")
      .arg(count, withUnit(gridOnScreen(voxel_m), unit));
}

}  // namespace spira::ui

#include "ui/theme/screen_number.hpp"

#include "engine/base/text.hpp"

#include <QLocale>
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

}  // namespace spira::ui

#include "ui/jobs/job_pace.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class Pace {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::JobPace)
};

constexpr double ms_in_s = 1000;
constexpr QLatin1String mark("seconds");

QString left_text(double seconds) {
  constexpr double in_minutes = 90, minute = 60;
  return seconds < in_minutes ? Pace::tr("%1 s left").arg(std::lround(std::ceil(seconds)))
                              : Pace::tr("%1 min left").arg(std::lround(std::ceil(seconds / minute)));
}

}  // namespace

bool JobPace::inSeconds(const QString& what) {
  return what.endsWith(mark);
}

QString JobPace::shown(const QString& what) {
  if (!inSeconds(what)) return what;
  QString name = what.chopped(mark.size()).trimmed();
  if (name.endsWith(',') || name.endsWith(';')) name.chop(1);
  return name;
}

void JobPace::reset() {
  *this = JobPace();
}

void JobPace::add(const QString& what, qint64 done, qint64 total, qint64 now_ms) {
  if (since_ms_ < 0 || what != what_ || total != total_ || done < done_) {
    *this = JobPace();
    what_ = what;
    total_ = total;
    first_ = done_ = done;
    since_ms_ = now_ms;
  }
  advances_ += done > done_ ? 1 : 0;
  done_ = done;
  now_ms_ = now_ms;
}

QString JobPace::text() const {
  constexpr qint64 settling_ms = 2000;
  if (total_ <= 0 || since_ms_ < 0) return {};
  if (inSeconds(what_))  // The step may end before its time limit.
    return Pace::tr("at most %1").arg(left_text(static_cast<double>(std::max<qint64>(0, total_ - done_))));
  if (advances_ < 2 || now_ms_ - since_ms_ < settling_ms) return {};
  constexpr double whole = 10;  // Rates of at least this value have no decimals.
  const double rate =
      static_cast<double>(done_ - first_) * ms_in_s / static_cast<double>(now_ms_ - since_ms_);
  return Pace::tr("%1 per second, %2")
      .arg(onScreen(rate < whole ? fixed(rate, 1) : count_text(std::llround(rate))),
           left_text(static_cast<double>(total_ - done_) / rate));
}

}  // namespace spira::ui

#include "ui/jobs/job_pace.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <cmath>

namespace spira::ui {
namespace {

class Progressing {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::JobPace)
};

QString left_text(double seconds) {
  constexpr double in_minutes = 90, minute = 60;
  return seconds < in_minutes ? Progressing::tr("%1 s left").arg(std::lround(std::ceil(seconds)))
                              : Progressing::tr("%1 min left").arg(std::lround(std::ceil(seconds / minute)));
}

}  // namespace

QString JobPace::shown(const QString& what) {
  const std::string text = what.toStdString();
  return QString::fromStdString(std::string(progress_step(text).name));
}

QString JobPace::shown(const QString& what, qint64 done, qint64 total) {
  QString name = shown(what);
  if (total <= 0) return name;
  switch (progress_step(what.toStdString()).unit) {
    case ProgressUnit::seconds:
      return Progressing::tr("%1: %2 of %3 s").arg(name).arg(done).arg(total);
    case ProgressUnit::runs:
      return Progressing::tr("%1: run %2 of %3").arg(name).arg(current_run(done, total)).arg(total);
    case ProgressUnit::at_most_runs:
      return Progressing::tr("%1: run %2 of at most %3").arg(name).arg(current_run(done, total)).arg(total);
    case ProgressUnit::items:
      break;
  }
  return Progressing::tr("%1: %2 of %3").arg(name).arg(done).arg(total);
}

void JobPace::reset() {
  pace_ = {};
}

void JobPace::add(const QString& what, qint64 done, qint64 total, qint64 now_ms) {
  pace_.add(what.toStdString(), done, total, now_ms);
}

QString JobPace::text(qint64 now_ms) const {
  const auto left = pace_.left_s(now_ms);
  if (!left) return {};
  switch (pace_.unit()) {
    case ProgressUnit::seconds:
    case ProgressUnit::at_most_runs:
      return Progressing::tr("at most %1").arg(left_text(*left));
    case ProgressUnit::runs:
      return left_text(*left);
    case ProgressUnit::items:
      break;
  }
  constexpr double whole = 10;  // Rates of at least this value are shown without decimals.
  const double rate = pace_.rate().value_or(0);
  return Progressing::tr("%1 per second, %2")
      .arg(onScreen(rate < whole ? fixed(rate, 1) : count_text(std::llround(rate))), left_text(*left));
}

}  // namespace spira::ui

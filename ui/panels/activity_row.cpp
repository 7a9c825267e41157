#include "ui/panels/activity_row.hpp"

#include "ui/theme/elided_widgets.hpp"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace spira::ui {

ActivityRow::ActivityRow(const QString& stop, QWidget* parent)
    : QWidget(parent), what_(new ElidedLabel(this)), bar_(new QProgressBar(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* button = new QPushButton(stop, this);
  button->setToolTip(tr("Stop the job; earlier results are kept"));
  layout->addWidget(what_, 2);
  layout->addWidget(bar_, 1);
  layout->addWidget(button);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress"));
  clock_.start();
  hide();
  connect(button, &QPushButton::clicked, this, &ActivityRow::stopRequested);
}

void ActivityRow::setActivity(const QString& what, qint64 done, qint64 total) {
  pace_.add(what, done, total, clock_.elapsed());
  const QString pace = pace_.text();
  const QString how_far = JobPace::inSeconds(what) ? tr("%1: %2 of %3 s") : tr("%1: %2 of %3");
  const QString name = JobPace::shown(what);
  const QString far = total > 0 ? how_far.arg(name).arg(done).arg(total) : name;
  what_->setText(pace.isEmpty() ? far : tr("%1, %2").arg(far, pace));
  set_progress(*bar_, done, total);
  show();
}

void ActivityRow::end() {
  pace_.reset();
  hide();
}

QString ActivityRow::text() const {
  return what_->text();
}

void set_progress(QProgressBar& bar, qint64 done, qint64 total) {
  constexpr int whole = 1000;
  bar.setUpdatesEnabled(false);
  bar.setRange(0, total > 0 ? whole : 0);
  if (total > 0) bar.setValue(static_cast<int>(whole * std::min(done, total) / total));
  bar.setUpdatesEnabled(true);
}

}  // namespace spira::ui

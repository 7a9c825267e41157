#include "ui/panels/job_bar.hpp"

#include "ui/theme/labels.hpp"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace spira::ui {

JobBar::JobBar(EngineJobs* jobs, std::set<EngineLane::Doing> works, const QString& stop, QWidget* parent)
    : ActivityRow(stop, parent), jobs_(jobs), works_(std::move(works)) {
  constexpr int from_ms = 1000;
  setContentsMargins(6, 2, 6, 2);
  soon_.setSingleShot(true);
  soon_.setInterval(from_ms);
  connect(&soon_, &QTimer::timeout, this, [this] {
    if (waits()) setActivity(what_, done_, total_);
  });
  connect(this, &ActivityRow::stopRequested, &jobs_->tuning(), &TuneJobs::stop);
  const TaskSlot* engine = &jobs_->lane().task();
  connect(engine, &TaskSlot::started, this, [this](const QString& title) {
    end();
    follow(title, 0, 0);
    waits() ? soon_.start() : soon_.stop();
  });
  connect(engine, &TaskSlot::progress, this, [this](const QString& what, qint64 done, qint64 total) {
    follow(jobs_->lane().task().title() + ": " + what, done, total);
  });
  connect(engine, &TaskSlot::finished, this, [this] {
    if (waits()) return;  // Keep the row, because the next job for it has already started.
    soon_.stop();
    end();
  });
}

bool JobBar::waits() const {
  const auto doing = jobs_->lane().doing();
  return doing && works_.contains(*doing);
}

void JobBar::follow(const QString& what, qint64 done, qint64 total) {
  what_ = what;
  done_ = done;
  total_ = total;
  // The kind of work can change during a job: one job can first open a scene and then build its kernel map.
  if (isHidden() && waits() && !soon_.isActive()) soon_.start();
  if (!waits()) return end();
  if (!isHidden()) setActivity(what_, done_, total_);
}

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
  constexpr int every_ms = 1000;
  tick_.setInterval(every_ms);
  connect(&tick_, &QTimer::timeout, this, &ActivityRow::showText);
  connect(&tick_, &QTimer::timeout, this, &ActivityRow::paceChanged);
  hide();
  connect(button, &QPushButton::clicked, this, &ActivityRow::stopRequested);
}

void ActivityRow::setActivity(const QString& what, qint64 done, qint64 total) {
  pace_.add(what, done, total, clock_.elapsed());
  far_ = JobPace::shown(what, done, total);
  showText();
  set_progress(*bar_, done, total);
  pace_.countsRuns() ? tick_.start() : tick_.stop();
  show();
}

void ActivityRow::showText() {
  const QString pace = this->pace();
  what_->setText(pace.isEmpty() ? far_ : tr("%1, %2").arg(far_, pace));
}

void ActivityRow::end() {
  tick_.stop();
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

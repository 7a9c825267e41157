#include "ui/panels/job_bar.hpp"

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
    if (waits()) return;  // The next job has already started.
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

}  // namespace spira::ui

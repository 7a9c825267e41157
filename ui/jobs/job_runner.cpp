#include "ui/jobs/job_runner.hpp"

#include "engine/base/error.hpp"
#include "engine/scene/read_limits.hpp"
#include "ui/model/view_update_queue.hpp"

#include <QElapsedTimer>
#include <QPointer>

#include <utility>

namespace spira::ui {

JobRunner::JobRunner(QObject* parent)
    : QObject(parent), thread_([this](const std::stop_token& closing) { loop(closing); }) {
  delivery_.setSingleShot(true);
  delivery_.setTimerType(Qt::PreciseTimer);
  connect(&delivery_, &QTimer::timeout, this, &JobRunner::deliver);
}

JobRunner::~JobRunner() {
  running_.request_stop();
  thread_.request_stop();
  wake_.notify_all();
  thread_.join();
}

void JobRunner::start(const QString& title, Work work) {
  running_.request_stop();
  running_ = std::stop_source();
  ++generation_;
  title_ = title;
  busy_ = true;
  {
    const std::scoped_lock lock(mutex_);
    next_ = Request{generation_, std::move(work), running_};
  }
  wake_.notify_all();
  emit started(title);
}

void JobRunner::cancel() {
  if (!busy_) return;
  running_.request_stop();
  ++generation_;  // Results that still arrive are stale, so the user sees the former state at once.
  busy_ = false;
  emit finished(title_, true);
}

void JobRunner::loop(const std::stop_token& closing) {
  while (!closing.stop_requested()) {
    std::optional<Request> request;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, closing, [this] { return next_.has_value(); });
      request = std::exchange(next_, std::nullopt);
    }
    if (request && !closing.stop_requested()) run(*request);
  }
}

/// Uses a timer and not posted events. A step can cause posted events for layout and painting, and Qt would
/// handle these before mouse and key events. A timer of 0 ms would wait while frames are drawn one after the
/// other.
void JobRunner::arrive(std::function<void()> step) {
  arrived_.push_back(std::move(step));
  if (!delivery_.isActive()) delivery_.start(1);
}

/// Runs the steps in order for at most a few milliseconds, but at least one step. If this event-loop
/// iteration already did layout and paint, defers the delivery once to the next iteration.
void JobRunner::deliver() {
  constexpr qint64 enough_ms = 3;
  constexpr double full_ms = 4;
  if (!put_off_ && iteration_cost_ms() > full_ms) {
    put_off_ = true;
    return delivery_.start(1);
  }
  put_off_ = false;
  QElapsedTimer timer;
  timer.start();
  const QPointer<JobRunner> here(this);  // A step may delete the owner of this object.
  while (!arrived_.empty()) {
    const auto step = std::move(arrived_.front());
    arrived_.pop_front();
    if (!arrived_.empty()) delivery_.start(1);  // A step may run its own event loop.
    try {
      step();
    } catch (...) {
      if (here) emit failed(current_error());
    }
    if (!here || timer.elapsed() >= enough_ms) return;
  }
}

void JobRunner::run(const Request& request) {
  const int generation = request.generation;
  const auto to_gui = [this](std::function<void()> step) {
    QMetaObject::invokeMethod(
        this, [this, step = std::move(step)] { arrive(step); }, Qt::QueuedConnection);
  };
  Job job(request.stop.get_token(), nullptr, [this, generation, to_gui](const Progress& progress) {
    to_gui([this, generation,
            what = QString::fromUtf8(progress.what.data(), static_cast<qsizetype>(progress.what.size())),
            done = progress.done, total = progress.total] {
      if (generation == generation_) emit this->progress(what, done, total);
    });
  });
  const Post post = [this, generation, to_gui](std::function<void()> step) {
    to_gui([this, generation, step = std::move(step)] {
      if (generation == generation_) step();
    });
  };
  std::shared_ptr<const Error> error;  // Keep the type of the error: a receiver may need more than its text.
  try {
    request.work(job, post);
  } catch (const NotEnoughMemory& fault) {
    error = std::make_shared<NotEnoughMemory>(fault);
  } catch (...) {
    error = std::make_shared<Error>(current_error());
  }
  to_gui([this, generation, error] { end(generation, error); });
}

void JobRunner::end(int generation, const std::shared_ptr<const Error>& error) {
  if (generation != generation_) return;
  busy_ = false;
  const bool cancelled = error && error->kind() == ErrorKind::cancelled;
  if (error && !cancelled) emit failed(*error);
  emit finished(title_, cancelled);
}

}  // namespace spira::ui

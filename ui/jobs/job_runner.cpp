#include "ui/jobs/job_runner.hpp"

#include <new>
#include <utility>

namespace spira::ui {

JobRunner::JobRunner(QObject* parent)
    : QObject(parent), thread_([this](const std::stop_token& closing) { loop(closing); }) {}

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
  ++generation_;  // whatever still arrives is stale: the user sees the former state at once
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

void JobRunner::run(const Request& request) {
  const int generation = request.generation;
  const auto to_gui = [this](std::function<void()> step) {
    QMetaObject::invokeMethod(this, std::move(step), Qt::QueuedConnection);
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
  std::optional<Error> error;
  try {
    request.work(job, post);
  } catch (const Error& fault) {
    error = fault;
  } catch (const std::bad_alloc&) {
    error = Error(ErrorKind::memory, "the memory that is left is not enough for it; what was open stays");
  } catch (const std::exception& fault) {
    error = Error(ErrorKind::internal, fault.what());
  }
  to_gui([this, generation, error] { end(generation, error); });
}

void JobRunner::end(int generation, const std::optional<Error>& error) {
  if (generation != generation_) return;
  busy_ = false;
  const bool cancelled = error && error->kind() == ErrorKind::cancelled;
  if (error && !cancelled) emit failed(*error);
  emit finished(title_, cancelled);
}

}  // namespace spira::ui

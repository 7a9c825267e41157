#include "ui/jobs/tasks.hpp"

#include "engine/scene/reader.hpp"
#include "ui/model/view_update_queue.hpp"

#include <QElapsedTimer>

namespace spira::ui {

Tasks::Tasks(QObject* parent) : QObject(parent) {
  // A survey or a search may occupy a thread for minutes. The other threads of the pool stay available.
  constexpr int pool_threads = 8, view_threads = 4;
  engine_.setMaxThreadCount(1);
  // Keep the thread alive, because CUDA contexts and the session must stay on one thread.
  engine_.setExpiryTimeout(-1);
  pool_.setMaxThreadCount(pool_threads);
  view_.setMaxThreadCount(view_threads);
}

Tasks::~Tasks() {
  closing_.request_stop();
  engine_.waitForDone();
  pool_.waitForDone();
  view_.waitForDone();
}

QThreadPool& Tasks::threadsOf(Lane lane) noexcept {
  return lane == Lane::engine ? engine_ : lane == Lane::view ? view_ : pool_;
}

/// Runs the requests of one slot on a thread of its lane. Must not access the slot, because the GUI thread
/// may destroy it at any time. `tasks` stays valid, because Tasks waits for its threads.
struct TaskSlot::Worker {
  Tasks* tasks;
  QPointer<TaskSlot> slot;  // Dereferenced only on the GUI thread.
  std::shared_ptr<Shared> shared;

  void operator()() const {
    for (;;) {
      std::optional<Request> request;
      {
        const std::scoped_lock lock(shared->mutex);
        request = std::exchange(shared->next, std::nullopt);
        shared->running = request.has_value();
      }
      if (!request) return;
      const int generation = request->generation;
      const auto error = run(*request);
      request.reset();  // Releases the arguments before the GUI thread handles the end of the task.
      toGui(generation, [error](TaskSlot& to) { to.end(error); });
    }
  }

  void toGui(int generation, Step step) const {
    QMetaObject::invokeMethod(
        tasks,
        [to = slot, generation, step = std::move(step)] {
          if (to) to->arrive(generation, step);
        },
        Qt::QueuedConnection);
  }

  /// Returns the error of the task, or `nullptr`. Keeps the type of a NotEnoughMemory error, which contains
  /// not only a message but also the suggested value of `every`.
  [[nodiscard]] std::shared_ptr<const Error> run(Request& request) const {
    const std::stop_callback closing(tasks->closing_.get_token(), [&] { request.stop.request_stop(); });
    Job job(request.stop.get_token(), nullptr, [&](const Progress& now) {
      toGui(request.generation,
            [what = QString::fromUtf8(now.what.data(), static_cast<qsizetype>(now.what.size())),
             done = now.done, total = now.total](TaskSlot& to) { emit to.progress(what, done, total); });
    });
    try {
      if (request.stop.stop_requested()) throw Error(ErrorKind::cancelled, "cancelled");
      request.work(job, [&](std::shared_ptr<void> event) {
        toGui(request.generation, [event = std::move(event)](TaskSlot& to) {
          // Copy the receiver, because it may start the next task, which replaces deliver_.
          const auto receiver = to.deliver_;
          (*receiver)(event.get());
        });
      });
    } catch (const NotEnoughMemory& fault) {
      return std::make_shared<NotEnoughMemory>(fault);
    } catch (...) {
      return std::make_shared<Error>(current_error());
    }
    return nullptr;
  }
};

TaskSlot::TaskSlot(Tasks& tasks, Tasks::Lane lane) : tasks_(&tasks), lane_(lane) {
  delivery_.setSingleShot(true);
  delivery_.setTimerType(Qt::PreciseTimer);
  connect(&delivery_, &QTimer::timeout, this, &TaskSlot::deliver);
}

TaskSlot::~TaskSlot() {
  running_.request_stop();
  setBusy(false);
}

void TaskSlot::setBusy(bool busy) {
  if (std::exchange(busy_, busy) != busy && tasks_) tasks_->busy_slots_ += busy ? 1 : -1;
}

void TaskSlot::begin(const QString& title, Work work, Deliver deliver) {
  // Start no task while the program is ending.
  if (!tasks_) return;
  running_.request_stop();
  running_ = std::stop_source();
  ++generation_;
  title_ = title;
  deliver_ = std::make_shared<const Deliver>(std::move(deliver));
  setBusy(true);
  bool running = false;
  std::optional<Request> replaced;
  {
    const std::scoped_lock lock(shared_->mutex);
    replaced = std::exchange(shared_->next, Request{generation_, std::move(work), running_});
    running = std::exchange(shared_->running, true);
  }
  replaced.reset();  // This may release a large cloud, so the mutex must not be held.
  if (!running) tasks_->threadsOf(lane_).start(Worker{tasks_, this, shared_});
  emit started(title);
}

void TaskSlot::cancel() {
  if (!busy_) return;
  running_.request_stop();
  ++generation_;  // Events of the cancelled task that still arrive are then outdated and are not delivered.
  deliver_.reset();
  setBusy(false);
  // Pass a copy of the title, because a receiver may start the next task, which replaces title_.
  emit finished(QString(title_), true);
}

/// Queues a step for deliver(). Starts a timer instead of posting an event. A step can cause posted events
/// for layout and painting, and Qt would handle all posted events before mouse and key events. The interval
/// is not 0 ms, because such a timer would not fire while frames are drawn one after the other.
void TaskSlot::arrive(int generation, Step step) {
  arrived_.emplace_back(generation, std::move(step));
  if (!delivery_.isActive()) delivery_.start(1);
}

/// Runs the queued steps in order, at least one of them, until a few milliseconds have passed. If this
/// event-loop iteration already did layout and paint, defers the steps once to the next iteration.
void TaskSlot::deliver() {
  constexpr qint64 enough_ms = 3;
  constexpr double full_ms = 4;
  if (!deferred_ && iteration_cost_ms() > full_ms) {
    deferred_ = true;
    return delivery_.start(1);
  }
  deferred_ = false;
  QElapsedTimer timer;
  timer.start();
  const QPointer<TaskSlot> here(this);  // A step may delete the owner of this object.
  while (!arrived_.empty()) {
    const auto [generation, step] = std::move(arrived_.front());
    arrived_.pop_front();
    // Start the timer first, because a step may run its own event loop.
    if (!arrived_.empty()) delivery_.start(1);
    try {
      if (generation == generation_) step(*this);
    } catch (...) {
      if (here) emit failed(current_error());
    }
    if (!here || timer.elapsed() >= enough_ms) return;
  }
}

void TaskSlot::end(const std::shared_ptr<const Error>& error) {
  deliver_.reset();
  setBusy(false);
  const bool cancelled = error && error->kind() == ErrorKind::cancelled;
  // Copy the title, because a receiver may start the next task, which replaces title_. A receiver may also
  // delete the owner of this object.
  const QString title = title_;
  const QPointer<TaskSlot> here(this);
  if (error && !cancelled) emit failed(*error);
  if (here) emit finished(title, cancelled);
}

}  // namespace spira::ui

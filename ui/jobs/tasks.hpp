// Background work of the window. `Tasks` owns the threads. A `TaskSlot` runs one task at a time and delivers
// its events on the GUI thread.
//
// A task is a free function from values to values. It is passed as a plain function pointer, so it cannot
// capture objects of the GUI thread:
//
//     void count(const CountArgs& args, Job& job, const Send<std::int64_t>& send);
//     slot_.start(tr("Counting"), count, {cloud, box}, [this](std::int64_t points) { show(points); });
//
// A task that sends several kinds of events uses a std::variant. If the arguments contain a closure, it must
// capture values only.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace spira::ui {

/// Sends an event from a task to the GUI thread. Valid only while the task runs.
template <class Event> using Send = std::function<void(Event)>;

class Tasks : public QObject {
 public:
  /// `engine` is one thread that runs its tasks one after the other and owns the back end and the session.
  /// `view` prepares the data that the 3D view draws, so that slow file access does not delay the view.
  /// `pool` runs all other tasks.
  enum class Lane { engine, view, pool };

  explicit Tasks(QObject* parent = nullptr);
  /// Requests a stop of all tasks and waits for their threads.
  ~Tasks() override;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  /// Returns true if no slot is busy. Threads may still be finishing cancelled tasks.
  [[nodiscard]] bool idle() const noexcept { return busy_slots_ == 0; }

 private:
  friend class TaskSlot;

  [[nodiscard]] QThreadPool& threadsOf(Lane lane) noexcept;

  QThreadPool engine_, view_, pool_;
  std::stop_source closing_;
  int busy_slots_ = 0;
};

/// Runs one task at a time. A new task cancels the running task and starts when that task has ended. Events
/// of a task that was cancelled or replaced are never delivered.
///
/// A class that uses a slot must hold it by value as its last member. Otherwise, the slot could deliver an
/// event to an object that is already partly destroyed. If a slot is destroyed during a task, it requests a
/// stop and does not wait for the task.
class TaskSlot : public QObject {
  Q_OBJECT
 public:
  explicit TaskSlot(Tasks& tasks, Tasks::Lane lane = Tasks::Lane::pool);
  ~TaskSlot() override;
  TaskSlot(const TaskSlot&) = delete;
  TaskSlot& operator=(const TaskSlot&) = delete;

  /// Runs `work` on a thread of the lane. Calls `deliver` on the GUI thread once for each event, in the order
  /// in which the events were sent. failed() reports exceptions of both functions.
  template <class Args, class Event>
  void start(const QString& title, void (*work)(const Args&, Job&, const Send<Event>&),
             std::type_identity_t<Args> args, std::type_identity_t<std::function<void(Event)>> deliver) {
    begin(
        title,
        [work, args = std::move(args)](Job& job, const Post& post) {
          work(args, job, [&post](Event event) { post(std::make_shared<Event>(std::move(event))); });
        },
        [deliver = std::move(deliver)](void* event) { deliver(std::move(*static_cast<Event*>(event))); });
  }
  void cancel();
  [[nodiscard]] bool busy() const noexcept { return busy_; }
  [[nodiscard]] const QString& title() const noexcept { return title_; }

 signals:
  void started(const QString& title);
  void progress(const QString& what, qint64 done, qint64 total);  ///< Emitted at most every 50 ms.
  void failed(const spira::Error& error);                         ///< Not emitted for cancelled tasks.
  void finished(const QString& title, bool cancelled);

 private:
  using Post = std::function<void(std::shared_ptr<void>)>;
  using Work = std::function<void(Job&, const Post&)>;
  using Deliver = std::function<void(void*)>;
  using Step = std::function<void(TaskSlot&)>;
  struct Request {
    int generation = 0;
    Work work;
    std::stop_source stop;
  };
  /// Data that the slot shares with the thread of its lane. If the slot is destroyed during a task, the data
  /// outlives the slot.
  struct Shared {
    std::mutex mutex;
    std::optional<Request> next;
    bool running = false;
  };
  struct Worker;

  void begin(const QString& title, Work work, Deliver deliver);
  void setBusy(bool busy);
  void arrive(int generation, Step step);
  void deliver();
  void end(const std::shared_ptr<const Error>& error);

  QPointer<Tasks> tasks_;  // `nullptr` after Tasks was destroyed.
  Tasks::Lane lane_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::shared_ptr<const Deliver> deliver_;  // Receiver of the events of the newest task.
  std::stop_source running_;
  int generation_ = 0;
  bool busy_ = false;
  QString title_;
  std::deque<std::pair<int, Step>> arrived_;
  QTimer delivery_;
  bool deferred_ = false;  // True if the delivery was deferred to the next event-loop iteration.
};

}  // namespace spira::ui

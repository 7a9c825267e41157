// A queue for the updates of views. If a view receives several signals, it updates only once. Each event-loop
// iteration runs updates for only a few milliseconds. Hidden views update when no more changes arrive.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <vector>

namespace spira::ui {

class ViewUpdateQueue : public QObject {
  Q_OBJECT
 public:
  explicit ViewUpdateQueue(QObject* parent = nullptr);

  /// Queues the update `what` of the view `who`. Does nothing if an update of `who` is already queued. If
  /// `who` is destroyed first, the update is not run. `in_sight` is true if the view is visible. Hidden views
  /// wait longer.
  void add(QObject* who, std::function<void()> what, bool in_sight);
  /// Runs the queued update of `who` immediately. Does nothing if none is queued.
  void finish(const QObject* who);
  [[nodiscard]] bool empty() const noexcept { return in_sight_.empty() && hidden_.empty(); }

 private:
  struct One {
    QPointer<QObject> who;
    std::function<void()> what;
  };
  void work(std::vector<One>& queue);

  std::vector<One> in_sight_, hidden_;
  QTimer soon_, rested_;
};

/// Returns the CPU time that the GUI thread has used in this event-loop iteration, in ms. Work that can be
/// deferred checks this time and waits for the next iteration if it is too long, so that mouse and keyboard
/// events are handled first.
[[nodiscard]] double iteration_cost_ms();

}  // namespace spira::ui

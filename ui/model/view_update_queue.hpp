// A queue for view updates after a change. Each view updates once for any number of signals. One
// event-loop iteration runs only a few milliseconds of updates. Hidden views update when no more changes
// arrive.
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

  /// Runs `what` soon, unless an update of `who` is queued already or `who` is destroyed before. `in_sight`:
  /// the view is visible; hidden views wait longer.
  void add(QObject* who, std::function<void()> what, bool in_sight);
  /// Runs the update of `who` now, if one is queued.
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

/// Returns the CPU time that the GUI thread has used in this iteration, in ms. Work that can wait checks it
/// first and defers to the next iteration, so that mouse and keyboard input is handled in between.
[[nodiscard]] double iteration_cost_ms();

}  // namespace spira::ui

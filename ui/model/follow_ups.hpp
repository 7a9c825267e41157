// What views do about a change, in pieces: each view once however many signals it got, only as many in a turn
// of the event loop as take a few milliseconds, and those out of sight when changes have come to rest.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <vector>

namespace spira::ui {

class FollowUps : public QObject {
  Q_OBJECT
 public:
  explicit FollowUps(QObject* parent = nullptr);

  /// `what` runs soon, unless `who` waits already or is destroyed before. `in_sight`: its user looks at it.
  void add(QObject* who, std::function<void()> what, bool in_sight);
  /// At once, if it waits.
  void finish(const QObject* who);
  void finishAll();
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

}  // namespace spira::ui

// A worker thread that runs one job at a time. A new job cancels the running job, whose late results are
// discarded.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace spira::ui {

class JobRunner : public QObject {
  Q_OBJECT
 public:
  /// Sends a step to the GUI thread. The step is discarded there if its job is no longer the newest.
  using Post = std::function<void(std::function<void()>)>;
  /// Runs on the worker thread. Must capture values only. failed() reports its errors and the errors of its
  /// posted steps.
  using Work = std::function<void(Job&, const Post&)>;

  explicit JobRunner(QObject* parent = nullptr);
  ~JobRunner() override;
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  void start(const QString& title, Work work);
  void cancel();
  [[nodiscard]] bool busy() const noexcept { return busy_; }
  [[nodiscard]] const QString& title() const noexcept { return title_; }

 signals:
  void started(const QString& title);
  void progress(const QString& what, qint64 done, qint64 total);  ///< Emitted at most every 50 ms.
  void failed(const spira::Error& error);                         ///< Not emitted for cancelled jobs.
  void finished(const QString& title, bool cancelled);

 private:
  struct Request {
    int generation = 0;
    Work work;
    std::stop_source stop;
  };
  void loop(const std::stop_token& closing);
  void arrive(std::function<void()> step);
  void deliver();
  void run(const Request& request);
  void end(int generation, const std::shared_ptr<const Error>& error);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Request> next_;  // Guarded by mutex_.
  std::stop_source running_;     // GUI thread only.
  int generation_ = 0;           // GUI thread only.
  bool busy_ = false;            // GUI thread only.
  QString title_;
  std::deque<std::function<void()>> arrived_;  // GUI thread only.
  QTimer delivery_;
  bool put_off_ = false;  // The delivery was deferred to the next event-loop iteration.
  std::jthread thread_;   // Must be the last member, because it uses all others.
};

}  // namespace spira::ui

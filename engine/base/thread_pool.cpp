#include "engine/base/thread_pool.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace spira {
namespace {

struct Task {
  std::int64_t count = 0, block = 1;
  const std::function<void(std::int64_t, std::int64_t, int)>* work = nullptr;
  const std::stop_token* stop = nullptr;
  std::atomic<std::int64_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;

  void run(int worker) {
    try {
      while (!stop->stop_requested()) {
        const std::int64_t begin = next.fetch_add(block, std::memory_order_relaxed);
        if (begin >= count) return;
        (*work)(begin, std::min(begin + block, count), worker);
      }
    } catch (...) {
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next.store(count, std::memory_order_relaxed);
    }
  }
};

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake, done;
  Task* task = nullptr;     // Protected by `mutex`.
  std::uint64_t round = 0;  // Protected by `mutex`. Incremented for each task.
  int busy = 0;             // Protected by `mutex`.
  bool closing = false;     // Protected by `mutex`.
  std::vector<std::thread> helpers;

  void close() {
    {
      const std::scoped_lock lock(mutex);
      closing = true;
    }
    wake.notify_all();
    for (auto& helper : helpers)
      helper.join();
    helpers.clear();
  }

  void help(int worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return closing || round != seen; });
      if (closing) return;
      seen = round;
      Task* mine = task;
      lock.unlock();
      mine->run(worker);
      lock.lock();
      if (--busy == 0) done.notify_all();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  try {
    for (int worker = 1; worker < threads; ++worker)
      state_->helpers.emplace_back([state = state_.get(), worker] { state->help(worker); });
  } catch (const std::system_error& error) {
    const auto started = state_->helpers.size() + 1;
    state_->close();
    throw Error(ErrorKind::device, "only " + std::to_string(started) + " of " + std::to_string(threads) +
                                       " threads could be started: " + error.code().message() +
                                       "; use fewer threads, or raise the limit on threads or memory");
  }
}

ThreadPool::~ThreadPool() {
  state_->close();
}

int ThreadPool::threads() const noexcept {
  return static_cast<int>(state_->helpers.size()) + 1;
}

void ThreadPool::for_blocks(std::int64_t count, std::int64_t block,
                            const std::function<void(std::int64_t, std::int64_t, int)>& work,
                            const std::stop_token& stop) {
  if (count <= 0) return;
  Task task;
  task.count = count;
  task.block = std::max<std::int64_t>(1, block);
  task.work = &work;
  task.stop = &stop;
  const bool alone = state_->helpers.empty() || count <= task.block;
  if (!alone) {
    const std::scoped_lock lock(state_->mutex);
    state_->task = &task;
    state_->busy = static_cast<int>(state_->helpers.size());
    ++state_->round;
    state_->wake.notify_all();
  }
  task.run(0);
  if (!alone) {
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [&] { return state_->busy == 0; });
  }
  if (task.failure) std::rethrow_exception(task.failure);
}

}  // namespace spira

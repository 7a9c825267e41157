// Runs work on blocks of an index range in parallel (fork-join). Calls must not be nested, and only one
// thread may call at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace spira {

class ThreadPool {
 public:
  /// Starts the threads of the pool. The calling thread is one of `threads`; 0 means one thread per core.
  /// Throws `Error(device)` if a thread cannot be started.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const noexcept;

  /// Calls work(begin, end, worker) for blocks of at most `block` indices, which together cover [0, count),
  /// in any order. `worker` is in [0, threads()). The calling thread works too. Returns when all blocks are
  /// done. Rethrows the first exception of `work`. After a stop request, blocks that have not begun are
  /// skipped, and the function returns with incomplete results; the caller must then call Job::checkpoint(),
  /// which throws `Error(cancelled)`.
  void for_blocks(std::int64_t count, std::int64_t block,
                  const std::function<void(std::int64_t begin, std::int64_t end, int worker)>& work,
                  const std::stop_token& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira

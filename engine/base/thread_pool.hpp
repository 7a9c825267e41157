// Fork-join over blocks of an index range. No nesting; one caller at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace spira {

class ThreadPool {
 public:
  /// `threads` counts the calling thread; 0 means one per core. Throws Error(device) if one cannot be
  /// started.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const noexcept;

  /// Calls work(begin, end, worker) for blocks of at most `block` indices that cover [0, count), in no fixed
  /// order; worker is in [0, threads()). The caller works too; returns when all is done. Blocks not yet begun
  /// are skipped once `stop` is requested (the caller asks its Job afterwards). The first exception of `work`
  /// is thrown again here.
  void for_blocks(std::int64_t count, std::int64_t block,
                  const std::function<void(std::int64_t begin, std::int64_t end, int worker)>& work,
                  const std::stop_token& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira

// Passed down every long call: may I go on, how far am I, where do timings go.
#pragma once

#include "engine/job/recorder.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace spira {

struct Progress {
  std::string_view what;             ///< lives for the call
  std::int64_t done = 0, total = 0;  ///< total 0: unknown
};

class Job {
 public:
  explicit Job(std::stop_token stop = {}, Recorder* recorder = nullptr,
               std::function<void(const Progress&)> report = {});
  /// Throws Error(cancelled) if stopped; reports at most every 50 ms. Ask at least every 50 ms of work.
  void checkpoint(const Progress& progress);
  [[nodiscard]] Recorder::Scope stage(std::string_view name) { return {recorder_, name}; }
  void traffic(std::int64_t bytes_read, std::int64_t bytes_written);
  [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }
  [[nodiscard]] Recorder* recorder() const noexcept { return recorder_; }
  /// The same stop and progress with another recorder (null: none), for passes that time something else.
  [[nodiscard]] Job with_recorder(Recorder* recorder) const;

 private:
  std::stop_token stop_;
  Recorder* recorder_;
  std::function<void(const Progress&)> report_;
  std::chrono::steady_clock::time_point last_report_{};
};

}  // namespace spira

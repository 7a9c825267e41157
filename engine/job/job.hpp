// Declares Job, which is passed to every long call. It contains the stop request, the progress callback and
// the recorder of timings.
#pragma once

#include "engine/job/recorder.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace spira {

struct Progress {
  std::string_view what;             ///< The current work. The text must stay valid during the call.
  std::int64_t done = 0, total = 0;  ///< `total` is 0 if it is not known.
};

class Job {
 public:
  explicit Job(std::stop_token stop = {}, Recorder* recorder = nullptr,
               std::function<void(const Progress&)> report = {});
  /// Throws `Error(cancelled)` if a stop was requested. Reports the progress at most every 50 ms. Must be
  /// called at least once per 50 ms of work.
  void checkpoint(const Progress& progress);
  [[nodiscard]] Recorder::Scope stage(std::string_view name) { return {recorder_, name}; }
  /// Name a kernel that computes the open stage, and the layout of the map that it reads (see StageNode).
  void kernel(std::string_view name);
  void layout(std::string_view name);
  void traffic(std::int64_t bytes_read, std::int64_t bytes_written);
  [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }
  [[nodiscard]] Recorder* recorder() const noexcept { return recorder_; }
  /// Returns a job with the same stop token and progress callback but with another recorder, which can be
  /// `nullptr`. Used for passes that are timed separately.
  [[nodiscard]] Job with_recorder(Recorder* recorder) const;

 private:
  std::stop_token stop_;
  Recorder* recorder_;
  std::function<void(const Progress&)> report_;
  std::chrono::steady_clock::time_point last_report_{};
};

}  // namespace spira

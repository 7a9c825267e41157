// Limits how often a measurement reports its progress.
#pragma once

#include "engine/job/job.hpp"

#include <chrono>

namespace spira {

/// A window draws each report, which takes time of the processors that run the samples. Therefore samples
/// report their progress less often than other work.
class SampleReports {
 public:
  /// Returns true if the last report was long enough ago. Also returns true after a stop request, because
  /// Job::checkpoint() then throws.
  [[nodiscard]] bool due(const Job& job) {
    constexpr std::chrono::milliseconds between(500);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < between && !job.stop_token().stop_requested()) return false;
    last_ = now;
    return true;
  }

 private:
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace spira

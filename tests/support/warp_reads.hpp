// Records the memory reads of each thread of a warp, in order. Tests compute the expected counters from these
// reads.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace spira::test {

struct WarpReads {
  std::vector<std::vector<std::int64_t>> of_thread;  ///< Byte addresses that each thread reads, in order.

  /// Counts the distinct 32-byte sectors in each step and returns the sum over all steps. Step k contains the
  /// k-th read of every thread.
  [[nodiscard]] std::int64_t sectors() const {
    std::map<std::size_t, std::set<std::int64_t>> steps;
    for (const auto& reads : of_thread) {
      for (std::size_t step = 0; step < reads.size(); ++step)
        steps[step].insert(reads[step] / 32);
    }
    std::int64_t sum = 0;
    for (const auto& [step, sectors] : steps)
      sum += static_cast<std::int64_t>(sectors.size());
    return sum;
  }
  [[nodiscard]] std::int64_t count() const {
    std::int64_t sum = 0;
    for (const auto& reads : of_thread)
      sum += static_cast<std::int64_t>(reads.size());
    return sum;
  }
};

}  // namespace spira::test

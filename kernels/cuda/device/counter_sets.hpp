// Provides counters for pair lists. The counters are zero at the start of a launch, but no separate launch
// clears them: the kernel that completes one set of lists clears the counters of the previous set.
#pragma once

#include "kernels/cuda/device/device.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace spira::cuda {

constexpr int max_columns = 343;  ///< Number of columns for K = 7.
/// For each column, pairs are counted in this number of ranges of thread blocks. Each lane of a warp reads
/// the count of one range.
constexpr int ranges = 32;

constexpr std::size_t max_published_counts = 16'384;
constexpr std::uint32_t max_published_launches = (1U << 22U) - 1U;

/// Owns the sets of counters. Must be used by the owner thread of the device only.
class CounterSets {
 public:
  struct Set {
    Buffer memory;      ///< Counters of 32 bits. Shape: [max_columns][ranges].
    int left_over = 0;  ///< All counters after the first `left_over` counters are zero.
  };

  /// Returns a set whose counters are all zero.
  [[nodiscard]] Set take(const Device& device);
  /// Returns a set to the pool. The first `left_over` counters of the set were used, so a kernel must clear
  /// them before later launches read them.
  void give(Set set, int left_over);
  /// Memory in which the thread blocks of a launch publish counts. Each word contains a count and a launch
  /// number, which shows that the count is valid. Before a launch, no word contains the number of this
  /// launch.
  struct PublishedCounts {
    std::uint32_t* words = nullptr;
    std::uint32_t launch = 0;
    std::uint32_t* blocks = nullptr;  ///< Number of thread blocks that have published their counts.
    std::uint32_t last = 0;  ///< Value of `*blocks` after all thread blocks of the launch have published.
  };
  [[nodiscard]] PublishedCounts published_counts(const Device& device, std::uint32_t blocks);
  void launched(const PublishedCounts& published);
  /// Returns a set whose counters the next launch must clear. Returns `nullptr` if the counters of all sets
  /// are zero.
  [[nodiscard]] Set* to_empty();

 private:
  std::vector<Set> sets_;
  Buffer published_;
  /// Number of launches, and number of thread blocks, that have used published_ so far.
  std::uint32_t launches_ = 0, blocks_ = 0;
};

}  // namespace spira::cuda

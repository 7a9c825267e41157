// Counters of pair lists that start at zero without an extra launch. The kernel that completes one set of
// lists clears the counters of the previous set.
#pragma once

#include "kernels/cuda/device/device.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace spira::cuda {

constexpr int max_columns = 343;  ///< Columns of K = 7.
constexpr int ranges = 32;        ///< Ranges of blocks per column, one per lane.

constexpr std::size_t max_told_counts = 16'384;
constexpr std::uint32_t max_told_launches = (1U << 22U) - 1U;

/// Must be used by the owner thread of the device only.
class CounterSets {
 public:
  struct Set {
    Buffer memory;      ///< [max_columns][ranges], 32 bits each.
    int left_over = 0;  ///< The first `left_over` counters may not be zero.
  };

  /// Returns a set whose counters are all zero.
  [[nodiscard]] Set take(const Device& device);
  /// Returns a set to the pool. Its first `left_over` counters have been used, and later launches must not
  /// read them.
  void give(Set set, int left_over);
  /// Memory for counts that blocks publish together with the number of their launch. At the start of a
  /// launch, no word contains the number of this launch.
  struct Told {
    std::uint32_t* words = nullptr;
    std::uint32_t launch = 0;
    std::uint32_t* blocks = nullptr;  ///< Number of blocks that have published.
    std::uint32_t last = 0;           ///< Value of `*blocks` at the end of the launch.
  };
  [[nodiscard]] Told told(const Device& device, std::uint32_t blocks);
  void launched(const Told& told);
  /// Returns a set that the next launch should clear, or `nullptr` if all sets are clear.
  [[nodiscard]] Set* to_empty();

 private:
  std::vector<Set> sets_;
  Buffer told_;
  std::uint32_t launches_ = 0, blocks_ = 0;  ///< Launches and blocks that have used told_.
};

}  // namespace spira::cuda

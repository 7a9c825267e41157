// Counters of pair lists that start as zeros without a launch for it: the kernel that ends a set of lists
// empties the counters of the set before.
#pragma once

#include "kernels/cuda/device.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace spira::cuda {

constexpr int most_columns = 343;  ///< of K = 7
constexpr int ranges = 32;         ///< of a column, a lane each

constexpr std::size_t most_told_counts = 16'384;
constexpr std::uint32_t most_told_launches = (1U << 22U) - 1U;

/// Owner thread of the device only.
class CounterSets {
 public:
  struct Set {
    Buffer memory;      ///< [most_columns][ranges] of 32 bits
    int left_over = 0;  ///< the first so many may not be zero
  };

  /// All zeros.
  [[nodiscard]] Set take(const Device& device);
  /// `left_over` of it have counted, and are read by nothing that is yet to be launched.
  void give(Set set, int left_over);
  /// Words for counts that are told with the number of their launch, which no word has yet.
  struct Told {
    std::uint32_t* words = nullptr;
    std::uint32_t launch = 0;
    std::uint32_t* blocks = nullptr;  ///< that told
    std::uint32_t last = 0;           ///< number of them at the end of the launch
  };
  [[nodiscard]] Told told(const Device& device, std::uint32_t blocks);
  void launched(const Told& told);
  /// One that is to be emptied by the next launch; null: there is none.
  [[nodiscard]] Set* to_empty();

 private:
  std::vector<Set> sets_;
  Buffer told_;
  std::uint32_t launches_ = 0, blocks_ = 0;  ///< that used told_
};

}  // namespace spira::cuda

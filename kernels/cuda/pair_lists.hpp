// Filtered pair lists of a map's columns in two passes: how many pairs each column has in each block of
// outputs, then the pairs in their places. The z-delta search counts while it has the words at hand.
#pragma once

#include "kernels/cuda/counter_sets.hpp"
#include "kernels/cuda/map_layouts.hpp"

#include <span>

namespace spira::cuda {

struct PairCounts;

/// Outputs that a block searches and counts together; `groups`: z-groups that it searches.
[[nodiscard]] constexpr int rows_of_block(int groups) {
  return groups <= 13 ? 256 : groups <= 25 ? 128 : 64;
}

class PairLists {
 public:
  /// `columns`: that a part stores, ascending; `groups`: z-groups of the words. All counts are zero.
  PairLists(const Device& device, const KernelMap& map, std::span<const int> columns, int groups);
  [[nodiscard]] PairCounts counts() const;

  /// For words that no search counted.
  void count(const RunWordsOnDevice& runs) const;
  /// Entries and counts of the part, once all is counted. Waits for the number of pairs.
  void write(const RunWordsOnDevice& runs, KernelMap::Part& part);

 private:
  [[nodiscard]] unsigned threads() const;

  const Device& device_;
  const KernelMap& map_;
  std::vector<int> columns_;
  int rows_;
  CounterSets::Set of_ranges_;
  Buffer of_blocks_;
};

}  // namespace spira::cuda

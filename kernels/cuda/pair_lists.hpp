// Filtered pair lists of a map's columns in two passes: how many pairs each column has in each block of
// outputs, then the pairs in their places. The z-delta search counts while it has the words at hand; where
// all its blocks run at once and room for every pair that there could be is little, it also writes.
#pragma once

#include "kernels/cuda/counter_sets.hpp"
#include "kernels/cuda/map_layouts.hpp"

#include <span>

namespace spira::cuda {

struct PairCounts;
struct PairTargets;
struct ToldCounts;

/// Outputs that a block searches and counts together; `groups`: z-groups that it searches.
constexpr int most_rows_of_block = 256;
[[nodiscard]] constexpr int rows_of_block(int groups) {
  return groups <= 13 ? most_rows_of_block : groups <= 25 ? 128 : 64;
}

/// Of the room for every pair that there could be.
constexpr std::size_t most_bytes_to_spare = std::size_t{9} << 20U;

/// Owner thread only.
class PairLists {
 public:
  /// `columns`: that a part stores, ascending; `groups`: z-groups of the words.
  PairLists(const Device& device, const KernelMap& map, std::span<const int> columns, int groups);

  /// If there were a pair at each output and column.
  [[nodiscard]] std::size_t most_bytes() const;
  /// For a search that counts.
  [[nodiscard]] PairCounts to_count();
  /// For a search that counts and writes, in one launch.
  [[nodiscard]] ToldCounts to_tell(unsigned blocks);
  [[nodiscard]] PairTargets room_for_all();
  void launched();
  void give_room_back() { entries_ = {}; }  ///< of a launch that did not come about
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  /// Entries and counts of the part; counts and writes what no search did. Waits for the number of pairs.
  void finish(const RunWordsOnDevice& runs, KernelMap::Part& part);

 private:
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] PairCounts by_ranges();
  [[nodiscard]] std::size_t sum_of_counts(const std::uint32_t* counts, std::size_t number) const;
  void count(const RunWordsOnDevice& runs);
  void write(const RunWordsOnDevice& runs);

  const Device& device_;
  const KernelMap& map_;
  std::vector<int> columns_;
  int rows_;
  bool counted_ = false;
  CounterSets::Set of_ranges_;
  CounterSets::Told told_;
  Buffer of_columns_, of_blocks_, entries_;
};

}  // namespace spira::cuda

// Makes the filtered pair lists of a map's columns in two passes. The first pass counts the pairs of each
// column in each block of outputs; the second writes the pairs to their positions. The z-delta search can
// count the pairs while its words are in shared memory. It can also write the pairs, if all its blocks run
// at once and the memory for every possible pair is small.
#pragma once

#include "kernels/cuda/device/counter_sets.hpp"
#include "kernels/cuda/map/map_layouts.cuh"

#include <span>

namespace spira::cuda {

struct PairCounts;
struct PairTargets;
struct ToldCounts;

/// Outputs that one block searches and counts together. `groups` is the number of z-groups that the block
/// searches.
constexpr int max_rows_of_block = 256;
[[nodiscard]] constexpr int rows_of_block(int groups) {
  return groups <= 13 ? max_rows_of_block : groups <= 25 ? 128 : 64;
}

/// The lists are made in one launch only if the memory for all possible pairs is at most this number of
/// bytes.
constexpr std::size_t max_bytes_to_spare = std::size_t{9} << 20U;

/// Must be used by the owner thread only.
class PairLists {
 public:
  /// `columns` are the columns that a part stores, in ascending order. `groups` is the number of z-groups of
  /// the words.
  PairLists(const Device& device, const KernelMap& map, std::span<const int> columns, int groups);

  /// Returns the size of the lists, in bytes, for the case that every output has a pair in every column.
  [[nodiscard]] std::size_t max_bytes() const;
  /// Returns the counters for a search that counts.
  [[nodiscard]] PairCounts to_count();
  /// Returns the counts for a search that counts and writes in one launch.
  [[nodiscard]] ToldCounts to_tell(unsigned blocks);
  [[nodiscard]] PairTargets room_for_all();
  void launched();
  /// Frees the memory for all pairs if the launch failed.
  void give_room_back() { entries_ = {}; }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  /// Moves entries and counts to the part. First counts and writes the pairs if the search did not. Waits for
  /// the number of pairs.
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

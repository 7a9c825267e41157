// Builds the pair lists of a map's columns in two passes. The first pass counts the pairs of each column in
// each thread block. The second pass writes the pairs to their positions. The z-delta search can count the
// pairs while its words are in shared memory. It can even write the pairs in the same launch. For this, all
// its thread blocks must run at once, and lists with space for every possible pair must be small enough.
#pragma once

#include "kernels/cuda/device/counter_sets.hpp"
#include "kernels/cuda/map/map_layouts.cuh"

#include <span>

namespace spira::cuda {

struct PairCounts;
struct PairTargets;
struct PublishedCounts;

/// Maximum number of outputs that one thread block searches and counts. `groups` is the number of z-groups
/// that the thread block searches.
constexpr int max_rows_of_block = 256;
[[nodiscard]] constexpr int rows_of_block(int groups) {
  return groups <= 13 ? max_rows_of_block : groups <= 25 ? 128 : 64;
}

/// Maximum size in bytes of the lists if one launch counts and writes the pairs. Such lists have space for
/// every possible pair.
constexpr std::size_t max_bytes_to_spare = std::size_t{9} << 20U;

/// Builds the pair lists of one map part. Must be used by the owner thread only.
class PairLists {
 public:
  /// `columns` are the columns that the part stores, in ascending order. `groups` is the number of z-groups
  /// that are searched for each output.
  PairLists(const Device& device, const KernelMap& map, std::span<const int> columns, int groups);

  /// Returns the size in bytes of the lists if every output has a pair in every column.
  [[nodiscard]] std::size_t max_bytes() const;
  /// Returns the counters for a search that also counts the pairs, but does not write them.
  [[nodiscard]] PairCounts to_count();
  /// Returns the counters for a search that counts and writes the pairs in one launch.
  [[nodiscard]] PublishedCounts published_counts(unsigned blocks);
  [[nodiscard]] PairTargets room_for_all();
  void launched();
  /// Frees the lists that room_for_all() has allocated. Must be called if the launch failed.
  void give_room_back() { entries_ = {}; }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  /// Moves the lists and their counts to the part. If the search has not counted the pairs or has not written
  /// them, this function does so. Waits until the number of pairs is known.
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
  CounterSets::PublishedCounts published_;
  Buffer of_columns_, of_blocks_, entries_;
};

}  // namespace spira::cuda

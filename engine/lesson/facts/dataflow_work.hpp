// Work of the features of a layer for each threshold t, counted on the kernel map of the layer (section 5.4).
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spira {

/// The work for one threshold t. Columns with an L1 norm below t run output-stationary, the others
/// weight-stationary.
struct ThresholdCount {
  int threshold = 0, dense_columns = 0;
  std::int64_t dense_slots = 0;     ///< outputs times dense columns, including empty slots
  std::int64_t dense_pairs = 0;     ///< dense slots that have an input
  std::int64_t sparse_pairs = 0;    ///< number of pairs; each pair atomically adds a row to its output
  std::int64_t sparse_outputs = 0;  ///< outputs with at least one sparse pair
  std::int64_t max_additions = 0;   ///< largest number of additions to one output
  /// Size of the map as stored by the paper: 4 bytes for each dense slot, 8 for each sparse pair and 4 for
  /// each sparse column.
  std::size_t map_bytes = 0;
  /// Size of the map if only one of the columns delta and -delta is stored. Equals `map_bytes` if the map is
  /// not symmetric.
  std::size_t half_map_bytes = 0;

  /// Returns the number of additions to outputs that already have one. They must not happen at the same time.
  [[nodiscard]] std::int64_t collisions() const noexcept { return sparse_pairs - sparse_outputs; }
  /// Returns the sum of slots and pairs, in slots. `pair_cost` is the cost of one pair, in slots.
  [[nodiscard]] double work(double pair_cost) const noexcept {
    return static_cast<double>(dense_slots) + (pair_cost * static_cast<double>(sparse_pairs));
  }
};

struct DataflowWork {
  int kernel_size = 0, stride = 1, columns = 0;
  bool symmetric = false;  ///< true for a submanifold layer of odd kernel size
  std::int64_t outputs = 0, pairs = 0;
  std::vector<ThresholdCount> thresholds;  ///< `[max_threshold() + 1]`, indexed by t
  /// Size of the buffer of all K^3 * |V_q| search results, which is transposed and filtered.
  std::size_t search_bytes = 0;
  /// Size of the z-run words, K^2 for each output, which this program uses instead of that buffer.
  std::size_t run_bytes = 0;

  /// Returns the t with the least work. In a tie, returns the largest t.
  [[nodiscard]] int best_threshold(double pair_cost) const;
  /// Returns the pair cost, in slots, above which the fully output-stationary layer has less work than t.
  /// Infinite if t has no pairs.
  [[nodiscard]] double break_even(int threshold) const;
};
[[nodiscard]] DataflowWork count_work(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets,
                                      Job& job);

}  // namespace spira

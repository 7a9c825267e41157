// What a layer's features have to do for each threshold t, counted on its own kernel map (section 5.4).
#pragma once

#include "engine/job/job.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spira {

/// Columns with an L1 norm below t run output-stationary, the others weight-stationary.
struct ThresholdCount {
  int threshold = 0, dense_columns = 0;
  std::int64_t dense_slots = 0;     ///< outputs times dense columns, empty ones too
  std::int64_t dense_pairs = 0;     ///< those of them that have an input
  std::int64_t sparse_pairs = 0;    ///< each is an atomic addition of a row to its output
  std::int64_t sparse_outputs = 0;  ///< outputs that have one at all
  std::int64_t most_additions = 0;  ///< to one output
  /// Of the map as the paper stores it: 4 bytes a dense slot, 8 a sparse pair, 4 a sparse column.
  std::size_t map_bytes = 0;
  /// The same where of two columns delta and -delta only one is stored; as map_bytes where there is no such
  /// symmetry.
  std::size_t half_map_bytes = 0;

  /// Additions to an output that has one already: they must not happen at once.
  [[nodiscard]] std::int64_t collisions() const noexcept { return sparse_pairs - sparse_outputs; }
  /// Slots plus pairs, with what a pair takes in units of what a slot takes.
  [[nodiscard]] double work(double pair_cost) const noexcept {
    return static_cast<double>(dense_slots) + (pair_cost * static_cast<double>(sparse_pairs));
  }
};

struct DataflowWork {
  int kernel_size = 0, stride = 1, columns = 0;
  bool symmetric = false;  ///< a submanifold layer of an odd size
  std::int64_t outputs = 0, pairs = 0;
  std::vector<ThresholdCount> thresholds;  ///< [max_threshold() + 1], by t
  std::size_t search_bytes = 0;  ///< the buffer of all K^3 * |V_q| results that is transposed and filtered
  std::size_t run_bytes = 0;     ///< of the z-run words, K^2 an output, that stand for all of it here

  /// The t of the least work; the largest of several.
  [[nodiscard]] int best_threshold(double pair_cost) const;
  /// How many times a slot a pair may cost before all output-stationary is less work than t. Infinite where t
  /// has no pairs.
  [[nodiscard]] double break_even(int threshold) const;
};
[[nodiscard]] DataflowWork count_work(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets,
                                      Job& job);

}  // namespace spira

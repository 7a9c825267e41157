// Counts the work of a layer for each threshold t on the kernel map of the layer (section 5.4 of the paper).
#pragma once

#include "engine/job/job.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/coord_set.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spira {

/// The work of a layer for one threshold t. Offsets with an L1 norm below t run output-stationary (dense),
/// all others weight-stationary (sparse).
struct ThresholdCount {
  int threshold = 0, dense_columns = 0;
  /// Number of outputs times number of dense columns. Includes slots without an input.
  std::int64_t dense_slots = 0;
  std::int64_t dense_pairs = 0;  ///< Number of dense slots with an input.
  /// Number of sparse pairs. Each pair atomically adds one row to its output.
  std::int64_t sparse_pairs = 0;
  std::int64_t sparse_outputs = 0;  ///< Number of outputs with at least one sparse pair.
  std::int64_t max_additions = 0;   ///< The largest number of additions to one output.
  /// The size of the map in the format of the paper: 4 bytes per dense slot, 8 bytes per sparse pair and 4
  /// bytes per sparse column.
  std::size_t map_bytes = 0;
  /// The size of the map if only one of the sparse columns delta and -delta is stored. Equal to `map_bytes`
  /// if the map is not symmetric.
  std::size_t half_map_bytes = 0;

  /// Returns the number of additions that follow another addition to the same output. Such additions must not
  /// run at the same time.
  [[nodiscard]] std::int64_t collisions() const noexcept { return sparse_pairs - sparse_outputs; }
  /// Returns the total work in units of one dense slot. `pair_cost` is the work of one sparse pair in this
  /// unit.
  [[nodiscard]] double work(double pair_cost) const noexcept {
    return static_cast<double>(dense_slots) + (pair_cost * static_cast<double>(sparse_pairs));
  }
};

struct DataflowWork {
  int kernel_size = 0, stride = 1, columns = 0;
  bool symmetric = false;  ///< True for a submanifold layer with an odd kernel size.
  std::int64_t outputs = 0, pairs = 0;
  std::vector<ThresholdCount> thresholds;  ///< One entry per t. Shape: `[max_threshold() + 1]`.
  /// The size of the buffer with all K^3 * |V_q| search results. The paper transposes and filters this
  /// buffer.
  std::size_t search_bytes = 0;
  /// The size of the words of the z-run layout, K^2 words per output. This program stores these words instead
  /// of the buffer of search results.
  std::size_t run_bytes = 0;

  /// Returns the t with the least work. In a tie, returns the largest t.
  [[nodiscard]] int best_threshold(double pair_cost) const;
  /// Returns the `pair_cost` (see work()) above which a fully output-stationary layer needs less work than
  /// this t. Returns infinity if this t has no sparse pairs.
  [[nodiscard]] double break_even(int threshold) const;
};
[[nodiscard]] DataflowWork count_work(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets,
                                      Job& job);

// The declarations below model how the number of channels of a layer changes the best threshold t. The model
// has only two costs: one for a multiplication and one for moving a value. Real devices are more complex, so
// the window labels these results as modelled.

/// The cost of moving one value to or from memory, in multiplications.
constexpr int products_a_value = 64;

/// Returns the modelled work of a layer for one t, in multiplications. The dense part reads each existing
/// input row once and writes each output row once. In the sparse part, each pair reads its input row, and
/// reads and writes its output row. The cost of a part is the number of its multiplications or the cost of
/// the values that it moves, whichever is larger.
[[nodiscard]] double modelled_work(const DataflowWork& work, const ThresholdCount& count, int c_in,
                                   int c_out);
/// Returns the modelled cost of one sparse pair, in units of one dense slot without an input.
[[nodiscard]] double modelled_pair_price(int c_in, int c_out);

[[nodiscard]] std::vector<std::string> channel_fact_names();
[[nodiscard]] std::vector<Fact> channel_facts(const LessonInput& input, Job& job);

}  // namespace spira

// Builds a map by one-shot z-delta search (section 5.2 of the Spira paper): one search per output and
// z-group, then a scan of at most K - 1 neighbours.
#pragma once

#include "kernels/cpu/map_search.hpp"

#include <bit>

namespace spira::cpu {

/// Fills `words` by z-delta search. The outputs ascend, so the anchor queries of a z-group ascend too. After
/// one binary search per block, the position only moves forward, in amortised O(1) per query. Runs in
/// O(outputs * K^2 + blocks * K^2 * log inputs) in total.
template <class Key, class Word>
void search_zdelta(const Queries<Key>& queries, const RunWords<Word>& runs, std::int64_t begin,
                   std::int64_t end) {
  const std::size_t count = queries.inputs.size();
  const std::int64_t reach = std::int64_t{queries.kernel_size - 1} * queries.stride;
  const int stride_bits = std::countr_zero(static_cast<unsigned>(queries.stride));
  const Key* const inputs = queries.inputs.data();
  for (int group = 0; group < queries.groups(); ++group) {
    const std::int64_t anchor = queries.delta[static_cast<std::size_t>(group * queries.kernel_size)];
    std::size_t at = queries.lower_bound(queries.output(begin) + anchor);
    Word* word = runs.row(begin) + group;
    for (std::int64_t output = begin; output < end; ++output, word += runs.groups) {
      const std::int64_t first = queries.output(output) + anchor;
      while (at < count && static_cast<std::int64_t>(inputs[at]) < first)
        ++at;
      std::uint32_t mask = 0;
      // The scan cannot leave the anchor's column (x, y), because fit() keeps guard cells free (trap 1).
      for (std::size_t next = at; next < count; ++next) {
        const std::int64_t dz = static_cast<std::int64_t>(inputs[next]) - first;
        if (dz > reach) break;
        mask |= 1U << (dz >> stride_bits);
      }
      *word = runs.word(mask, at);
    }
  }
}

}  // namespace spira::cpu

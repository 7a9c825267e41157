// Builds a map by sorted queries (a baseline, as in Minuet). The queries of each offset ascend, so each
// column results from merging two sorted lists.
#pragma once

#include "kernels/cpu/map_search.hpp"

namespace spira::cpu {

/// Fills `words` by merging. Runs in O(outputs * K^3 + blocks * K^3 * log inputs).
template <class Key, class Word>
void search_sorted(const Queries<Key>& queries, const RunWords<Word>& runs, std::int64_t begin,
                   std::int64_t end) {
  const std::size_t count = queries.inputs.size();
  for (int group = 0; group < queries.groups(); ++group) {
    for (int iz = 0; iz < queries.kernel_size; ++iz) {
      const std::int64_t delta = queries.delta[static_cast<std::size_t>(group * queries.kernel_size + iz)];
      std::size_t at = queries.lower_bound(queries.output(begin) + delta);
      for (std::int64_t output = begin; output < end; ++output) {
        Word& word = runs.row(output)[group];
        if (iz == 0) word = 0;
        const std::int64_t wanted = queries.output(output) + delta;
        while (at < count && queries.input(at) < wanted)
          ++at;
        if (at < count && queries.input(at) == wanted) add_match(runs, word, iz, at);
      }
    }
  }
}

}  // namespace spira::cpu

// Builds a map by binary search (a baseline): one search over all inputs per output and offset.
#pragma once

#include "kernels/cpu/map_search.hpp"

namespace spira::cpu {

/// Fills `words` by binary search. Runs in O(outputs * K^3 * log inputs).
template <class Key, class Word>
void search_bsearch(const Queries<Key>& queries, const RunWords<Word>& runs, std::int64_t begin,
                    std::int64_t end) {
  for (std::int64_t output = begin; output < end; ++output) {
    Word* row = runs.row(output);
    for (int group = 0; group < queries.groups(); ++group) {
      Word word = 0;
      for (int iz = 0; iz < queries.kernel_size; ++iz) {
        const auto column = static_cast<std::size_t>(group * queries.kernel_size + iz);
        const std::int64_t wanted = queries.output(output) + queries.delta[column];
        const std::size_t at = queries.lower_bound(wanted);
        if (at < queries.inputs.size() && queries.input(at) == wanted) add_match(runs, word, iz, at);
      }
      row[group] = word;
    }
  }
}

}  // namespace spira::cpu

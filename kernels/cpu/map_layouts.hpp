// Converts z-run words to the other layouts of a kernel map: transpose (dense layouts) and filter (pair
// lists).
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cpu/map_search.hpp"

namespace spira::cpu {

/// Both functions fill one part of the map from the words of all outputs. `part.columns` must be set; the
/// buffers are allocated here.
template <class Word>
void fill_dense(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                const KernelMap& map, KernelMap::Part& part, Job& job);
template <class Word>
void fill_pair_lists(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const RunWords<Word>& runs,
                     const KernelMap& map, KernelMap::Part& part, Job& job);

}  // namespace spira::cpu

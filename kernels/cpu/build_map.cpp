#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/map_search.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace spira::cpu {
namespace {

template <class Key, class Word>
void search(ThreadPool& threads, const Queries<Key>& queries, const RunWords<Word>& runs,
            MapAlgorithm algorithm, Job& job) {
  std::optional<HashTable<Key>> table;
  if (algorithm == MapAlgorithm::hash) {
    const auto stage = job.stage("preprocess");
    table.emplace(queries.inputs);
  }
  const auto stage = job.stage("search");
  const auto outputs = static_cast<std::int64_t>(queries.outputs.size());
  const auto search_block = [&](std::int64_t begin, std::int64_t end, int) {
    switch (algorithm) {
      case MapAlgorithm::z_delta:
        return search_zdelta(queries, runs, begin, end);
      case MapAlgorithm::binary_search:
        return search_bsearch(queries, runs, begin, end);
      case MapAlgorithm::hash:
        return search_hash(queries, *table, runs, begin, end);
      case MapAlgorithm::sorted_query:
        return search_sorted(queries, runs, begin, end);
    }
  };
  threads.for_blocks(outputs, outputs_per_block, search_block, job.stop_token());
  job.traffic(static_cast<std::int64_t>(queries.inputs.size_bytes() + queries.outputs.size_bytes()),
              outputs * queries.groups() * static_cast<std::int64_t>(sizeof(Word)));
  job.checkpoint({"searching the kernel map", 0, 0});
}

template <class Key, class Word>
void build_parts(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const Queries<Key>& queries,
                 const MapRequest& request, KernelMap& map, Job& job) {
  Buffer words(pool, static_cast<std::size_t>(map.outputs * queries.groups()) * sizeof(Word));
  const RunWords<Word> runs{words.host_span<Word>().data(), queries.groups(), queries.z_cells};
  search(threads, queries, runs, request.algorithm, job);
  for (const MapPartRequest& wanted : request.parts) {
    KernelMap::Part part;
    part.layout = wanted.layout;
    part.columns = stored_columns(wanted, request);
    part.word_bits = static_cast<int>(sizeof(Word)) * 8;
    if (wanted.layout == MapLayout::pair_lists) {
      fill_pair_lists(threads, pool, runs, map, part, job);
    } else if (wanted.layout == MapLayout::mask_sorted) {
      part.splits = wanted.splits;
      fill_mask_sorted(threads, pool, runs, map, part, job);
    } else if (wanted.layout != MapLayout::z_runs) {
      fill_dense(threads, pool, runs, map, part, job);
    }
    map.parts.push_back(std::move(part));
  }
  // Move the words last, because the loop above still reads them for the other parts.
  for (auto& part : map.parts) {
    if (part.layout != MapLayout::z_runs) continue;
    part.entries = std::move(words);
    break;  // require_sound() allows at most one part in z_runs layout.
  }
}

}  // namespace

KernelMap build_map(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const CoordSet& in,
                    const CoordSet& out, const MapRequest& request, Job& job) {
  require_sound(request, in, out);
  SPIRA_ASSERT(in.pack == out.pack, "inputs and outputs are packed differently");
  KernelMap map;
  map.offsets = request.offsets;
  map.inputs = in.size.value();
  map.outputs = out.size.value();
  map.half = request.half;
  map.submanifold = in.stride == out.stride && !map.many();
  map.algorithm = request.algorithm;
  if (map.many()) {
    map.parts.push_back(native_part(threads, pool, in, out, request, job));
    return map;
  }
  const int position_bits = 32 - request.offsets->z_cells();
  const bool narrow = map.inputs <= (std::int64_t{1} << position_bits);
  visit_key(in.pack, [&]<class Key>(Key) {
    const Queries<Key> queries(in, out, *request.offsets);
    if (narrow) {
      build_parts<Key, std::uint32_t>(threads, pool, queries, request, map, job);
    } else {
      build_parts<Key, std::uint64_t>(threads, pool, queries, request, map, job);
    }
  });
  return map;
}

}  // namespace spira::cpu

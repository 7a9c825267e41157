#include "kernels/cuda/build_map.hpp"
#include "kernels/cuda/gather_gemm.hpp"
#include "kernels/cuda/map_layouts.hpp"
#include "kernels/cuda/map_orders.hpp"
#include "kernels/cuda/map_search.cuh"

#include <algorithm>
#include <bit>

namespace spira::cuda {
namespace {

/// Outputs a block, so that its tile of words and its window of keys share 48 kB with room for two blocks.
template <class Key, class Word, int rows, int threads>
void launch_zdelta(const Device& device, const SearchTask<Key, Word>& task) {
  constexpr int window_keys = 16'384 / static_cast<int>(sizeof(Key));
  const std::size_t bytes =
      (static_cast<std::size_t>(rows) * static_cast<std::size_t>(task.queries.groups) * sizeof(Word)) +
      (window_keys * sizeof(Key));
  zdelta_kernel<Key, Word, rows, threads, window_keys>
      <<<blocks_for(task.output_count, rows), threads, bytes, device.stream>>>(task);
  SPIRA_CUDA(cudaGetLastError());
}

template <class Key, class Word>
void search_hash(const Device& device, const SearchTask<Key, Word>& task, Job& job) {
  Buffer keys, positions;
  HashSlots<Key> slots{};
  {
    const auto stage = job.stage("preprocess");
    const auto capacity = static_cast<std::uint32_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(16, task.input_count * 2))));
    keys = Buffer(device.pool, capacity * sizeof(std::uint64_t));
    positions = Buffer(device.pool, capacity * sizeof(std::int32_t));
    SPIRA_CUDA(cudaMemsetAsync(keys.data(), 0xFF, keys.bytes(), device.stream));
    slots = {values<unsigned long long>(keys), values<std::int32_t>(positions), capacity - 1};
    const Key* inputs = task.inputs;
    for_each(device, task.input_count,
             [=] __device__(std::int64_t at) { slots.insert(inputs[at], static_cast<std::int32_t>(at)); });
  }
  const auto stage = job.stage("search");
  const std::int64_t words = task.output_count * task.queries.groups;
  hash_kernel<<<blocks_for(words), threads_per_block, 0, device.stream>>>(task, slots);
  SPIRA_CUDA(cudaGetLastError());
}

template <class Key, class Word>
void search(const Device& device, const SearchTask<Key, Word>& task, MapAlgorithm algorithm, Job& job) {
  if (task.output_count == 0) return;
  if (algorithm == MapAlgorithm::hash) return search_hash(device, task, job);
  const auto stage = job.stage("search");
  const int groups = task.queries.groups;
  if (algorithm == MapAlgorithm::binary_search) {
    bsearch_kernel<<<blocks_for(task.output_count * groups), threads_per_block, 0, device.stream>>>(task);
  } else if (algorithm == MapAlgorithm::sorted_query) {
    const dim3 grid(blocks_for(task.output_count), static_cast<unsigned>(groups));
    sorted_kernel<<<grid, threads_per_block, 0, device.stream>>>(task);
  } else if (groups <= 9) {
    return launch_zdelta<Key, Word, 256, 288>(device, task);
  } else if (groups <= 25) {
    return launch_zdelta<Key, Word, 128, 416>(device, task);
  } else {
    return launch_zdelta<Key, Word, 64, 416>(device, task);
  }
  SPIRA_CUDA(cudaGetLastError());
}

void fill_parts(const Device& device, Buffer words, int word_bits, const MapRequest& request, KernelMap& map,
                Job& job) {
  const RunWordsOnDevice runs{&words, word_bits};
  for (const MapPartRequest& wanted : request.parts) {
    KernelMap::Part part;
    part.layout = wanted.layout;
    part.columns = stored_columns(wanted, request);
    part.word_bits = word_bits;
    if (wanted.layout == MapLayout::pair_lists) {
      const auto stage = job.stage("filter");
      fill_pair_lists(device, runs, map, part);
      part.orders = make_gather_orders();
    } else if (wanted.layout != MapLayout::z_runs) {
      const auto stage = job.stage("transpose");
      fill_dense(device, runs, map, part);
    }
    map.parts.push_back(std::move(part));
  }
  for (auto& part : map.parts) {  // last, because the words were read until here
    if (part.layout != MapLayout::z_runs) continue;
    part.entries = std::move(words);
    part.orders = make_map_orders();
    break;
  }
}

}  // namespace

KernelMap build_map(const Device& device, const CoordSet& in, const CoordSet& out, const MapRequest& request,
                    Job& job) {
  require_sound(request, in.stride, out.stride);
  SPIRA_ASSERT(in.pack == out.pack, "inputs and outputs are packed differently");
  job.checkpoint({"building the kernel map", 0, 1});
  KernelMap map;
  map.offsets = request.offsets;
  map.inputs = in.size.value();
  map.outputs = out.size.value();
  map.half = request.half;
  map.submanifold = in.stride == out.stride;
  map.algorithm = request.algorithm;
  const bool narrow = map.inputs <= (std::int64_t{1} << (32 - request.offsets->kernel_size()));
  const Queries queries = queries_of(*request.offsets, in.pack);
  const auto run = [&]<class Key, class Word>(Key, Word) {
    Buffer words(device.pool, static_cast<std::size_t>(map.outputs * queries.groups) * sizeof(Word));
    const SearchTask<Key, Word> task{values<Key>(in.keys), values<Key>(out.keys), map.inputs,
                                     map.outputs,          values<Word>(words),   queries};
    search(device, task, request.algorithm, job);
    fill_parts(device, std::move(words), static_cast<int>(sizeof(Word)) * 8, request, map, job);
  };
  visit_key(in.pack, [&]<class Key>(Key key) {
    if (narrow) {
      run(key, std::uint32_t{});
    } else {
      run(key, std::uint64_t{});
    }
  });
  return map;
}

}  // namespace spira::cuda

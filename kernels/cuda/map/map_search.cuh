// The queries of a map on the device, and the kernels of the four mapping algorithms: z-delta search (section
// 5.2 of the Spira paper) and three baselines.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/map/hash_slots.cuh"
#include "kernels/cuda/map/map_source.cuh"
#include "kernels/cuda/voxels/keys.cuh"

#include <bit>

namespace spira::cuda {

/// The queries of a map. `anchor` contains the packed, signed offset at which each z-group starts. The
/// offsets of the group follow in steps of `z_stride`.
struct Queries {
  std::int64_t anchor[max_groups];
  int groups, z_cells, z_stride, stride_bits;

  [[nodiscard]] __host__ __device__ std::int64_t reach() const {
    return std::int64_t{z_cells - 1} * z_stride;
  }
};

/// Returns the queries of a map. Only the first `groups` z-groups are searched.
[[nodiscard]] inline Queries queries_of(const KernelOffsets& offsets, const PackSpec& pack, int groups) {
  Queries queries{};
  queries.groups = groups;
  queries.z_cells = offsets.z_cells();
  queries.z_stride = offsets.stride()[2];
  queries.stride_bits = std::countr_zero(static_cast<unsigned>(offsets.stride()[2]));
  for (int group = 0; group < queries.groups; ++group) {
    const Voxel d = offsets.anchor(group);
    queries.anchor[group] = (std::int64_t{d[0]} * (std::int64_t{1} << (pack.y_bits + pack.z_bits))) +
                            (std::int64_t{d[1]} * (std::int64_t{1} << pack.z_bits)) + std::int64_t{d[2]};
  }
  return queries;
}

template <class Key, class Word> struct SearchTask {
  const Key* inputs;
  const Key* outputs;
  std::int64_t input_count, output_count;
  /// The z-run words that the search computes. Shape: [outputs][groups]. `nullptr` if no later kernel reads
  /// the words.
  Word* words;
  Queries queries;
};

template <class Word> __device__ Word run_word(std::uint32_t mask, std::int64_t first, int z_cells) {
  return mask == 0 ? Word{0} : static_cast<Word>((static_cast<Word>(first) << z_cells) | mask);
}

/// Returns `wanted` as a key. Comparisons of the result with other keys have the same outcome as comparisons
/// of `wanted`. A value below all keys becomes 0. A value above all keys becomes the largest key, which no
/// voxel has because guard cells stay free.
template <class Key> __device__ Key as_key(std::int64_t wanted) {
  if (wanted < 0) return Key{0};
  return sizeof(Key) == 4 && (wanted >> 32) != 0 ? static_cast<Key>(~Key{0}) : static_cast<Key>(wanted);
}

/// Returns the position of the first key in the window [begin, end) that is not less than `wanted`.
template <class Key> __device__ int search_window(const Key* keys, int begin, int end, Key wanted) {
  while (begin < end) {
    const int middle = (begin + end) >> 1;
    if (keys[middle] < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Returns the same position as search_window(), but is faster if the position is near `begin`. Searches with
/// steps of 1, 2, 4, ...
template <class Key> __device__ int gallop_window(const Key* keys, int begin, int end, Key wanted) {
  int step = 1;
  while (begin + step <= end && keys[begin + step - 1] < wanted) {
    begin += step;
    step *= 2;
  }
  return search_window(keys, begin, min(end, begin + step - 1), wanted);
}

/// Returns the z-run word of a z-group whose first candidate input is at position `at`. All inputs that can
/// match are in the anchor's column of voxels, because the packing has guard cells (trap 1 in
/// docs/architecture.md). For the same reason, differences of keys may wrap around.
template <class Word, class Key>
__device__ Word scan_run(const Key* keys, int at, int end, std::int64_t base, Key anchor, Key reach,
                         const Queries& queries) {
  std::uint32_t mask = 0;
  for (int next = at; next < end; ++next) {
    const auto dz = static_cast<Key>(keys[next] - anchor);
    if (dz > reach) break;
    mask |= 1U << static_cast<unsigned>(dz >> queries.stride_bits);
  }
  return run_word<Word>(mask, base + at, queries.z_cells);
}

/// Returns the position of the first key >= wanted, or of the first key > wanted if `above` is true. Does not
/// search for wanted + 1, because this would overflow for keys of 63 bits. Must be called by all lanes of a
/// warp.
template <class Key>
__device__ std::int64_t warp_bound(const Key* keys, std::int64_t count, std::int64_t wanted, bool above) {
  const std::int64_t found = warp_lower_bound(keys, count, wanted);
  const bool equal = found < count && static_cast<std::int64_t>(keys[found]) == wanted;
  return found + (above && equal ? 1 : 0);
}

/// Number of additional keys at each end of a window. With these keys, approximate ends of the window are
/// sufficient, and finding them needs fewer reads.
constexpr int keys_to_spare = 128;

/// Returns `blocks` if a multiprocessor of the compiled architecture can hold this number of thread blocks,
/// otherwise 0.
constexpr int blocks_that_fit([[maybe_unused]] int threads, int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return threads * blocks <= 1024 ? blocks : 0;
#else
  return blocks;
#endif
}

/// One-shot z-delta search. Each thread block searches for the inputs of consecutive outputs. Outputs and
/// inputs are sorted, so the queries of a thread block lie in a short window of the inputs. Two warps find
/// the approximate ends of the window, and the thread block copies the window to shared memory. The queries
/// of a z-group ascend with the outputs. Therefore a thread searches only for the first of its rows, and then
/// scans forward for its other rows. It processes at most `rows_of_walk` rows. Words are collected in shared
/// memory and then written in order.
///
/// At the end, calls `then(words, rows, groups)`, which can compute further results from the words of the
/// thread block. `blocks_of_sm` is the minimum number of thread blocks that must run at once on a
/// multiprocessor. If it is 0, the compiler chooses the number of registers: currently 32 per thread. If it
/// is 1, the compiler uses at least 48 registers, so fewer thread blocks fit.
template <class Key, class Word, int rows, int threads, int rows_of_walk, int window_keys, class Then,
          int blocks_of_sm = 0>
__global__ void __launch_bounds__(threads, blocks_that_fit(threads, blocks_of_sm))
    zdelta_kernel(const __grid_constant__ SearchTask<Key, Word> task, const __grid_constant__ Then then) {
  extern __shared__ __align__(16) unsigned char shared[];
  // `tile` contains z-run words in the shape [rows][groups]. `staged` contains the window of keys in the
  // shape [window_keys].
  Word* tile = reinterpret_cast<Word*>(shared);
  Key* staged = reinterpret_cast<Key*>(tile + (rows * task.queries.groups));
  __shared__ std::int64_t ends[2];
  __shared__ Key outputs[rows];
  const Queries& queries = task.queries;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows;
  const int there = static_cast<int>(min(static_cast<std::int64_t>(rows), task.output_count - first));
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  if (warp < 2) {
    const auto wanted = [&] {
      return warp == 0 ? static_cast<std::int64_t>(task.outputs[first]) + queries.anchor[0]
                       : static_cast<std::int64_t>(task.outputs[first + there - 1]) +
                             queries.anchor[queries.groups - 1] + queries.reach();
    };
    const Range around = warp_range(task.inputs, task.input_count, wanted, keys_to_spare);
    if (thread % 32 == 0) ends[warp] = warp == 0 ? around.begin : min(task.input_count, around.end + 1);
  }
  for (int at = thread; at < there; at += threads)
    outputs[at] = task.outputs[first + at];
  __syncthreads();
  const std::int64_t base = ends[0], count = ends[1] - base;
  const bool fits = count <= window_keys;
  if (fits) {
    for (std::int64_t at = thread; at < count; at += threads)
      staged[at] = task.inputs[base + at];
    __syncthreads();
  }
  const auto window_end = static_cast<int>(count);
  const auto reach = static_cast<Key>(queries.reach());
  const Key* window = fits ? staged : task.inputs + base;
  const int walks = (there + rows_of_walk - 1) / rows_of_walk * queries.groups;
  for (int walk = thread; walk < walks; walk += threads) {
    const int group = walk % queries.groups, begin = walk / queries.groups * rows_of_walk;
    const std::int64_t anchor = queries.anchor[group];
    int at =
        search_window(window, 0, window_end, as_key<Key>(static_cast<std::int64_t>(outputs[begin]) + anchor));
    for (int row = begin; row < min(begin + rows_of_walk, there); ++row) {
      const std::int64_t wanted = static_cast<std::int64_t>(outputs[row]) + anchor;
      at = gallop_window(window, at, window_end, as_key<Key>(wanted));
      tile[(row * queries.groups) + group] =
          scan_run<Word>(window, at, window_end, base, static_cast<Key>(wanted), reach, queries);
    }
  }
  __syncthreads();
  const int words = task.words == nullptr ? 0 : there * queries.groups;
  for (int at = thread; at < words; at += threads)
    task.words[(first * queries.groups) + at] = tile[at];
  then(tile, there, queries.groups);
}

/// Binary search: searches all inputs for each (output, offset).
template <class Key, class Word>
__global__ void bsearch_kernel(const __grid_constant__ SearchTask<Key, Word> task) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (at >= task.output_count * task.queries.groups) return;
  const auto group = static_cast<int>(at % task.queries.groups);
  const std::int64_t anchor =
      static_cast<std::int64_t>(task.outputs[at / task.queries.groups]) + task.queries.anchor[group];
  std::uint32_t mask = 0;
  std::int64_t first = 0;
  for (int iz = 0; iz < task.queries.z_cells; ++iz) {
    const std::int64_t wanted = anchor + (std::int64_t{iz} * task.queries.z_stride);
    const std::int64_t found = lower_bound(task.inputs, 0, task.input_count, wanted);
    if (found == task.input_count || static_cast<std::int64_t>(task.inputs[found]) != wanted) continue;
    if (mask == 0) first = found;
    mask |= 1U << static_cast<unsigned>(iz);
  }
  task.words[at] = run_word<Word>(mask, first, task.queries.z_cells);
}

/// Searches by sorted queries (as in Minuet). The queries of one offset ascend with the outputs, so the
/// queries of a thread block lie in one window of the inputs. Each thread block processes one z-group for a
/// range of outputs, one column after another.
template <class Key, class Word>
__global__ void sorted_kernel(const __grid_constant__ SearchTask<Key, Word> task) {
  const int group = static_cast<int>(blockIdx.y);
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * blockDim.x;
  const std::int64_t row = begin + threadIdx.x;
  const std::int64_t last = min(begin + blockDim.x, task.output_count) - 1;
  __shared__ std::int64_t ends[2];
  std::uint32_t mask = 0;
  std::int64_t first = 0;
  for (int iz = 0; iz < task.queries.z_cells; ++iz) {
    const std::int64_t delta = task.queries.anchor[group] + (std::int64_t{iz} * task.queries.z_stride);
    const int warp = static_cast<int>(threadIdx.x / 32U);
    if (warp < 2) {
      const std::int64_t wanted = static_cast<std::int64_t>(task.outputs[warp == 0 ? begin : last]) + delta;
      const std::int64_t found = warp_bound(task.inputs, task.input_count, wanted, warp == 1);
      if (threadIdx.x % 32U == 0) ends[warp] = found;
    }
    __syncthreads();
    if (row <= last) {
      const std::int64_t wanted = static_cast<std::int64_t>(task.outputs[row]) + delta;
      const std::int64_t found = lower_bound(task.inputs, ends[0], ends[1], wanted);
      if (found < ends[1] && static_cast<std::int64_t>(task.inputs[found]) == wanted) {
        if (mask == 0) first = found;
        mask |= 1U << static_cast<unsigned>(iz);
      }
    }
    __syncthreads();
  }
  if (row <= last) {
    task.words[(row * task.queries.groups) + group] = run_word<Word>(mask, first, task.queries.z_cells);
  }
}

template <class Key, class Word>
__global__ void hash_kernel(const __grid_constant__ SearchTask<Key, Word> task, HashSlots<Key> slots) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  if (at >= task.output_count * task.queries.groups) return;
  const auto group = static_cast<int>(at % task.queries.groups);
  const std::int64_t anchor =
      static_cast<std::int64_t>(task.outputs[at / task.queries.groups]) + task.queries.anchor[group];
  std::uint32_t mask = 0;
  std::int64_t first = 0;
  for (int iz = 0; iz < task.queries.z_cells; ++iz) {
    const std::int64_t wanted = anchor + (std::int64_t{iz} * task.queries.z_stride);
    if (wanted < 0 || static_cast<std::uint64_t>(wanted) > static_cast<Key>(~Key{0})) continue;
    const std::int32_t found = slots.find(static_cast<Key>(wanted));
    if (found < 0) continue;
    if (mask == 0) first = found;
    mask |= 1U << static_cast<unsigned>(iz);
  }
  task.words[at] = run_word<Word>(mask, first, task.queries.z_cells);
}

}  // namespace spira::cuda

// Counts the voxels before each word of an occupancy grid and writes the sorted keys, in one launch.
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/voxels/occupancy.hpp"

namespace spira::cuda {
namespace {

constexpr int rank_threads = 512, rank_warps = rank_threads / 32;
constexpr int max_words_of_tile = 8192, max_flags = max_words_of_tile / rank_threads;
// A sum contains two numbers. The lower `voxel_bits` bits are the number of voxels in a tile. The upper bits
// are the number of used words in the tile.
constexpr int voxel_bits = 18;
constexpr std::uint32_t max_voxels = (1U << voxel_bits) - 1U;
static_assert(max_words_of_tile * cells_per_word <= max_voxels && max_words_of_tile < 1 << (32 - voxel_bits));
static_assert(max_flags == sizeof(uint4), "a thread reads the flags of its words at once");

/// Combines the sums of two adjacent ranges of tiles. `far` is the earlier range. If `near` already includes
/// all earlier tiles, `far` is ignored.
[[nodiscard]] __device__ TileSum add_tiles(TileSum near, TileSum far) {
  return (near & sum_up_to_tile) != 0 ? near : (near & ~TileSum{3}) + far;
}

/// Counts the voxels of all earlier tiles, as in a decoupled look-back scan. Thread blocks start in order, so
/// the thread blocks of the earlier tiles have already started. Each thread block publishes the sum of its
/// tile before it waits for other tiles.
class TilesBefore {
 public:
  __device__ TilesBefore(TileSum (&parts)[rank_warps], volatile TileSum* tiles)
      : parts_(parts), tiles_(tiles) {}

  __device__ void publish(int tile, int own) const {
    if (threadIdx.x == 0) tiles_[tile] = (static_cast<TileSum>(own) << 2U) | sum_of_tile;
  }
  /// Returns the number of voxels in all earlier tiles. Must be called by all threads of the thread block,
  /// after publish().
  __device__ std::int64_t count(int tile, int own) const {
    TileSum before = 0;
    for (int end = tile; (before & sum_up_to_tile) == 0; end -= rank_threads) {
      const TileSum of_warp = add_lanes(wait_for(end - 1 - static_cast<int>(threadIdx.x)));
      const auto lane = threadIdx.x % 32U;
      if (lane == 0) parts_[threadIdx.x / 32U] = of_warp;
      __syncthreads();
      before = add_tiles(before, add_lanes(lane < rank_warps ? parts_[lane] : 0));
      // Wait here, because the next iteration overwrites the shared values.
      if (end > rank_threads) __syncthreads();
    }
    const TileSum voxels = before >> 2U;
    if (threadIdx.x == 0) tiles_[tile] = ((voxels + static_cast<TileSum>(own)) << 2U) | sum_up_to_tile;
    return static_cast<std::int64_t>(voxels);
  }

 private:
  /// Combines the sums of all lanes. The first lane has the sum of the nearest tile.
  [[nodiscard]] static __device__ TileSum add_lanes(TileSum of_lane) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
      of_lane = add_tiles(of_lane, __shfl_down_sync(0xFFFFFFFFU, of_lane, step));
    return __shfl_sync(0xFFFFFFFFU, of_lane, 0);
  }
  [[nodiscard]] __device__ TileSum wait_for(int tile) const {
    if (tile < 0) return sum_up_to_tile;
    TileSum sum = 0;
    do {
      sum = tiles_[tile];
    } while (sum == 0);
    return sum;
  }

  TileSum (&parts_)[rank_warps];
  volatile TileSum* tiles_;
};

/// Returns the inclusive prefix sum over the lanes of a warp.
[[nodiscard]] __device__ int sum_up_to_lane(int value) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int more = __shfl_up_sync(0xFFFFFFFFU, value, step);
    if (static_cast<int>(threadIdx.x & 31U) >= step) value += more;
  }
  return value;
}

/// Returns four bits. Bit i is the value of byte i of `bytes`. Each byte must be 0 or 1.
[[nodiscard]] __device__ unsigned bits_of_bytes(unsigned bytes) {
  return (bytes * 0x10204080U) >> 28U;
}

/// Returns a bit mask of the words that a thread processes. A bit is set if the word has at least one voxel.
[[nodiscard]] __device__ unsigned used_words(const std::uint8_t* flags, int words_of_thread) {
  const auto at = static_cast<int>(threadIdx.x);
  if (words_of_thread < max_flags) return bits_of_bytes(reinterpret_cast<const unsigned*>(flags)[at]);
  const uint4 all = reinterpret_cast<const uint4*>(flags)[at];
  return bits_of_bytes(all.x) | bits_of_bytes(all.y) << 4U | bits_of_bytes(all.z) << 8U |
         bits_of_bytes(all.w) << 12U;
}

/// The used words of a warp, in ascending order of their numbers.
class UsedWords {
 public:
  __device__ UsedWords(std::uint16_t* list, unsigned used, int words_of_thread) : list_(list) {
    const int own = __popc(used), up_to = sum_up_to_lane(own), lane = static_cast<int>(threadIdx.x & 31U);
    count_ = __shfl_sync(0xFFFFFFFFU, up_to, 31);
    for (int place = up_to - own; used != 0; used &= used - 1, ++place)
      list_[place] = static_cast<std::uint16_t>((lane * words_of_thread) + __ffs(static_cast<int>(used)) - 1);
    __syncwarp();
  }
  [[nodiscard]] __device__ int count() const { return count_; }
  [[nodiscard]] __device__ std::uint32_t operator[](int at) const { return list_[at]; }

 private:
  std::uint16_t* list_;
  int count_;
};

template <class Key> struct RankTask {
  const Occupancy& grid;
  const OccupancyLevel& level;

  /// Writes the keys of a word's voxels, starting at index `rank`. `cell` is the first cell of the word.
  __device__ void write_keys(const Cell& cell, std::uint32_t bits, std::int64_t rank) const {
    const auto field = [&](int at, int up) { return static_cast<Key>(static_cast<Key>(at) << up); };
    const Key above =
        static_cast<Key>((field(cell.x, level.shift.x) << (grid.pack.y_bits + grid.pack.z_bits)) +
                         (field(cell.y, level.shift.y) << grid.pack.z_bits));
    for (; bits != 0; bits &= bits - 1, ++rank) {
      if (rank >= level.capacity) return;
      static_cast<Key*>(level.keys)[rank] =
          above + field(cell.z + __ffs(static_cast<int>(bits)) - 1, level.shift.z);
    }
  }
  /// Returns the number of voxels in the words of a warp. `first` is the number of its first word.
  [[nodiscard]] __device__ int count(std::uint32_t first, const UsedWords& used) const {
    std::uint32_t voxels = 0;
#pragma unroll 4
    for (int at = static_cast<int>(threadIdx.x & 31U); at < used.count(); at += 32)
      voxels += __popc(level.words[WordPlace(level, first + used[at]).place].x & own_bits);
    return static_cast<int>(sum_of_warp(voxels));
  }
  /// Writes the ranks of a warp's words and the keys of their voxels, starting at index `rank`.
  __device__ void write(std::uint32_t first, const UsedWords& used, std::int64_t rank) const {
    for (int begin = 0; begin < used.count(); begin += 32) {
      const int at = begin + static_cast<int>(threadIdx.x & 31U);
      const bool there = at < used.count();
      const WordPlace word(level, first + (there ? used[at] : 0));
      const std::uint32_t bits = there ? level.words[word.place].x : 0, own = bits & own_bits;
      const int voxels = __popc(own), up_to = sum_up_to_lane(voxels);
      if (there) {
        const std::int64_t before = rank + up_to - voxels;
        // If the rows of a word exceed the capacity, clear its bits, because later kernels would access
        // memory out of bounds. The run then ends with an error message instead of a memory fault.
        const bool known = before + __popc(bits) <= level.capacity;
        level.words[word.place] = make_uint2(known ? bits : 0U, static_cast<std::uint32_t>(before));
        write_keys(word.first_cell(level), own, before);
      }
      rank += __shfl_sync(0xFFFFFFFFU, up_to, 31);
    }
  }
};

/// Ranks the words of all levels. Each thread block ranks one tile of words, and each of its warps ranks some
/// of these words.
template <class Key>
__global__ void __launch_bounds__(rank_threads, 4) rank_kernel(const __grid_constant__ Occupancy grid) {
  __shared__ std::uint16_t lists[rank_warps][max_words_of_tile / rank_warps];
  __shared__ TileSum parts[rank_warps];
  // For each warp: the number of its used words << voxel_bits | the number of its voxels.
  __shared__ std::uint32_t of_warps[rank_warps];
  int at = 0;
  while (at + 1 < grid.level_count && static_cast<int>(blockIdx.x) >= grid.levels[at + 1].first_tile)
    ++at;
  const RankTask<Key> task{grid, grid.levels[at]};
  const OccupancyLevel& level = task.level;
  const int tile = static_cast<int>(blockIdx.x) - level.first_tile, thread = static_cast<int>(threadIdx.x),
            warp = thread / 32;
  const int words_of_thread = level.tile_words / rank_threads;
  const std::uint32_t first = static_cast<std::uint32_t>(tile) * static_cast<std::uint32_t>(level.tile_words),
                      first_of_warp = first + static_cast<std::uint32_t>(warp * 32 * words_of_thread);
  const UsedWords used(lists[warp], used_words(level.used + first, words_of_thread), words_of_thread);
  const int voxels = task.count(first_of_warp, used);
  if (thread % 32 == 0) of_warps[warp] = static_cast<std::uint32_t>(used.count() << voxel_bits | voxels);
  __syncthreads();
  const int lane = thread % 32;
  const std::uint32_t of_lane = lane < rank_warps ? of_warps[lane] : 0, all = sum_of_warp(of_lane);
  const auto own = static_cast<int>(all & max_voxels),
             before_warp = static_cast<int>(sum_of_warp(lane < warp ? of_lane : 0) & max_voxels);
  const bool any = (all >> voxel_bits) != 0, last = tile == level.tile_count - 1;
  const TilesBefore tiles_before(parts, level.tiles);
  tiles_before.publish(tile, own);
  if (!any && !last) return;
  const std::int64_t before = tiles_before.count(tile, own), voxels_so_far = before + own;
  if (last && thread == 0) {
    *level.count = voxels_so_far;
    if (voxels_so_far > level.capacity) grid.status->overfull[at] = static_cast<int>(voxels_so_far);
  }
  task.write(first_of_warp, used, before + before_warp);
}

}  // namespace

void rank_levels(const Device& device, const Occupancy& grid) {
  const OccupancyLevel& last = grid.levels[grid.level_count - 1];
  const auto tiles = static_cast<unsigned>(last.first_tile + last.tile_count);
  if (grid.pack.word_bits() == 32) {
    rank_kernel<std::uint32_t><<<tiles, rank_threads, 0, device.stream>>>(grid);
  } else {
    rank_kernel<std::uint64_t><<<tiles, rank_threads, 0, device.stream>>>(grid);
  }
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace spira::cuda

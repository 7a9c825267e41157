// The voxels of a level as bits of its box, with the number of voxels before each word of 32 cells: whether a
// cell is taken and which row it has is then one read away, and the K cells of a z-group are K neighbouring
// bits. Sorting, down-sampling and searching all become reads and writes of this grid (docs/cuda.md).
#pragma once

#include "engine/voxel/features.hpp"
#include "engine/voxel/pack_spec.hpp"
#include "kernels/cuda/launch.cuh"

#include <cstdint>

namespace spira::cuda {

constexpr int most_levels = 5;
constexpr int words_per_tile = 2048;  ///< a block of threads ranks the voxels of a tile

/// Cell (x, y, z), in steps of the level's stride, is bit z % 32 of word (x * ny + y) * nw + z / 32.
struct OccupancyLevel {
  uint2* words;         ///< bits, and voxels in all words before
  std::uint32_t* used;  ///< a bit a word: it has voxels
  std::int32_t* tiles;  ///< voxels of each tile
  void* keys;           ///< sorted: 32 or 64 bits, as the packing says
  std::int64_t* count;
  std::int64_t capacity;  ///< of `keys`
  int nx, ny, nw;
  int shift;                   ///< log2 of the stride
  int first_tile, tile_count;  ///< among those of all levels

  [[nodiscard]] __device__ std::int64_t word_of(int x, int y, int z) const {
    return (((static_cast<std::int64_t>(x) * ny) + y) * nw) + (z >> 5);
  }
  [[nodiscard]] __device__ RowCount rows() const { return {capacity, count}; }
};

/// In memory that host and device see; written in the rare cases only.
struct RunStatus {
  int outside = 0;                 ///< a point lies outside the box
  int overfull[most_levels] = {};  ///< voxels of a level with too many
};

struct Occupancy {
  OccupancyLevel levels[most_levels];  ///< ascending strides, [0] is stride 1
  int level_count = 0;
  int extent[3] = {};  ///< in voxels
  PackSpec pack;
  RunStatus* status = nullptr;
};

/// A voxel's packed coordinate in steps of `1 << shift`.
struct Cell {
  int x, y, z;
};
[[nodiscard]] __device__ inline Cell cell_of(const PackSpec& pack, std::uint64_t key, int shift) {
  const auto field = [&](int first, int bits) {
    return static_cast<int>((key >> first) & ((1ULL << bits) - 1ULL)) >> shift;
  };
  return {field(pack.y_bits + pack.z_bits, pack.x_bits), field(pack.z_bits, pack.y_bits),
          field(0, pack.z_bits)};
}

/// The kernel map between two levels, found in the grid of its inputs.
struct OccupancyMap {
  OccupancyLevel in;
  const void* out_keys;
  RowCount outputs;
  PackSpec pack;
  int fine_shift;  ///< log2 of the finer of the two strides
  int low;         ///< smallest component of an offset, in steps of the map's finer stride
  /// 0: inputs are the finer level, or the same. Else log2 of how much coarser they are: the map of a
  /// transposed layer, whose offset is the negative of the down-sampling map's, in reversed order of columns.
  int coarser = 0;

  /// `count` bits from cell z on, 1..7 of them; `first`: row of the first voxel among them.
  [[nodiscard]] __device__ std::uint32_t window(int x, int y, int z, int count, std::uint32_t& first) const {
    const int below = z < 0 ? -z : 0;
    z = max(z, 0);
    const int at = z & 31;
    if ((z >> 5) >= in.nw) return 0;
    const uint2* word = in.words + in.word_of(x, y, z);
    const uint2 here = __ldg(word);
    std::uint32_t bits = here.x >> at;
    first = here.y + static_cast<std::uint32_t>(__popc(here.x & ((1U << at) - 1U)));
    if (at + count > 32 && (z >> 5) + 1 < in.nw) {
      const uint2 next = __ldg(word + 1);
      if (bits == 0) first = next.y;
      bits |= next.x << (32 - at);
    }
    return (bits << below) & ((1U << count) - 1U);
  }

  /// The run word of an output and a z-group (KernelMap, z_runs).
  template <int K> [[nodiscard]] __device__ std::uint32_t word(const Cell& output, int group) const {
    int x = output.x + low + (group / K), y = output.y + low + (group % K);
    const int z = output.z + low, mask = (1 << coarser) - 1;
    if (((x | y) & mask) != 0) return 0;
    x >>= coarser;
    y >>= coarser;
    if (static_cast<unsigned>(x) >= static_cast<unsigned>(in.nx) ||
        static_cast<unsigned>(y) >= static_cast<unsigned>(in.ny))
      return 0;
    std::uint32_t first = 0, present = 0;
    if (coarser == 0) {
      present = window(x, y, z, K, first);
    } else {  // every other offset at the most has a cell; spread the bits
      const int begin = (z + mask) >> coarser, end = (z + K - 1) >> coarser;
      if (begin > end) return 0;
      const std::uint32_t bits = window(x, y, begin, end - begin + 1, first);
      for (int at = begin; at <= end; ++at)
        present |= (bits >> (at - begin) & 1U) << ((at << coarser) - z);
    }
    // A row beyond the capacity would be read beyond memory: the run ends with an error, not with a fault.
    if (present == 0 || std::int64_t{first} + __popc(present) > in.capacity) return 0;
    return (first << K) | present;
  }
};

/// The words of one output, all groups; in registers where the loops over them are unrolled.
template <class Key, int K> struct GridWords {
  OccupancyMap map;
  static constexpr int unrolled = K * K;

  struct Row {
    std::uint32_t words[K * K];
    [[nodiscard]] __device__ std::uint32_t operator()(int group) const { return words[group]; }
  };
  [[nodiscard]] __host__ __device__ static constexpr int groups() { return K * K; }
  [[nodiscard]] __host__ __device__ static constexpr int kernel_size() { return K; }
  [[nodiscard]] __device__ std::int64_t rows() const { return map.outputs.get(); }
  [[nodiscard]] __device__ std::uint32_t wanted(int /*group*/) const { return (1U << K) - 1U; }
  [[nodiscard]] __device__ Row row(std::int64_t index, bool there) const {
    Row result;
    const Cell cell = there ? cell_of(map.pack, static_cast<const Key*>(map.out_keys)[index], 0) : Cell{};
    const Cell output{cell.x >> map.fine_shift, cell.y >> map.fine_shift, cell.z >> map.fine_shift};
#pragma unroll
    for (int group = 0; group < K * K; ++group)
      result.words[group] = there ? map.word<K>(output, group) : 0U;
    return result;
  }
};

}  // namespace spira::cuda

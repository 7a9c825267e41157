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

/// In steps of a level's stride.
struct Cell {
  int x, y, z;
};

/// Cell (x, y, z) is bit z % 32 of word (x * ny + y) * nw + z / 32.
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
  /// Of a word's 32 cells.
  [[nodiscard]] __device__ Cell first_cell(std::int64_t word) const {
    if (word > std::int64_t{0xFFFFFFFF}) {  // the long way round is slow
      const std::int64_t column = word / nw;
      return {static_cast<int>(column / ny), static_cast<int>(column % ny), static_cast<int>(word % nw) * 32};
    }
    const auto at = static_cast<unsigned>(word), wide = static_cast<unsigned>(nw),
               deep = static_cast<unsigned>(ny), column = at / wide;
    return {static_cast<int>(column / deep), static_cast<int>(column % deep),
            static_cast<int>(at % wide) * 32};
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

/// Of a packed coordinate, in steps of `1 << shift`.
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

  /// An output in steps of the map's finer stride.
  template <class Key> [[nodiscard]] __device__ Cell output(std::int64_t row) const {
    return cell_of(pack, static_cast<const Key*>(out_keys)[row], fine_shift);
  }
  /// The run words (KernelMap, z_runs) of an output and the K z-groups of its `dx`-th plane.
  template <int K>
  __device__ void plane(const Cell& output, int dx, bool there, std::uint32_t (&result)[K]) const {
    if (coarser != 0) {
#pragma unroll
      for (int dy = 0; dy < K; ++dy)
        result[dy] = there ? word_of_coarser<K>(output, dx, dy) : 0U;
      return;
    }
    const int x = output.x + low + dx, front = output.y + low, z = output.z + low;
    const int below = max(-z, 0), from = max(z, 0), at = from & 31;
    there = there && static_cast<unsigned>(x) < static_cast<unsigned>(in.nx) && (from >> 5) < in.nw;
    const bool crosses = at + K > 32 && (from >> 5) + 1 < in.nw;
    const uint2* first_word = in.words + in.word_of(x, front, from);
    bool taken[K];
    uint2 here[K], above[K];
    // Nothing that was read decides what is read next, so that all reads are under way together: where there
    // is no cell, the first word of all is read.
#pragma unroll
    for (int dy = 0; dy < K; ++dy) {
      taken[dy] = there && static_cast<unsigned>(front + dy) < static_cast<unsigned>(in.ny);
      const uint2* word = taken[dy] ? first_word + (dy * in.nw) : in.words;
      here[dy] = read_now(word);
      above[dy] = read_now(word + (crosses && taken[dy] ? 1 : 0));
    }
#pragma unroll
    for (int dy = 0; dy < K; ++dy) {
      std::uint32_t bits = here[dy].x >> at;
      std::uint32_t first = here[dy].y + static_cast<std::uint32_t>(__popc(here[dy].x & ((1U << at) - 1U)));
      if (crosses) {
        first = bits == 0 ? above[dy].y : first;
        bits |= above[dy].x << (32 - at);
      }
      result[dy] = run_word<K>(taken[dy] ? (bits << below) & ((1U << K) - 1U) : 0U, first);
    }
  }

 private:
  /// The run word of an output and a z-group, where inputs are the coarser level: every other offset at the
  /// most has a cell.
  template <int K>
  [[nodiscard]] __device__ std::uint32_t word_of_coarser(const Cell& output, int dx, int dy) const {
    int x = output.x + low + dx, y = output.y + low + dy;
    const int z = output.z + low, mask = (1 << coarser) - 1;
    if (((x | y) & mask) != 0) return 0;
    x >>= coarser;
    y >>= coarser;
    if (static_cast<unsigned>(x) >= static_cast<unsigned>(in.nx) ||
        static_cast<unsigned>(y) >= static_cast<unsigned>(in.ny))
      return 0;
    const int begin = (z + mask) >> coarser, end = (z + K - 1) >> coarser;
    if (begin > end) return 0;
    std::uint32_t first = 0, present = 0;
    const std::uint32_t bits = window(x, y, begin, end - begin + 1, first);
    for (int at = begin; at <= end; ++at)
      present |= (bits >> (at - begin) & 1U) << ((at << coarser) - z);
    return run_word<K>(present, first);
  }
  /// A read that the compiler leaves where it stands.
  [[nodiscard]] static __device__ uint2 read_now(const uint2* from) {
    uint2 value;
    asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(from));
    return value;
  }
  /// A row beyond the capacity would be read beyond memory: the run ends with an error, not with a fault.
  template <int K>
  [[nodiscard]] __device__ std::uint32_t run_word(std::uint32_t present, std::uint32_t first) const {
    const bool known = present != 0 && std::int64_t{first} + __popc(present) <= in.capacity;
    return known ? (first << K) | present : 0U;
  }
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
    const Cell output = there ? map.output<Key>(index) : Cell{};
#pragma unroll
    for (int dx = 0; dx < K; ++dx) {
      std::uint32_t plane[K];
      map.plane<K>(output, dx, there, plane);
#pragma unroll
      for (int dy = 0; dy < K; ++dy)
        result.words[(dx * K) + dy] = plane[dy];
    }
    return result;
  }
};

}  // namespace spira::cuda

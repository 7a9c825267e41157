// Computes the kernel map between two levels from the occupancy grid of the input level.
#pragma once

#include "kernels/cuda/voxels/occupancy.cuh"

#include <cstdint>

namespace spira::cuda {

/// The words that are read for one plane. A plane contains the K z-groups with the same dx. The words of two
/// neighbours in y are read together, as a pair. The first word of each pair has an even y.
template <int K> struct PlaneReads {
  static constexpr int pairs = (K / 2) + 1;
  uint4 of[pairs];

  /// Returns the word of the z-group with index `dy` in the plane: its bits, and the number of voxels before
  /// the word. Index 0 is the z-group of the lowest offset. `odd` must be true if the y of the z-group with
  /// index 0 is odd, because the first pair then begins one word earlier.
  [[nodiscard]] __device__ uint2 column(int dy, bool odd) const {
    const uint2 even_y = half(dy), odd_y = half(dy + 1);
    return odd ? odd_y : even_y;
  }

 private:
  [[nodiscard]] __device__ uint2 half(int at) const {
    const uint4& pair = of[at / 2];
    return at % 2 == 0 ? make_uint2(pair.x, pair.y) : make_uint2(pair.z, pair.w);
  }
};

/// Reads the z-groups of one output from the grid of the input level. The input level must be the output
/// level or a finer level.
template <int K> class GroupWindow {
 public:
  /// `first` is the cell at the lowest offset from the output.
  __device__ GroupWindow(const OccupancyLevel& in, const Cell& first)
      : odd_((first.y & 1) != 0),
        at_(0),
        below_(max(-first.z, 0)),
        row_step_(in.nw * places_between_words),
        plane_step_(in.ny * in.nw) {
    const int z = max(first.z, 0), word = z / cells_per_word, y = first.y & ~1;
    at_ = z - (word * cells_per_word);
    second_ = (y & 2) != 0 ? row_step_ - 2 : 2;
    words_ = in.words + in.place_of(first.x, y, word);
  }
  /// Starts to read the words of a plane. The reads do not depend on each other, so the reads of one or
  /// several planes are in flight together.
  __device__ void read(int dx, PlaneReads<K>& reads) const {
    const uint2* plane = words_ + (dx * plane_step_);
#pragma unroll
    for (int pair = 0; pair < PlaneReads<K>::pairs; ++pair) {
      const bool needed = K % 2 == 1 || pair < PlaneReads<K>::pairs - 1 || odd_;
      reads.of[pair] = needed ? read_now(plane + ((pair / 2 * row_step_) + (pair % 2 * second_))) : uint4{};
    }
  }
  /// Returns the z-run word (KernelMap, z_runs) of a z-group in a plane. read() must have read this plane.
  [[nodiscard]] __device__ std::uint32_t word(const PlaneReads<K>& reads, int dy) const {
    const uint2 column = reads.column(dy, odd_);
    const std::uint32_t present = (column.x >> at_ << below_) & ((1U << K) - 1U);
    const std::uint32_t first = column.y + static_cast<std::uint32_t>(__popc(column.x & ((1U << at_) - 1U)));
    return present == 0 ? 0U : (first << K) | present;
  }

 private:
  /// Reads a pair of words from memory at this point. The compiler cannot move the read.
  [[nodiscard]] static __device__ uint4 read_now(const uint2* from) {
    uint4 value;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return value;
  }

  const uint2* words_;
  bool odd_;
  int at_, below_;
  /// Distances in elements: from `words_` to the third pair of words of a plane (row_step_), from `words_` to
  /// the second pair (second_), and from one plane to the next (plane_step_).
  int row_step_, second_, plane_step_;
};

struct OccupancyMap {
  OccupancyLevel in;
  const void* out_keys;
  RowCount outputs;
  PackSpec pack;
  Axes fine_shift;  ///< Base-2 logarithms of the finer of the two strides.
  Axes low;         ///< Smallest component of all offsets, in units of the finer of the two strides.
  /// The base-2 logarithms of the ratios between the two strides if the inputs are coarser than the outputs,
  /// otherwise 0. Coarser inputs occur in the map of a transposed layer. Each offset of this map is the
  /// negative of an offset of the down-sampling map, so the columns are in reversed order.
  Axes coarser{0, 0, 0};

  [[nodiscard]] __host__ __device__ bool from_coarser() const {
    return (coarser.x | coarser.y | coarser.z) != 0;
  }

  /// Returns the cell at the lowest offset from an output, in steps of the map's finer stride.
  template <class Key> [[nodiscard]] __device__ Cell lowest(std::int64_t row) const {
    const Cell output = cell_of(pack, static_cast<const Key*>(out_keys)[row], fine_shift);
    return {output.x + low.x, output.y + low.y, output.z + low.z};
  }
  /// Computes the z-run words of an output. Shape: [K^2]. `first` is the cell at the lowest offset from the
  /// output.
  template <int K> __device__ void words(const Cell& first, std::uint32_t (&result)[K * K]) const {
    from_coarser() ? words_of_coarser<K>(first, result) : words_of_finer<K>(first, result);
  }
  template <int K> __device__ void words_of_finer(const Cell& first, std::uint32_t (&result)[K * K]) const {
    // Number of planes that are read together. The number of registers limits it.
    constexpr int at_once = K <= 3 ? K : (K + 1) / 2;
    const GroupWindow<K> window(in, first);
#pragma unroll
    for (int begin = 0; begin < K; begin += at_once) {
      PlaneReads<K> reads[at_once];
#pragma unroll
      for (int plane = 0; plane < at_once; ++plane)
        if (begin + plane < K) window.read(begin + plane, reads[plane]);
#pragma unroll
      for (int group = 0; group < at_once * K; ++group)
        if (begin + (group / K) < K) result[(begin * K) + group] = window.word(reads[group / K], group % K);
    }
  }
  template <int K> __device__ void words_of_coarser(const Cell& first, std::uint32_t (&result)[K * K]) const {
#pragma unroll
    for (int group = 0; group < K * K; ++group)
      result[group] = word_of_coarser({first.x + (group / K), first.y + (group % K), first.z}, K);
  }
  /// Returns the word of a z-group with `z_cells` offsets. `first` is the cell at the lowest offset of the
  /// z-group.
  [[nodiscard]] __device__ std::uint32_t word(const Cell& first, int z_cells) const {
    if (from_coarser()) return word_of_coarser(first, z_cells);
    const int below = max(-first.z, 0), z = max(first.z, 0), word = z / cells_per_word,
              at = z - (word * cells_per_word);
    if (word >= in.nw) return 0;
    const uint2 here = __ldg(in.words + in.place_of(first.x, first.y, word));
    const std::uint32_t present = (here.x >> at << below) & ((1U << z_cells) - 1U);
    const std::uint32_t row = here.y + static_cast<std::uint32_t>(__popc(here.x & ((1U << at) - 1U)));
    return present == 0 ? 0U : (row << z_cells) | present;
  }

 private:
  /// Returns the word of a z-group if the inputs are on the coarser level. `first` is the cell at the lowest
  /// offset of the group. At most every second offset leads to a cell of this level.
  [[nodiscard]] __device__ std::uint32_t word_of_coarser(const Cell& first, int z_cells) const {
    const int z = first.z, mask = (1 << coarser.z) - 1;
    if ((first.x & ((1 << coarser.x) - 1)) != 0 || (first.y & ((1 << coarser.y) - 1)) != 0) return 0;
    const int begin = (z + mask) >> coarser.z, end = (z + z_cells - 1) >> coarser.z;
    const int from = max(begin, 0), word = from / cells_per_word, at = from - (word * cells_per_word);
    if (begin > end || word >= in.nw) return 0;
    const uint2 here = __ldg(in.words + in.place_of(first.x >> coarser.x, first.y >> coarser.y, word));
    const std::uint32_t bits = here.x >> at << (from - begin);
    std::uint32_t present = 0;
    for (int cell = begin; cell <= end; ++cell)
      present |= (bits >> (cell - begin) & 1U) << ((cell << coarser.z) - z);
    const std::uint32_t row = here.y + static_cast<std::uint32_t>(__popc(here.x & ((1U << at) - 1U)));
    return present == 0 ? 0U : (row << z_cells) | present;
  }
};

/// Computes the words of all z-groups of an output from the occupancy grid. The words stay in registers if
/// all loops over them are unrolled.
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
    Row result{};
    if (there) map.words<K>(map.lowest<Key>(index), result.words);
    return result;
  }
};

}  // namespace spira::cuda

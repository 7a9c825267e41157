// Defines two roles of warps in conv_fp16_tiles: copying warps copy rows, and warpgroups compute products.
#pragma once

#include "kernels/cuda/conv_fp16/tile_feed.cuh"

#include <cstdint>

namespace spira::cuda {

/// Returns the address of a row's partial sums. Shape: [outputs][out_channels]. They are accessed with
/// streaming loads and stores, so that they do not stay in the L2 cache. The cache then has more space for
/// the features, which are read often. The number of channels must be a multiple of the number of columns
/// that a lane holds.
__device__ inline float4* partial_sums(const LayerOnDevice& layer, float* partial, const SectionRow& row,
                                       int first) {
  return reinterpret_cast<float4*>(partial + (static_cast<std::int64_t>(row.row) * layer.out_channels) +
                                   first);
}

/// Starts a section: loads the partial sums that earlier sections stored for a row, in the columns that the
/// lane holds. If there are no earlier sections, the sums stay zero. `tiles` points to `group` neighbouring
/// tiles, as in gather_columns().
template <int group, int kernel_size>
__device__ void start_section(const LayerOnDevice& layer, float* partial, const SectionRow& row, int first,
                              int half, float (*tiles)[4]) {
  if constexpr (section_count < kernel_size >> 1) {
    if (!row.earlier) return;
    const float4* sums = partial_sums(layer, partial, row, first);
#pragma unroll
    for (int at = 0; at < group / 2; ++at) {
      const float4 four = __ldcs(sums + at);
      tiles[2 * at][2 * half] = four.x;
      tiles[2 * at][(2 * half) + 1] = four.y;
      tiles[(2 * at) + 1][2 * half] = four.z;
      tiles[(2 * at) + 1][(2 * half) + 1] = four.w;
    }
  }
}

/// Ends a section: stores the columns of a row as partial sums for the next section, or as results if this is
/// the last section of the row.
template <int group, int kernel_size>
__device__ void finish_section(const LayerOnDevice& layer, float* partial, const SectionRow& row, int first,
                               const float (&columns)[2 * group], const ColumnBias<group>& bias) {
  if (row.row < 0) return;
  if constexpr (section_count < kernel_size >> 1) {
    if (row.later) {
      float4* sums = partial_sums(layer, partial, row, first);
#pragma unroll
      for (int at = 0; at < group / 2; ++at)
        __stcs(sums + at, make_float4(columns[4 * at], columns[(4 * at) + 1], columns[(4 * at) + 2],
                                      columns[(4 * at) + 3]));
      return;
    }
  }
  finish_columns<group>(layer, row.row, first, columns, bias);
}

#ifdef SPIRA_WARPGROUP_PRODUCTS

/// The work of a copying warp, which copies some of the rows in each tile of one warpgroup.
template <class Shape> class RowCopies {
  static constexpr int K = Shape::K, slots = Shape::row_slots, lanes = Shape::atom_bytes / 16;
  static constexpr int at_once = 32 / lanes, own_rows = Shape::rows / Shape::copying_warps;
  static constexpr int copies = own_rows / at_once, max_pending = slots > 3 ? 3 : slots - 1;

 public:
  /// `tile` is the index of the tile in the thread block.
  __device__ RowCopies(const TilesTask& task, TileMemory<Shape>& memory, int tile)
      : task_(task),
        section_(section_of<Shape>(task)),
        ring_(memory.rows_barriers[tile][0], slots),
        tiles_(RingBarriers(memory.tile_barriers[0], tile_slots), memory.tiles, tile),
        tile_(tile) {
    const int lane = static_cast<int>(threadIdx.x & 31U), piece = lane % lanes;
    row_ = (static_cast<int>(threadIdx.x / 32U) % Shape::copying_warps * own_rows) + (lane / lanes);
    from_ = static_cast<const char*>(task.layer.in) + (piece * 16);
    row_bytes_ = static_cast<unsigned>(task.layer.in_stride) * 2U;
    slices_ = static_cast<int>((task.outputs.get() + slice_rows - 1) / slice_rows);
    const unsigned rows = memory.rows + static_cast<unsigned>(tile * slots * Shape::unit_bytes);
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const int of = row_ + (odd * at_once), exchange = Shape::atom_bytes == 128 ? of % 8 : of / 2 % 4;
      to_[odd] = rows + static_cast<unsigned>((of * Shape::atom_bytes) + ((piece ^ exchange) * 16));
    }
  }

  __device__ void copy_all() {
    for (;;) {
      const OwnTile tiles = tiles_.next([&] { announce_all(); });
      if (tiles.slice < 0) break;
      copy_tile(tiles.slice + (tile_ * Shape::slices), tiles.own);
    }
    announce_all();
  }

 private:
  __device__ void copy_tile(int slice, std::uint32_t columns) {
    std::uint32_t words[copies], upcoming[copies];
    int group = next_group(columns, 0);
    read_words(upcoming, slice, group);
    while (group < Shape::groups) {
#pragma unroll
      for (int at = 0; at < copies; ++at)
        words[at] = upcoming[at];
      const int now = group;
      group = next_group(columns, now + 1);
      read_words(upcoming, slice, group);
      for (std::uint32_t left = columns >> (now * K) & ((1U << K) - 1U); left != 0; left &= left - 1) {
        for (int part = 0; part < task_.parts; ++part)
          copy_unit(words, left & (0U - left), part);
      }
    }
  }

  [[nodiscard]] __device__ static int next_group(std::uint32_t columns, int from) {
    const std::uint32_t left = from >= Shape::groups ? 0 : columns >> (from * K);
    return left == 0 ? Shape::groups : from + ((__ffs(static_cast<int>(left)) - 1) / K);
  }

  __device__ void read_words(std::uint32_t (&words)[copies], int first_slice, int group) const {
    if (group >= Shape::groups) return;
#pragma unroll
    for (int at = 0; at < copies; ++at) {
      const int row = (at * at_once) + row_, in_slice = row % slice_rows,
                slice = first_slice + (row / slice_rows);
      const auto* from = reinterpret_cast<const std::uint32_t*>(section_.slices.words) +
                         (((std::int64_t{slice} * Shape::groups) + group) * slice_rows);
      words[at] = slice < slices_ ? __ldg(from + (in_slice % 8 * 2) + (in_slice / 8)) : 0U;
    }
  }

  __device__ void copy_unit(const std::uint32_t (&words)[copies], std::uint32_t bit, int part) {
    if (!ended(place_.of(ring_.empty), place_.phase)) {
      announce_all();
      wait(place_.of(ring_.empty), place_.phase);
    }
    const unsigned slot = static_cast<unsigned>(place_.slot * Shape::unit_bytes);
    const char* from = from_ + (part * Shape::atoms * Shape::atom_bytes);
#pragma unroll
    for (int at = 0; at < copies; ++at) {
      const std::uint32_t position = (words[at] >> K) + static_cast<unsigned>(__popc(words[at] & (bit - 1U)));
      const char* row = from + (std::uint64_t{position} * row_bytes_);
      const unsigned to =
          slot + to_[at % 2] + static_cast<unsigned>(at / 2 * 2 * at_once * Shape::atom_bytes);
#pragma unroll
      for (int atom = 0; atom < Shape::atoms; ++atom)
        copy_piece(to + static_cast<unsigned>(atom * Shape::rows * Shape::atom_bytes),
                   row + (atom * Shape::atom_bytes), (words[at] & bit) != 0);
    }
    commit_pieces();
    place_.advance(slots);
    if (++pending_ <= max_pending) return;
    wait_for_pieces<max_pending>();
    announce();
  }

  /// Waits until all copies of this warp are complete and announces their units to the warpgroup. Without
  /// this call, a unit is announced only when the warp has started the copies of some later units.
  __device__ void announce_all() {
    wait_for_pieces<0>();
    while (pending_ > 0)
      announce();
  }
  __device__ void announce() {
    publish_pieces();
    __syncwarp();
    if ((threadIdx.x & 31U) == 0) arrive(announced_.of(ring_.full));
    announced_.advance(slots);
    --pending_;
  }

  const TilesTask& task_;
  const SectionTask& section_;
  RingBarriers ring_;
  TileReader tiles_;
  const char* from_;
  unsigned row_bytes_, to_[2];
  int tile_, slices_, row_, pending_ = 0;
  RingPlace place_{0, 1}, announced_;
};

template <class Shape> class TileProducts {
 public:
  __device__ TileProducts(const TilesTask& task, TileMemory<Shape>& memory, int tile)
      : task_(task),
        section_(section_of<Shape>(task)),
        row_ring_(memory.rows_barriers[tile][0], Shape::row_slots),
        weight_ring_(memory.weight_barriers[0], max_weight_slots),
        tiles_(RingBarriers(memory.tile_barriers[0], tile_slots), memory.tiles, tile),
        tile_(tile) {
    rows_ = kept(factor(memory.rows + static_cast<unsigned>(tile * Shape::row_slots * Shape::unit_bytes)));
    weights_ = kept(factor(memory.weights));
  }

  __device__ void multiply_all() {
    for (;;) {
      const OwnTile tiles = tiles_.next([] {});
      if (tiles.slice < 0) return;
      float sums[Shape::tiles][4] = {};
      SectionRow rows[2];
      const int slice = tiles.slice + (tile_ * Shape::slices) + (static_cast<int>(threadIdx.x / 32U) % 4);
      constexpr bool sections = section_count < Shape::K >> 1;
      if constexpr (sections) {
        read_rows(rows, slice);
        start(sums, rows);
      }
      for (std::uint32_t left = tiles.columns; left != 0; left &= left - 1) {
        const bool own = (tiles.own & left & (0U - left)) != 0;
        for (int part = 0; part < task_.parts; ++part)
          own ? multiply_unit(sums) : pass_by(sums);
      }
      drain(sums);
      if constexpr (!sections) read_rows(rows, slice);
      finish(sums, rows);
    }
  }

 private:
  using Sums = float (&)[Shape::tiles][4];

  __device__ void multiply_unit(Sums sums) {
    wait(row_place_.of(row_ring_.full), row_place_.phase);
    const unsigned a = rows_ + static_cast<unsigned>(row_place_.slot * (Shape::unit_bytes / 16));
    unsigned weights_here[Shape::atoms];
#pragma unroll
    for (int atom = 0; atom < Shape::atoms; ++atom) {
      wait(weight_place_.of(weight_ring_.full), weight_place_.phase);
      const unsigned b = weights_ + static_cast<unsigned>(weight_place_.slot * (Shape::weight_bytes / 16));
      start_products();
#pragma unroll
      for (int k = 0; k < Shape::atom_bytes / 32; ++k)
        multiply_warpgroup<Shape::atom_bytes>(
            sums, a + (atom * Shape::rows * Shape::atom_bytes / 16) + (2 * k), b + (2 * k));
      weights_here[atom] = weight_place_.of(weight_ring_.empty);
      weight_place_.advance(task_.weight_slots);
    }
    commit_products();
    wait_for_products_before();
    leave_former();
    former_rows_ = row_place_.of(row_ring_.empty);
#pragma unroll
    for (int atom = 0; atom < Shape::atoms; ++atom)
      former_weights_[atom] = weights_here[atom];
    row_place_.advance(Shape::row_slots);
  }

  /// Skips the weights of a column that this tile does not need.
  __device__ void pass_by(Sums sums) {
    drain(sums);
    for (int atom = 0; atom < Shape::atoms; ++atom) {
      wait(weight_place_.of(weight_ring_.full), weight_place_.phase);
      // Wait until all lanes have seen the full slot. Otherwise the slot could be filled again while a lane
      // still waits for it.
      __syncwarp();
      if ((threadIdx.x & 31U) == 0) arrive(weight_place_.of(weight_ring_.empty));
      weight_place_.advance(task_.weight_slots);
    }
  }

  __device__ void drain(Sums sums) {
    wait_for_products(sums);
    leave_former();
    former_rows_ = 0;
  }

  /// Releases the row slot and the weight slots of the previous unit, whose products are complete.
  __device__ void leave_former() {
    if (former_rows_ == 0 || (threadIdx.x & 31U) != 0) return;
    arrive(former_rows_);
#pragma unroll
    for (const unsigned slot : former_weights_)
      arrive(slot);
  }

  [[nodiscard]] __device__ static int first_channel() {
    return (static_cast<int>(blockIdx.y) * Shape::tiles * 8) + (static_cast<int>(threadIdx.x & 3U) * 8);
  }

  __device__ void read_rows(SectionRow (&rows)[2], int slice) const {
    if (std::int64_t{slice} * slice_rows >= task_.outputs.get()) return;
    const std::int32_t* codes =
        section_.slices.rows + (std::int64_t{slice} * slice_rows) + (threadIdx.x % 32U / 4U);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows[half] = SectionRow(__ldg(codes + (half * 8)));
      if constexpr (Shape::apart) {
        rows[half].earlier = false;
        rows[half].later = true;
      }
    }
  }

  /// Loads the initial sums. All reads are in flight together, while the first rows of the tile are being
  /// copied.
  __device__ void start(Sums sums, const SectionRow (&rows)[2]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int at = 0; at < Shape::tiles; at += 4)
        start_section<4, Shape::K>(task_.layer, section_.partial, rows[half], first_channel() + (at * 8),
                                   half, sums + at);
    }
  }

  __device__ void finish(Sums sums, const SectionRow (&rows)[2]) const {
#pragma unroll
    for (int at = 0; at < Shape::tiles; at += 4) {
      const ColumnBias<4> bias(task_.layer, first_channel() + (at * 8));
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float columns[8];
        gather_columns<4>(sums + at, half, columns);
        finish_section<4, Shape::K>(task_.layer, section_.partial, rows[half], first_channel() + (at * 8),
                                    columns, bias);
      }
    }
  }

  const TilesTask& task_;
  const SectionTask& section_;
  RingBarriers row_ring_, weight_ring_;
  TileReader tiles_;
  RingPlace row_place_, weight_place_;
  unsigned rows_, weights_, former_rows_ = 0, former_weights_[Shape::atoms]{};
  int tile_;
};

#endif

}  // namespace spira::cuda

// Sorts the rows of a map by kind and divides them into slices (part of stage "order").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/order/map_words.cuh"
#include "kernels/cuda/order/row_slices.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <cub/cub.cuh>

#include <cstdint>
#include <utility>

namespace spira::cuda {
namespace {

constexpr int kind_bits = 14, kinds = 1 << kind_bits, rank_bits = 17;
static_assert(sorted_rows == 1 << rank_bits, "a kind and a rank share 32 bits");
constexpr int scan_threads = 1024, kinds_of_thread = kinds / scan_threads;

/// Pointers to the arrays in the memory of the row slices.
struct SliceMemory {
  std::int64_t max_rows, sets;
  /// `groups` is the number of z-groups of all sections.
  int sections, groups;
  std::int32_t* rows{};  ///< Codes of the sorted rows (SectionRow). Shape: [sections][max_rows].
  /// The z-run words of the sorted rows. Shape: [sections][slices][groups of a section][16].
  std::uint32_t* words{};
  /// Shape: [sections][sets][kinds]. A set contains the rows that are sorted together. For each kind, the
  /// array first contains the number of rows, and later their start position.
  std::int32_t* counts{};
  unsigned* taken{};  ///< Work counters (SectionSlices::taken). Shape: [sections][max_blocks_across].
  /// Shape: [sections][max_rows]. The kind of each row, and its rank within the kind.
  std::uint32_t* placed{};
  std::uint8_t* with{};  ///< Shape: [max_rows]. Bit mask of the sections that contain the row.

  SliceMemory(std::int64_t outputs, int kernel_size)
      : max_rows((outputs + slice_rows - 1) / slice_rows * slice_rows),
        sets((outputs + sorted_rows - 1) / sorted_rows),
        sections(sections_of(kernel_size)),
        groups(kernel_size * kernel_size) {}
  [[nodiscard]] static SliceMemory in(const Buffer& buffer, std::int64_t outputs, int kernel_size) {
    SliceMemory memory(outputs, kernel_size);
    auto* at = static_cast<std::uint32_t*>(const_cast<void*>(buffer.data()));
    const auto take = [&](std::int64_t count) { return std::exchange(at, at + count); };
    memory.rows = reinterpret_cast<std::int32_t*>(take(memory.sections * memory.max_rows));
    memory.words = take(memory.groups * memory.max_rows);
    memory.counts = reinterpret_cast<std::int32_t*>(take(memory.sections * memory.sets * kinds));
    memory.taken = take(memory.sections * max_blocks_across);
    memory.placed = take(memory.sections * memory.max_rows);
    memory.with = reinterpret_cast<std::uint8_t*>(at);
    return memory;
  }
  [[nodiscard]] std::size_t cleared_bytes() const {
    return static_cast<std::size_t>(sections * ((sets * kinds) + max_blocks_across)) * sizeof(std::int32_t);
  }
  [[nodiscard]] std::size_t bytes() const {
    return cleared_bytes() +
           (static_cast<std::size_t>(((2 * sections) + groups) * max_rows) * sizeof(std::int32_t)) +
           static_cast<std::size_t>(max_rows);
  }
  [[nodiscard]] __device__ std::int32_t* counts_of(int section, std::int64_t set) const {
    return counts + (((section * sets) + set) * kinds);
  }
};

/// Returns the bit of the coarse column that contains a z-group. The 3 x 3 coarse columns distinguish only
/// the signs of dx and dy. The corner columns have the highest bits, because rows rarely have inputs there.
__device__ unsigned coarse_bit(int group, int kernel_size) {
  const int centre = (kernel_size - 1) / 2;
  const auto side = [&](int at) { return at < centre ? 0 : at == centre ? 1 : 2; };
  constexpr unsigned bits[9] = {8, 4, 7, 3, 0, 2, 6, 1, 5};
  return 1U << bits[(side(group / kernel_size) * 3) + side(group % kernel_size)];
}

/// Returns the position of a code in the sequence of reflected Gray codes.
__device__ unsigned gray_place(unsigned code) {
  code ^= code >> 1U;
  code ^= code >> 2U;
  code ^= code >> 4U;
  return code ^ (code >> 8U);
}

/// Returns the kind of a row. It encodes three properties: the coarse columns in which the row has inputs;
/// whether it has inputs above, beside and below in other columns; and whether it has inputs above and below
/// in its own column.
template <class Words> __device__ unsigned kind_of(const Words& words, const typename Words::Row& word_of) {
  const int K = words.kernel_size(), centre = (K - 1) / 2, own = (centre * K) + centre;
  const std::uint32_t beside = 1U << static_cast<unsigned>(centre), below = beside - 1U;
  const auto has = [&](std::uint32_t word) {
    return ((word & below) != 0 ? 1U : 0U) | ((word & ~(below | beside)) != 0 ? 2U : 0U);
  };
  unsigned code = 0, elsewhere = 0, here = 0;
#pragma unroll(Words::unrolled)
  for (int group = 0; group < words.groups(); ++group) {
    const std::uint32_t word = word_of(group) & words.wanted(group) & ((1U << static_cast<unsigned>(K)) - 1U);
    if (word == 0) continue;
    code |= coarse_bit(group, K);
    if (group == own) {
      here = has(word);
    } else {
      elsewhere |= has(word) | ((word & beside) != 0 ? 4U : 0U);
    }
  }
  return (gray_place(code) << 5U) | (elsewhere << 2U) | here;
}

/// Returns the kind of a row in one plane (K = 5), computed from the words of the row. The kind encodes the
/// columns in which the row has inputs. For the middle column and for each side, it encodes whether the row
/// has inputs below and above. It also encodes whether there are inputs far below, far above and beside the
/// row.
__device__ unsigned kind_in_plane(const std::uint32_t (&plane)[5]) {
  constexpr std::uint32_t below = 3, beside = 4, above = 24;
  // Columns that are farther away are rarer and get higher bits.
  constexpr unsigned place_of[5] = {4, 2, 0, 1, 3};
  const std::uint32_t sides[3] = {plane[0] | plane[1], plane[2], plane[3] | plane[4]};
  unsigned code = 0, rest = 0;
#pragma unroll
  for (int group = 0; group < 5; ++group)
    code |= plane[group] != 0 ? 1U << place_of[group] : 0U;
#pragma unroll
  for (int side = 0; side < 3; ++side)
    rest |= ((sides[side] & below) != 0 ? 1U : 0U) << (2 * side) | ((sides[side] & above) != 0 ? 2U : 0U)
                                                                       << (2 * side);
  const std::uint32_t any = sides[0] | sides[1] | sides[2];
  rest |= (any & 1U) << 6U | (any >> 4U & 1U) << 7U | (((sides[0] | sides[2]) & beside) != 0 ? 1U << 8U : 0U);
  return (gray_place(code) << 9U) | gray_place(rest);
}

/// The sections to which a row belongs, and the kind of the row in each section. A row without inputs belongs
/// to the last section, because its result must also be written.
template <class Words, int sections> struct RowSections {
  unsigned kinds[sections];
  unsigned with = 0;

  __device__ RowSections(const Words& words, const typename Words::Row& word_of) {
    if constexpr (sections == 1) {
      kinds[0] = kind_of(words, word_of);
    } else {
#pragma unroll
      for (int section = 0; section < sections; ++section) {
        std::uint32_t plane[5], any = 0;
#pragma unroll
        for (int at = 0; at < 5; ++at) {
          const int group = (section * 5) + at;
          plane[at] = word_of(group) & words.wanted(group) & 31U;
          any |= plane[at];
        }
        kinds[section] = kind_in_plane(plane);
        with |= (any != 0 ? 1U : 0U) << static_cast<unsigned>(section);
      }
    }
    if (with == 0) with = 1U << (sections - 1U);
  }
  /// Returns the code that SectionRow decodes, or -1 if the row is not in the section.
  [[nodiscard]] __device__ std::int32_t code(std::int64_t row, int section) const {
    if ((with >> section & 1U) == 0) return -1;
    return static_cast<std::int32_t>(row) | ((with & ((1U << section) - 1U)) != 0 ? earlier_bit : 0) |
           (with >> section > 1U ? later_bit : 0);
  }
};

/// Counts the rows of each kind. Writes two numbers for each row to `placed`: its kind, and its rank among
/// the rows of this kind. Shape: [sections][rows].
template <class Words, int sections>
__global__ void __launch_bounds__(threads_per_block)
    kinds_kernel(const __grid_constant__ Words words, const __grid_constant__ SliceMemory memory) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t rows = words.rows();
  if (row - (threadIdx.x & 31U) >= rows) return;
  const bool there = row < rows;
  const RowSections<Words, sections> own(words, words.row(row, there));
  const int lane = static_cast<int>(threadIdx.x & 31U);
#pragma unroll
  for (int section = 0; section < sections; ++section) {
    const unsigned kind = there ? own.kinds[section] : static_cast<unsigned>(kinds);
    const unsigned alike = __match_any_sync(0xFFFFFFFFU, kind);
    const int leader = __ffs(static_cast<int>(alike)) - 1;
    unsigned rank = 0;
    if (there && lane == leader)
      rank = static_cast<unsigned>(
          atomicAdd(memory.counts_of(section, row / sorted_rows) + kind, __popc(alike)));
    rank =
        __shfl_sync(0xFFFFFFFFU, rank, leader) + static_cast<unsigned>(__popc(alike & ((1U << lane) - 1U)));
    if (there) memory.placed[(section * memory.max_rows) + row] = (kind << rank_bits) | rank;
  }
}

/// Converts the counts to start positions of the kinds. Each thread block processes the kinds of one set of
/// rows that are sorted together.
__global__ void __launch_bounds__(scan_threads) starts_kernel(std::int32_t* counts) {
  using Scan = cub::BlockScan<int, scan_threads>;
  __shared__ typename Scan::TempStorage scratch;
  auto* own = reinterpret_cast<int4*>(counts + (static_cast<std::int64_t>(blockIdx.x) * kinds) +
                                      (threadIdx.x * kinds_of_thread));
  alignas(sizeof(int4)) int values[kinds_of_thread];
#pragma unroll
  for (int at = 0; at < kinds_of_thread; at += 4)
    *reinterpret_cast<int4*>(values + at) = own[at / 4];
  Scan(scratch).ExclusiveSum(values, values);
#pragma unroll
  for (int at = 0; at < kinds_of_thread; at += 4)
    own[at / 4] = *reinterpret_cast<int4*>(values + at);
}

/// Writes each row and its words to the position of the row in the sorted order. Fills the rest of the last
/// slice with empty rows.
template <class Words, int sections>
__global__ void __launch_bounds__(threads_per_block)
    order_kernel(const __grid_constant__ Words words, const __grid_constant__ SliceMemory memory) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x) + threadIdx.x;
  const std::int64_t all_rows = words.rows();
  if (row >= (all_rows + slice_rows - 1) / slice_rows * slice_rows) return;
  const bool there = row < all_rows;
  const auto word_of = words.row(row, there);
  const RowSections<Words, sections> own(words, word_of);
  const int groups = words.groups() / sections;
  if (sections > 1 && there) memory.with[row] = static_cast<std::uint8_t>(own.with);
#pragma unroll
  for (int section = 0; section < sections; ++section) {
    std::int64_t place = row;
    if (there) {
      const std::uint32_t placed = memory.placed[(section * memory.max_rows) + row];
      const std::int64_t together = row / sorted_rows;
      place = (together * sorted_rows) + __ldg(memory.counts_of(section, together) + (placed >> rank_bits)) +
              (placed & (sorted_rows - 1));
    }
    memory.rows[(section * memory.max_rows) + place] = there ? own.code(row, section) : -1;
    std::uint32_t* to = memory.words + (section * memory.max_rows * groups) +
                        (place / slice_rows * groups * slice_rows) + (place % 8 * 2) +
                        (place % slice_rows / 8);
#pragma unroll(sections == 1 ? Words::unrolled : 5)
    for (int group = 0; group < groups; ++group)
      to[group * slice_rows] = word_of((section * groups) + group);
  }
}

template <int sections, class Words>
void launch(const Device& device, const Words& words, std::int64_t max_rows, Buffer& slices) {
  if (max_rows == 0) return;
  const SliceMemory memory = SliceMemory::in(slices, max_rows, words.kernel_size());
  // A kernel clears the memory, because initcheck (compute-sanitizer) does not detect memsets in a graph.
  auto* cleared = memory.counts;
  for_each(device, static_cast<std::int64_t>(memory.cleared_bytes() / sizeof(*cleared)),
           [=] __device__(std::int64_t at) { cleared[at] = 0; });
  const unsigned blocks = blocks_for(memory.max_rows);
  kinds_kernel<Words, sections><<<blocks, threads_per_block, 0, device.stream>>>(words, memory);
  SPIRA_CUDA(cudaGetLastError());
  starts_kernel<<<static_cast<unsigned>(sections * memory.sets), scan_threads, 0, device.stream>>>(
      memory.counts);
  SPIRA_CUDA(cudaGetLastError());
  order_kernel<Words, sections><<<blocks, threads_per_block, 0, device.stream>>>(words, memory);
  SPIRA_CUDA(cudaGetLastError());
}

}  // namespace

std::size_t SectionSlices::bytes(std::int64_t outputs, int kernel_size) {
  return SliceMemory(outputs, kernel_size).bytes();
}

SectionSlices SectionSlices::in(const Buffer& buffer, std::int64_t outputs, int kernel_size, int section) {
  const SliceMemory memory = SliceMemory::in(buffer, outputs, kernel_size);
  return {memory.rows + (section * memory.max_rows),
          reinterpret_cast<const uint2*>(memory.words +
                                         (section * memory.max_rows * groups_in_section(kernel_size))),
          memory.taken + (section * max_blocks_across), memory.with};
}

void row_slices(const Device& device, const MapSource& source, Buffer& slices) {
  const MemoryWords words{source};
  source.cube == 5 ? launch<section_count<5>>(device, words, source.outputs.max, slices)
                   : launch<1>(device, words, source.outputs.max, slices);
}

void row_slices(const Device& device, const OccupancyMap& map, int kernel_size, Buffer& slices) {
  visit_map(map.pack, kernel_size, [&]<class Key, int K>(Key, std::integral_constant<int, K>) {
    launch<section_count<K>>(device, GridWords<Key, K>{map}, map.outputs.max, slices);
  });
}

}  // namespace spira::cuda

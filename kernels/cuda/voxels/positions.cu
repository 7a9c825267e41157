// Chooses the position of each row (stage "positions").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/voxels/keys.cuh"
#include "kernels/cuda/voxels/points.cuh"
#include "kernels/cuda/voxels/positions.cuh"
#include "kernels/cuda/voxels/positions.hpp"

namespace spira::cuda {
namespace {

/// The position of a point in its voxel, in position units.
struct InVoxel {
  std::int64_t of[3];
  std::int64_t squared;  ///< The squared distance from the centre of the voxel. Less than 2^32.

  /// Divides and multiplies like the CPU back end, so that all back ends compute the same integers.
  __device__ InVoxel(const PointsOnDevice& points, std::int64_t point) : of{}, squared(0) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const double voxels = __ddiv_rn(points.positions[(3 * point) + axis], points.voxel_m[axis]);
      const double units = floor(__dmul_rn(voxels, static_cast<double>(position_one)));
      of[axis] = static_cast<std::int64_t>(units) & (position_one - 1);
      const std::int64_t from_centre = of[axis] - (position_one / 2);
      squared += from_centre * from_centre;
    }
  }
};

constexpr int index_bits = 32;
static_assert(3 * (position_one / 2) * (position_one / 2) < std::int64_t{1} << (64 - index_bits),
              "the squared distance of a point and its index must fit in one word");

Positions make_positions(const Device& device, PositionKind kind, std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows);
  return {kind, Buffer(device.pool, count * sizeof(std::uint64_t)),
          Buffer(device.pool, count * sizeof(std::int32_t))};
}

/// The levels of a down-sampling.
template <class Key> struct CoarserTask {
  const Key *fine, *coarse;
  std::int64_t fine_count;
  const std::uint64_t* fine_words;
  const std::int32_t* fine_points;
  Key step[3];             ///< What a key grows by if a coordinate grows by one cell of the fine level.
  std::int32_t fine_edge;  ///< The edge of a voxel of the fine level, in position units.
  bool grid;
  std::uint64_t* words;
  std::int32_t* points;
};

/// The number of threads that process a coarse row. Each of them reads the children with one x and one y.
/// They are adjacent, because nothing lies between two fine voxels that differ in z alone.
constexpr int lines_of_parent = 4;
constexpr int child_bits = 3;

/// Chooses the position of a coarse row. Rows of the fine level ascend with their keys, so the lowest of
/// several nearest children is the one with the lowest number.
template <class Key> __device__ void choose(const CoarserTask<Key>& task, std::int64_t item) {
  const std::int64_t row = item / lines_of_parent;
  const auto line = static_cast<unsigned>(item % lines_of_parent);
  const Key step_z = task.step[2],
            first = task.coarse[row] + (line / 2 * task.step[0]) + (line % 2 * task.step[1]);
  std::int64_t at = lower_bound(task.fine, 0, task.fine_count, static_cast<std::int64_t>(first));
  // The children are compared by one word: the squared distance from the centre, and the number of the child.
  std::uint64_t nearest = ~std::uint64_t{0}, word = 0;
  std::int64_t chosen = 0;
  for (; at < task.fine_count && task.fine[at] - first <= step_z; ++at) {
    const bool upper = task.fine[at] != first;
    const Fields fields(task.fine_words[at]);
    const std::int64_t in_voxel[3] = {(line / 2 != 0 ? task.fine_edge : 0) + fields.x,
                                      (line % 2 != 0 ? task.fine_edge : 0) + fields.y,
                                      (upper ? task.fine_edge : 0) + fields.z};
    std::uint64_t squared = 0;
#pragma unroll
    for (const std::int64_t place : in_voxel)
      squared += static_cast<std::uint64_t>((place - task.fine_edge) * (place - task.fine_edge));
    const std::uint64_t rank = (squared << child_bits) | (line * 2) | (upper ? 1U : 0U);
    if (rank >= nearest) continue;
    nearest = rank;
    chosen = at;
    word = position_word_of(in_voxel[0], in_voxel[1], in_voxel[2]);
  }
  std::uint64_t of_parent = nearest;
  const unsigned threads = ((1U << lines_of_parent) - 1U) << (threadIdx.x & (32U - lines_of_parent));
#pragma unroll
  for (int other = lines_of_parent / 2; other > 0; other /= 2)
    of_parent = min(of_parent, static_cast<std::uint64_t>(__shfl_xor_sync(
                                   threads, static_cast<unsigned long long>(of_parent), other)));
  if (of_parent != nearest || nearest == ~std::uint64_t{0}) return;
  task.words[row] = task.grid ? 0 : word;
  task.points[row] = task.fine_points[chosen];
}

template <class Key>
void choose_all(const Device& device, const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                Positions& chosen) {
  const auto stride = static_cast<Key>(fine.rule.stride()[0]);
  const CoarserTask<Key> task{
      values<Key>(fine.keys),
      values<Key>(coarse.keys),
      fine.size.value(),
      values<std::uint64_t>(of_fine.words),
      values<std::int32_t>(of_fine.points),
      {stride << (fine.pack.y_bits + fine.pack.z_bits), stride << fine.pack.z_bits, stride},
      static_cast<std::int32_t>(stride) * static_cast<std::int32_t>(position_one),
      of_fine.kind == PositionKind::grid,
      values<std::uint64_t>(chosen.words),
      values<std::int32_t>(chosen.points)};
  for_each(device, coarse.size.value() * lines_of_parent,
           [=] __device__(std::int64_t item) { choose(task, item); });
}

}  // namespace

Positions nearest_points(const Device& device, PositionKind kind, const PointsOfVoxels& of, Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(device, kind, of.voxels);
  SPIRA_CUDA(cudaMemsetAsync(chosen.words.data(), 0xFF, chosen.words.bytes(), device.stream));
  // A word first contains the squared distance and the index of the nearest point. So the first one of
  // several nearest points is chosen in any order of the threads.
  auto* nearest = static_cast<unsigned long long*>(chosen.words.data());
  const PointsOnDevice points = of.points;
  const std::int32_t* rows = of.rows;
  for_each(device, of.all, [=] __device__(std::int64_t point) {
    if (rows[point] < 0) return;
    const InVoxel in_voxel(points, point);
    atomicMin(nearest + rows[point], (static_cast<unsigned long long>(in_voxel.squared) << index_bits) |
                                         static_cast<unsigned long long>(point));
  });
  auto* words = values<std::uint64_t>(chosen.words);
  auto* indices = values<std::int32_t>(chosen.points);
  const bool grid = kind == PositionKind::grid;
  for_each(device, of.voxels, [=] __device__(std::int64_t row) {
    const auto point = static_cast<std::uint32_t>(words[row]);
    const InVoxel in_voxel(points, point);
    indices[row] = static_cast<std::int32_t>(point);
    words[row] = grid ? 0 : position_word_of(in_voxel.of[0], in_voxel.of[1], in_voxel.of[2]);
  });
  return chosen;
}

Positions coarser_positions(const Device& device, const CoordSet& fine, const Positions& of_fine,
                            const CoordSet& coarse, Job& job) {
  const auto stage = job.stage("positions");
  Positions chosen = make_positions(device, of_fine.kind, coarse.size.value());
  visit_key(fine.pack, [&]<class Key>(Key) { choose_all<Key>(device, fine, of_fine, coarse, chosen); });
  return chosen;
}

}  // namespace spira::cuda

// Computes the sorted voxels of all levels from the points of a scene. All levels are in one occupancy grid.
#pragma once

#include "kernels/cuda/voxels/occupancy_map.cuh"
#include "kernels/cuda/voxels/points.cuh"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace spira::cuda {

/// Owns the buffers that an Occupancy refers to.
struct OccupancyMemory {
  Occupancy view;
  Buffer words, used, keys;
  Buffer reach;    ///< The tables of levels with the reached rule.
  Buffer cleared;  ///< The counts of levels and tiles. They are set to zero at the start of each run.
  [[nodiscard]] std::size_t bytes() const {
    return words.bytes() + used.bytes() + keys.bytes() + reach.bytes() + cleared.bytes();
  }
};

/// Dimensions of the grid of one level in words, including margins.
struct LevelShape {
  int nx, ny, nw;

  LevelShape(const std::array<std::int64_t, 3>& extent, PerAxis stride) {
    const auto cells = [&](std::size_t axis) { return (extent.at(axis) + stride[axis] - 1) / stride[axis]; };
    nx = static_cast<int>(cells(0) + 2 * margin);
    ny = static_cast<int>(((cells(1) + 3) / 4 * 4) + 2 * margin);
    nw = static_cast<int>((cells(2) + cells_per_word - 1) / cells_per_word);
  }
  [[nodiscard]] std::int64_t words() const { return std::int64_t{nx} * ny * nw; }
  [[nodiscard]] int tile_words() const { return words_of_tile(words()); }
  [[nodiscard]] int tiles() const { return static_cast<int>((words() + tile_words() - 1) / tile_words()); }
  /// Returns the size of OccupancyLevel::used: one flag per word, rounded up to whole tiles.
  [[nodiscard]] std::int64_t flags() const { return std::int64_t{tile_words()} * tiles(); }
};

/// Maximum number of words in a grid, summed over all levels.
constexpr std::int64_t max_words = std::int64_t{1} << 31U;

[[nodiscard]] Axes shift_of(PerAxis stride);  ///< Returns the base-2 logarithms of a stride.
/// Returns the size, in bytes, of a grid that covers `extent` voxels at these levels.
[[nodiscard]] std::size_t occupancy_bytes(const std::array<std::int64_t, 3>& extent,
                                          std::span<const SceneLevel> levels);
/// The frames of a batch, which are one after another along x in a grid.
struct Batch {
  int frames = 1;
  std::int64_t frame_cells = 0;  ///< The extent of one frame along x.
};
/// Returns a grid without voxels. `shift` is the shift of the coordinates. `capacities` contains the maximum
/// number of voxels for each level. The grid stores the pointer `status`, which must stay valid.
[[nodiscard]] OccupancyMemory make_occupancy(const Device& device, const PackSpec& pack,
                                             const std::array<std::int64_t, 3>& extent,
                                             const std::array<std::int64_t, 3>& shift,
                                             std::span<const SceneLevel> of,
                                             std::span<const std::int64_t> capacities, const Batch& batch,
                                             RunStatus* status);
void reset(const Device& device, OccupancyMemory& memory);

/// Counts the voxels before each word and writes the sorted keys of all set bits, at all levels.
void rank_levels(const Device& device, const Occupancy& grid);
/// Sets the bits of all points at all levels, counts the voxels, and writes the sorted keys of all levels.
/// The grid must be empty.
void index_points(const Device& device, OccupancyMemory& memory, const PointsOnDevice& points,
                  const RowCount& count);
/// Scratch memory for mean_features(): one double per voxel and input feature in `sums` and one count per
/// voxel in `hits`, for the maximum number of voxels of level 0. All values must be zero before the call.
/// They are zero again after the call.
struct MeanSums {
  double* sums;
  std::int32_t* hits;
};
/// Computes the input features of each voxel, which are means over its points. Row i + 1 of `features` starts
/// `stride` values after row i.
void mean_features(const Device& device, const Occupancy& occupancy, const PointsOnDevice& points,
                   const RowCount& count, const MeanInputs& inputs, const MeanSums& sums, Precision precision,
                   void* features, int stride);
void clear(const Device& device, const Occupancy& occupancy);

/// Writes the z-run words of a map in which all columns are dense. Shape: [outputs][z-groups].
void write_words(const Device& device, const OccupancyMap& map, const KernelShape& kernel,
                 std::uint32_t* words);

/// Calls visit(Key{}, std::integral_constant<int, K>{}), where Key is the word type of the packing and K is
/// the kernel size.
template <class Visit> void visit_map(const PackSpec& pack, int kernel_size, Visit&& visit) {
  const auto with_key = [&]<class Key>(Key key) {
    visit_kernel_size(kernel_size, [&](auto K) { visit(key, K); });
  };
  pack.word_bits() == 32 ? with_key(std::uint32_t{}) : with_key(std::uint64_t{});
}

}  // namespace spira::cuda

#include "engine/base/fp16.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/positions.hpp"
#include "kernels/cpu/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace spira::cpu {
namespace {

constexpr std::int64_t points_per_block = 16'384;

/// Returns the position of a point in its cell on one axis, in position units. `place` is the coordinate in
/// cells, and `cell` is floor(place). All operations are exact, except that the difference is rounded if the
/// place is between -1 and 0. It can then be rounded up to the next whole number, which is corrected.
inline std::int64_t part_of_cell(double place, double cell) noexcept {
  constexpr auto one = static_cast<double>(position_one);
  const double at = place * one, start = cell * one;
  const auto part = static_cast<std::int64_t>(at - start);  // Truncation is faster than std::floor().
  return part - (start + static_cast<double>(part) > at ? 1 : 0);
}

/// Returns the keys and the indices of the points inside the crop, in the order of the points. If `words` is
/// not `nullptr`, stores the position word of each point there.
template <class Key>
std::vector<IndexedKey<Key>> pack_points(ThreadPool& threads, const PointCloud& cloud, const Grid& grid,
                                         const PackSpec& pack, const std::array<std::int64_t, 3>& shift,
                                         std::vector<std::uint64_t>* words, Job& job) {
  const auto stage = job.stage("pack");
  std::vector<IndexedKey<Key>> entries(static_cast<std::size_t>(cloud.size()));
  const auto pack_range = [&](std::int64_t begin, std::int64_t end, std::uint64_t first_key) {
    for (std::int64_t at = begin; at < end; ++at) {
      const Point& p = cloud.positions[static_cast<std::size_t>(at)];
      auto& entry = entries[static_cast<std::size_t>(at)];
      entry.index = -1;
      if (!grid.keeps(p)) continue;
      Voxel voxel{};
      std::array<std::int64_t, 3> in_voxel{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double place = p[axis] / grid.voxel_m[axis], cell = std::floor(place);
        voxel[axis] = static_cast<std::int32_t>(static_cast<std::int64_t>(cell) - shift[axis]);
        if (words != nullptr) in_voxel[axis] = part_of_cell(place, cell);
      }
      if (words != nullptr) (*words)[static_cast<std::size_t>(at)] = position_word(in_voxel);
      entry = {static_cast<Key>(first_key + pack.pack(voxel)), static_cast<std::int32_t>(at)};
    }
  };
  const auto pack_block = [&](std::int64_t begin, std::int64_t end, int) {
    if (cloud.batch() == 1) return pack_range(begin, end, 0);
    for (int frame = 0; frame < cloud.batch(); ++frame) {
      const auto* const starts = &cloud.frame_starts[static_cast<std::size_t>(frame)];
      pack_range(std::max(begin, starts[0]), std::min(end, starts[1]), pack.first_key(frame));
    }
  };
  threads.for_blocks(cloud.size(), points_per_block, pack_block, job.stop_token());
  job.checkpoint({"packing points", 0, 0});
  if (grid.crop_m) std::erase_if(entries, [](const auto& entry) { return entry.index < 0; });
  return entries;
}

/// The sums of the points of one voxel. They have double precision, so that the mean of many points is
/// accurate.
class Sums {
 public:
  Sums(const PointCloud& cloud, const Point& origin)
      : cloud_(cloud), origin_(origin), sums_(static_cast<std::size_t>(cloud.input_channels()), 0.0) {}

  void add(std::int32_t index) {
    const auto at = static_cast<std::size_t>(index);
    ++points_;
    if (cloud_.feature_channels > 0) {
      const float* const values = cloud_.features.data() + (at * sums_.size());
      for (std::size_t channel = 0; channel < sums_.size(); ++channel)
        sums_[channel] += static_cast<double>(values[channel]);
      return;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      sums_[axis] += cloud_.positions[at][axis] - origin_[axis];
    sums_[3] += cloud_.intensity.empty() ? 1.0 : static_cast<double>(cloud_.intensity[at]);
  }

  /// Stores the means as a row of `features`, and clears the sums. Returns the number of points of the voxel.
  std::int32_t take(Features& features, std::int64_t row) {
    const std::size_t first = static_cast<std::size_t>(row) * sums_.size();
    for (std::size_t channel = 0; channel < sums_.size(); ++channel) {
      const auto mean = static_cast<float>(sums_[channel] / points_);
      if (features.precision == Precision::fp32) {
        features.data.host_span<float>()[first + channel] = mean;
      } else {
        features.data.host_span<Fp16>()[first + channel] = float_to_fp16(mean);
      }
      sums_[channel] = 0;
    }
    return std::exchange(points_, 0);
  }

 private:
  const PointCloud& cloud_;
  const Point origin_;
  std::vector<double> sums_;
  std::int32_t points_ = 0;
};

constexpr std::size_t rows_per_checkpoint = 1U << 18U;
std::int64_t to_count(std::size_t rows) {
  return static_cast<std::int64_t>(rows);
}

/// Computes the unique keys. If `request.point_lists` is set, also computes the voxel of each point.
template <class Key>
Voxelized merge(const std::shared_ptr<MemoryPool>& pool, const UploadedPoints& points,
                const std::vector<IndexedKey<Key>>& sorted, const VoxelizeRequest& request, Job& job) {
  Voxelized result;
  if (request.point_lists) result.voxel_of_point.assign(static_cast<std::size_t>(points.cloud->size()), -1);
  std::vector<Key> keys;
  keys.reserve(sorted.size());
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    if (at % rows_per_checkpoint == 0)
      job.checkpoint({"merging points", to_count(at), to_count(sorted.size())});
    if (at == 0 || sorted[at].key != sorted[at - 1].key) keys.push_back(sorted[at].key);
    if (request.point_lists) {
      result.voxel_of_point[static_cast<std::size_t>(sorted[at].index)] =
          static_cast<std::int32_t>(keys.size()) - 1;
    }
  }
  result.coords = make_coord_set<Key>(pool, request.pack, 1, keys);
  return result;
}

/// Computes the mean features. If `request.point_lists` is set, also computes the number of points of each
/// voxel.
template <class Key>
void average(const std::shared_ptr<MemoryPool>& pool, const UploadedPoints& points,
             const std::vector<IndexedKey<Key>>& sorted, const VoxelizeRequest& request, Voxelized& result,
             Job& job) {
  const auto rows = static_cast<std::size_t>(result.coords.capacity);
  const int channels = points.cloud->input_channels();
  result.features = {result.coords.capacity, channels, request.precision,
                     Buffer(pool, rows * static_cast<std::size_t>(channels) * bytes_of(request.precision))};
  if (request.point_lists) result.points_per_voxel.reserve(rows);
  Sums sums(*points.cloud, request.origin);
  std::int64_t row = 0;
  // The sort is stable, so the points of a voxel are added in their original order.
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    if (at % rows_per_checkpoint == 0)
      job.checkpoint({"averaging features", to_count(at), to_count(sorted.size())});
    sums.add(sorted[at].index);
    if (at + 1 < sorted.size() && sorted[at + 1].key == sorted[at].key) continue;
    const std::int32_t count = sums.take(result.features, row++);
    if (request.point_lists) result.points_per_voxel.push_back(count);
  }
}

}  // namespace

Voxelized voxelize(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool, const UploadedPoints& points,
                   const Grid& grid, const VoxelizeRequest& request, Job& job) {
  require_sound(points, request);
  const auto shift = request.range->shift(request.levels);
  return visit_key(request.pack, [&]<class Key>(Key) {
    std::vector<std::uint64_t> words(request.positions ? static_cast<std::size_t>(points.cloud->size()) : 0);
    auto entries = pack_points<Key>(threads, *points.cloud, grid, request.pack, shift,
                                    request.positions ? &words : nullptr, job);
    Voxelized result = [&] {
      const auto stage = job.stage("sort");
      Key used = 0;
      for (const auto& entry : entries)
        used |= entry.key;
      radix_sort(entries, static_cast<int>(std::bit_width(used)), job);
      return merge<Key>(pool, points, entries, request, job);
    }();
    if (request.positions)
      result.positions =
          nearest_points<Key>(threads, pool, *request.positions, words, entries, result.coords, job);
    const auto stage = job.stage("input");
    average<Key>(pool, points, entries, request, result, job);
    result.shift = shift;
    result.coords.extent =
        request.pack.batch_extent(request.range->extent(request.levels), points.cloud->batch());
    return result;
  });
}

namespace {

/// Returns the keys of level 0, rounded down. Adjacent duplicates (neighbours in z) are removed, which halves
/// the work of the sort.
template <class Key>
std::vector<Key> rounded_keys(std::span<const Key> fine, const PackSpec& pack, PerAxis stride) {
  const auto mask = static_cast<Key>(pack.round_down_mask(stride));
  std::vector<Key> keys;
  keys.reserve(fine.size());
  for (const Key key : fine) {
    const auto rounded = static_cast<Key>(key & mask);
    if (keys.empty() || keys.back() != rounded) keys.push_back(rounded);
  }
  return keys;
}

/// Computes the cells of a level that a coordinate of level 0 reaches on one axis, in shifted coordinates.
/// Stores the last result, because consecutive voxels mostly have the same x and y.
class ReachedCells {
 public:
  ReachedCells(const LevelRule& rule, std::size_t axis, std::int64_t shift)
      : rule_(rule), axis_(axis), shift_(shift), stride_(rule.stride()[axis]) {}
  const CellRange& operator()(std::int64_t coordinate) {
    if (coordinate != last_) {
      const std::int64_t place = coordinate + shift_;
      cells_ = rule_.cells_of(axis_, {place, place});
      // This division has no remainder, because the shift is a multiple of the stride.
      cells_ = {cells_.first - (shift_ / stride_), cells_.last - (shift_ / stride_)};
      last_ = coordinate;
    }
    return cells_;
  }
  [[nodiscard]] std::int32_t coordinate(std::int64_t cell) const {
    return static_cast<std::int32_t>(cell * stride_);
  }

 private:
  const LevelRule& rule_;
  std::size_t axis_;
  std::int64_t shift_, stride_, last_ = -1;
  CellRange cells_;
};

/// Returns the keys of the cells that the voxels of level 0 reach, with duplicates. In a column of voxels
/// (equal x and y), the ranges of z ascend. Therefore a column adds no key twice.
template <class Key>
std::vector<Key> reached_keys(std::span<const Key> fine, const PackSpec& pack, const LevelRule& rule,
                              const std::array<std::int64_t, 3>& shift, Job& job) {
  ReachedCells x(rule, 0, shift[0]), y(rule, 1, shift[1]), z(rule, 2, shift[2]);
  std::vector<Key> keys;
  std::vector<std::int64_t> column;
  constexpr std::int64_t columns_between_checks = 1'024;
  std::int64_t columns = 0;
  for (std::size_t at = 0; at < fine.size();) {
    const Voxel first = pack.unpack(fine[at]);
    const std::uint64_t first_key = pack.first_key(pack.frame(fine[at]));
    column.clear();
    for (; at < fine.size(); ++at) {
      const Voxel here = pack.unpack(fine[at]);
      if (here[0] != first[0] || here[1] != first[1] || pack.first_key(pack.frame(fine[at])) != first_key)
        break;
      const CellRange cells = z(here[2]);
      for (std::int64_t cell = column.empty() ? cells.first : std::max(cells.first, column.back() + 1);
           cell <= cells.last; ++cell)
        column.push_back(cell);
    }
    const CellRange in_x = x(first[0]), in_y = y(first[1]);
    for (std::int64_t cell_x = in_x.first; cell_x <= in_x.last; ++cell_x) {
      for (std::int64_t cell_y = in_y.first; cell_y <= in_y.last; ++cell_y) {
        for (const std::int64_t cell_z : column)
          keys.push_back(static_cast<Key>(
              first_key + pack.pack({x.coordinate(cell_x), y.coordinate(cell_y), z.coordinate(cell_z)})));
      }
    }
    if (columns++ % columns_between_checks == 0) job.checkpoint({"down-sampling", 0, 0});
  }
  return keys;
}

}  // namespace

CoordSet downsample(const std::shared_ptr<MemoryPool>& pool, const CoordSet& level0, const SceneLevel& level,
                    const std::array<std::int64_t, 3>& shift, Job& job) {
  return visit_key(level0.pack, [&]<class Key>(Key) {
    const auto fine = keys_of<Key>(level0);
    std::vector<Key> keys = level.rule.floor() ? rounded_keys<Key>(fine, level0.pack, level.rule.stride())
                                               : reached_keys<Key>(fine, level0.pack, level.rule, shift, job);
    job.checkpoint({"down-sampling", 0, 0});
    Key used = 0;
    for (const Key key : keys)
      used |= key;
    radix_sort(keys, static_cast<int>(std::bit_width(used)), job);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    job.checkpoint({"down-sampling", 0, 0});
    CoordSet coarse = make_coord_set<Key>(pool, level0.pack, level, keys);
    coarse.extent = level0.extent;
    return coarse;
  });
}

CoordSet unite(const std::shared_ptr<MemoryPool>& pool, const std::vector<const CoordSet*>& parts,
               const SceneLevel& level, Job& job) {
  return visit_key(parts.front()->pack, [&]<class Key>(Key) {
    std::vector<Key> keys;
    for (const CoordSet* part : parts) {
      const auto own = keys_of<Key>(*part);
      std::vector<Key> both;
      std::set_union(keys.begin(), keys.end(), own.begin(), own.end(), std::back_inserter(both));
      keys = std::move(both);
      job.checkpoint({"joining levels", 0, 0});
    }
    CoordSet all = make_coord_set<Key>(pool, parts.front()->pack, level, keys);
    all.extent = parts.front()->extent;
    return all;
  });
}

}  // namespace spira::cpu

// The input image, the mask and the blocks of a bird's-eye view.
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "kernels/cpu/cpu_backend.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace spira::cpu {
namespace {

constexpr std::int64_t points_per_range = 16'384;

/// Returns the row of the cell of each point, or -1 for points outside the area.
std::vector<std::int64_t> rows_of(ThreadPool& threads, const PointCloud& cloud, const Area& area, Job& job) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(cloud.size()));
  threads.for_blocks(
      cloud.size(), points_per_range,
      [&](std::int64_t begin, std::int64_t end, int) {
        for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at)
          rows[at] = area.row_of(cloud.positions[at]);
      },
      job.stop_token());
  job.checkpoint({"projecting points", 0, 0});
  return rows;
}

/// Writes the values of the cells [begin, end). Reads the points of these cells in their order.
template <class Value> class Projection {
 public:
  Projection(const PointCloud& cloud, const Area& area, std::span<const std::int64_t> rows, Features& image)
      : cloud_(cloud),
        area_(area),
        rows_(rows),
        channels_(image.channels),
        values_(image.data.host_span<Value>().data()) {}

  void write(std::int64_t begin, std::int64_t end) const {
    std::fill(values_ + begin * channels_, values_ + end * channels_, Value{});
    std::vector<Mean> means(static_cast<std::size_t>(end - begin));
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      const std::int64_t row = rows_[at];
      if (row < begin || row >= end) continue;
      values_[row * channels_ + height_channel(cloud_.positions[at][2], area_, channels_)] = stored(1);
      Mean& mean = means[static_cast<std::size_t>(row - begin)];
      mean.sum += cloud_.intensity.empty() ? 1.0 : static_cast<double>(cloud_.intensity[at]);
      mean.points += 1.0;
    }
    for (std::int64_t row = begin; row < end; ++row) {
      const Mean& mean = means[static_cast<std::size_t>(row - begin)];
      if (mean.points > 0) values_[(row + 1) * channels_ - 1] = stored(mean.sum / mean.points);
    }
  }

 private:
  struct Mean {
    double sum = 0, points = 0;
  };
  static Value stored(double value) {
    if constexpr (std::is_same_v<Value, Fp16>) return float_to_fp16(static_cast<float>(value));
    if constexpr (!std::is_same_v<Value, Fp16>) return static_cast<float>(value);
  }

  const PointCloud& cloud_;
  const Area& area_;
  std::span<const std::int64_t> rows_;
  int channels_;
  Value* values_;
};

/// Counts the cells of a mask at a stride in the rows around a block.
class BlockRow {
 public:
  BlockRow(std::span<const std::uint8_t> mask, const Area& area, const BlockShape& shape)
      : mask_(mask.data()), area_(area), shape_(shape) {}

  /// Sets active[y] to 1 if block (x, y) is active, otherwise to 0.
  void find(std::int64_t x, std::int64_t blocks, std::uint8_t* active) const {
    const std::int64_t columns = area_.columns(shape_.stride);
    std::vector<std::uint8_t> fine(static_cast<std::size_t>(area_.columns()));
    // before[y] is the number of cells in columns before y.
    std::vector<std::int64_t> before(static_cast<std::size_t>(columns) + 1);
    const std::int64_t last = std::min(area_.rows(shape_.stride), (x + 1) * shape_.core + shape_.reach);
    for (std::int64_t row = std::max<std::int64_t>(0, x * shape_.core - shape_.reach); row < last; ++row)
      count(row, columns, fine, before.data() + 1);
    for (std::size_t y = 1; y < before.size(); ++y)
      before[y] += before[y - 1];
    for (std::int64_t y = 0; y < blocks; ++y) {
      const std::int64_t begin = std::max<std::int64_t>(0, y * shape_.core - shape_.reach),
                         end = std::min(columns, (y + 1) * shape_.core + shape_.reach);
      const std::int64_t cells =
          before[static_cast<std::size_t>(end)] - before[static_cast<std::size_t>(begin)];
      active[y] = cells >= shape_.min_cells ? 1 : 0;
    }
  }

 private:
  /// Adds the cells of one row at the stride to `counts`. A cell is set if one of its stride x stride cells
  /// is set.
  void count(std::int64_t row, std::int64_t columns, std::vector<std::uint8_t>& fine,
             std::int64_t* counts) const {
    const std::int64_t stride = shape_.stride, width = area_.columns();
    const std::uint8_t* from = mask_ + row * stride * width;
    if (stride > 1) {
      std::copy_n(from, width, fine.begin());
      for (std::int64_t line = 1; line < stride; ++line)
        std::transform(fine.begin(), fine.end(), from + line * width, fine.begin(), std::bit_or<>());
      from = fine.data();
    }
    for (std::int64_t y = 0; y < columns; ++y) {
      std::uint8_t any = 0;
      for (std::int64_t at = y * stride; at < (y + 1) * stride; ++at)
        any |= from[at];
      counts[y] += any;
    }
  }

  const std::uint8_t* mask_;
  const Area& area_;
  const BlockShape& shape_;
};

}  // namespace

Features CpuBirdsEye::project(const UploadedPoints& points, const Area& area, int channels,
                              Precision precision, Job& job) {
  SPIRA_ASSERT(channels >= 4, "an image of points has at least four channels");
  const PointCloud& cloud = *points.cloud;
  Features image{area.size(), channels, precision,
                 Buffer(pool_, static_cast<std::size_t>(area.size()) * static_cast<std::size_t>(channels) *
                                   bytes_of(precision))};
  const auto rows = rows_of(threads_, cloud, area, job);
  // Each range of cells reads all points, so there are few ranges.
  const std::int64_t ranges = std::int64_t{threads_.threads()} * 2;
  threads_.for_blocks(
      area.size(), std::max<std::int64_t>(1, (area.size() + ranges - 1) / ranges),
      [&](std::int64_t begin, std::int64_t end, int) {
        precision == Precision::fp32 ? Projection<float>(cloud, area, rows, image).write(begin, end)
                                     : Projection<Fp16>(cloud, area, rows, image).write(begin, end);
      },
      job.stop_token());
  job.checkpoint({"projecting points", 0, 0});
  return image;
}

Buffer CpuBirdsEye::make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec,
                              Job& job) {
  const Mask mask = spira::make_mask(*points.cloud, area, spec, job);
  Buffer cells(pool_, mask.cells.size());
  std::memcpy(cells.data(), mask.cells.data(), mask.cells.size());
  return cells;
}

BlockList CpuBirdsEye::active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape,
                                     Job& job) {
  const auto cells = mask.host_span<std::uint8_t>();
  SPIRA_ASSERT(std::ssize(cells) == area.size(), "the mask does not have the size of the area");
  const auto grid = grid_of(shape, area);
  const auto blocks = static_cast<std::size_t>(grid[0] * grid[1]);
  std::vector<std::uint8_t> active(blocks);
  const BlockRow row(cells, area, shape);
  threads_.for_blocks(
      grid[0], 1,
      [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t x = begin; x < end; ++x)
          row.find(x, grid[1], active.data() + x * grid[1]);
      },
      job.stop_token());
  job.checkpoint({"finding active blocks", 0, 0});
  BlockList list{shape, grid, Buffer(pool_, blocks * sizeof(std::int32_t)),
                 Buffer(pool_, sizeof(std::int64_t)), 0};
  std::int32_t* const numbers = list.numbers.host_span<std::int32_t>().data();
  std::int64_t found = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    if (active[block] != 0) numbers[found++] = static_cast<std::int32_t>(block);
  }
  list.size = list.count.host_span<std::int64_t>().front() = found;
  return list;
}

}  // namespace spira::cpu

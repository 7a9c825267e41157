// Builds the index for gather-GEMM-scatter (part of stage "order").
#include "kernels/cuda/baseline/gather_index.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <limits>
#include <utility>

namespace spira::cuda {
namespace {

int centre_of(const KernelMap& map) {
  return map.submanifold && map.offsets->centred() ? map.offsets->centre() : -1;
}

/// Sorts the gathered rows by output. The sort is stable, so the order of additions never changes. `keys`
/// contains the output of each gathered row. Shape: [rows]. Padding rows have the key `results`, so they are
/// at the end.
void sort_by_output(const Device& device, Buffer keys, GatherIndex& index) {
  const std::int64_t all = index.plan.rows, results = index.results, before = index.centre_rows();
  Buffer sorted_keys(device.pool, keys.bytes()), rows(device.pool, keys.bytes());
  index.rows = Buffer(device.pool, keys.bytes());
  auto* row = values<std::int32_t>(rows);
  for_each(device, all,
           [=] __device__(std::int64_t at) { row[at] = static_cast<std::int32_t>(before + at); });
  with_scratch(device, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, values<std::int32_t>(std::as_const(keys)), values<std::int32_t>(sorted_keys),
        values<std::int32_t>(std::as_const(rows)), values<std::int32_t>(index.rows), static_cast<int>(all), 0,
        std::bit_width(static_cast<std::uint64_t>(results)), device.stream);
  });
  const auto* sorted = values<std::int32_t>(std::as_const(sorted_keys));
  auto* first = values<std::int32_t>(index.first);
  for_each(device, results + 1, [=] __device__(std::int64_t output) {
    // Binary search for the first row of this output or of a later output.
    std::int64_t low = 0, high = all;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (sorted[middle] < output) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    first[output] = static_cast<std::int32_t>(low);
  });
}

}  // namespace

std::vector<GatherColumn> gather_columns_of(const Device& device, const KernelMap& map, bool transposed) {
  const KernelMap::Part& part = map.parts.front();
  const auto counts = host_copy<std::int32_t>(device, part.counts);
  const int centre = centre_of(map);
  std::vector<GatherColumn> columns;
  std::int64_t first = 0;
  for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
    const int column = part.columns[slot], partner = map.offsets->partner(column);
    if (column != centre) {
      columns.push_back({column, transposed ? 1 : 0, first, counts[slot], 0});
      if (map.half) columns.push_back({partner, transposed ? 0 : 1, first, counts[slot], 0});
    }
    first += counts[slot];
  }
  return columns;
}

GatherIndex gather_index(const Device& device, const KernelMap& map, bool transposed, GatherGroups plan) {
  GatherIndex index;
  index.plan = std::move(plan);
  index.centre = centre_of(map);
  index.results = transposed ? map.inputs : map.outputs;
  SPIRA_ASSERT(index.plan.rows + index.centre_rows() < std::numeric_limits<std::int32_t>::max(),
               "more gathered rows than an index can count");
  const auto all = static_cast<std::size_t>(index.plan.rows);
  index.columns = device_copy(device, std::span<const GatherColumn>(index.plan.columns));
  index.inputs = Buffer(device.pool, all * sizeof(std::int32_t));
  index.first = Buffer(device.pool, static_cast<std::size_t>(index.results + 1) * sizeof(std::int32_t));
  if (all == 0) {
    SPIRA_CUDA(cudaMemsetAsync(index.first.data(), 0, index.first.bytes(), device.stream));
    return index;
  }
  Buffer keys(device.pool, all * sizeof(std::int32_t));
  const auto* columns = values<GatherColumn>(std::as_const(index.columns));
  const auto* pairs = static_cast<const int2*>(map.parts.front().entries.data());
  auto* inputs = values<std::int32_t>(index.inputs);
  auto* outputs = values<std::int32_t>(keys);
  const auto count = static_cast<int>(index.plan.columns.size());
  const auto none = static_cast<std::int32_t>(index.results);
  for_each(device, index.plan.rows, [=] __device__(std::int64_t row) {
    // Binary search for the column that contains the row.
    int low = 0, high = count;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (columns[middle].first_row <= row ? low : high) = middle;
    }
    const GatherColumn column = columns[low];
    const std::int64_t at = row - column.first_row;
    const bool there = at < column.pairs;
    const int2 pair = there ? pairs[column.first_pair + at] : make_int2(none, -1);
    const bool swapped = there && column.swapped != 0;
    outputs[row] = swapped ? pair.y : pair.x;
    inputs[row] = swapped ? pair.x : pair.y;
  });
  sort_by_output(device, std::move(keys), index);
  return index;
}

}  // namespace spira::cuda

#include "engine/map/densities.hpp"

#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"

#include <algorithm>

namespace spira {

Densities densities(const KernelMap& map) {
  return densities(*map.offsets, matches_per_column(map), map.outputs);
}

Densities densities(const KernelMap& map, std::span<const std::int32_t> outputs) {
  return densities(*map.offsets, matches_per_column(map, outputs), std::ssize(outputs));
}

Densities densities(const KernelOffsets& offsets, std::span<const std::int64_t> matches,
                    std::int64_t outputs) {
  SPIRA_ASSERT(std::ssize(matches) == offsets.columns(), "one count per column is needed");
  Densities result;
  result.outputs = outputs;
  result.kernel_size = offsets.kernel_size();
  result.stride = offsets.stride();
  for (int column = 0; column < offsets.columns(); ++column) {
    const std::int64_t count = matches[static_cast<std::size_t>(column)];
    const double density = outputs == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(outputs);
    result.columns.push_back({column, offsets.offset(column), offsets.l1(column), count, density});
    result.pairs += count;
  }
  for (int l1 = 0; l1 <= offsets.max_l1(); ++l1) {
    L1Density group{l1, 0, 0.0, 1.0, 0.0};
    for (const ColumnDensity& column : result.columns) {
      if (column.l1 != l1) continue;
      ++group.offsets;
      group.mean += column.density;
      group.min = std::min(group.min, column.density);
      group.max = std::max(group.max, column.density);
    }
    if (group.offsets == 0) continue;
    group.mean /= group.offsets;
    result.groups.push_back(group);
  }
  return result;
}

}  // namespace spira

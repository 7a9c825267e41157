#include "kernels/cuda/baseline/gather_groups.hpp"

#include <algorithm>

namespace spira::cuda {

GatherGroups group_columns(std::vector<GatherColumn> columns, double slack) {
  std::erase_if(columns, [](const GatherColumn& column) { return column.pairs == 0; });
  std::stable_sort(columns.begin(), columns.end(),
                   [](const GatherColumn& a, const GatherColumn& b) { return a.pairs > b.pairs; });
  GatherGroups result;
  for (GatherColumn& column : columns) {
    const bool joins = !result.groups.empty() && static_cast<double>(result.groups.back().rows) <=
                                                     static_cast<double>(column.pairs) * (1.0 + slack);
    if (!joins) result.groups.push_back({static_cast<int>(&column - columns.data()), 0, column.pairs});
    GatherGroup& group = result.groups.back();
    column.first_row = result.rows;
    result.rows += group.rows;
    ++group.count;
  }
  result.columns = std::move(columns);
  return result;
}

}  // namespace spira::cuda

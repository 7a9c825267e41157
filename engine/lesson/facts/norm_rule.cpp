#include "engine/lesson/facts/norm_rule.hpp"

#include <algorithm>
#include <tuple>

namespace spira {
namespace {

/// Returns one offset of each pair (delta, -delta).
std::vector<ColumnDensity> halved(const Densities& densities) {
  std::vector<ColumnDensity> columns;
  for (const ColumnDensity& column : densities.columns) {
    if (column.offset > Voxel{0, 0, 0}) columns.push_back(column);
  }
  return columns;
}

}  // namespace

NormRule check_norm_rule(const Densities& densities, std::size_t most) {
  const std::vector<ColumnDensity> columns = halved(densities);
  NormRule rule;
  std::vector<NormException> found;
  for (const ColumnDensity& longer : columns) {
    for (const ColumnDensity& shorter : columns) {
      if (longer.l1 <= shorter.l1) continue;
      ++rule.compared;
      if (longer.matches > shorter.matches) found.push_back({longer, shorter});
    }
  }
  rule.exceptions = std::ssize(found);
  // Sort equal differences by column, so that the result is the same on every platform.
  const auto order = [](const NormException& one) {
    return std::tuple(one.shorter.matches - one.longer.matches, one.longer.column, one.shorter.column);
  };
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
  std::partial_sort(found.begin(), end, found.end(),
                    [&](const auto& a, const auto& b) { return order(a) < order(b); });
  rule.strongest.assign(found.begin(), end);
  return rule;
}

}  // namespace spira

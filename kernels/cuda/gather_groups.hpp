// Which columns of a map one call of a matrix library multiplies, for gather-GEMM-scatter (as in
// TorchSparse).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spira::cuda {

/// A column of the map and where its rows stand among the gathered ones.
struct GatherColumn {
  int column = 0;
  int swapped = 0;              ///< its pairs are those of the partner, exchanged
  std::int64_t first_pair = 0;  ///< in the map's list
  std::int64_t pairs = 0;
  std::int64_t first_row = 0;  ///< gathered
};
/// Consecutive columns that are multiplied at once, each as if it had as many rows as the largest.
struct GatherGroup {
  int first = 0, count = 0;
  std::int64_t rows = 0;
};
struct GatherGroups {
  std::vector<GatherColumn> columns;  ///< most pairs first; none without pairs
  std::vector<GatherGroup> groups;
  std::int64_t rows = 0;  ///< gathered ones and those left empty so that a group's columns are equally long
};

/// How much longer than its own pairs a column may be made to join a group; `alone`: each is a group.
constexpr double alone = -1;

/// `columns`: in any order, without first_row.
[[nodiscard]] GatherGroups group_columns(std::vector<GatherColumn> columns, double slack);

}  // namespace spira::cuda

// Groups the columns of a map for gather-GEMM-scatter. One call of the matrix library multiplies all columns
// of a group (as in TorchSparse).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spira::cuda {

/// A column of the map, and the position of its rows among the gathered rows.
struct GatherColumn {
  int column = 0;
  int swapped = 0;              ///< 1 if the input and output of its pairs are exchanged.
  std::int64_t first_pair = 0;  ///< Index in the map's list.
  std::int64_t pairs = 0;
  std::int64_t first_row = 0;  ///< Index among the gathered rows.
};
/// Consecutive columns that are multiplied at once. Each column is padded to the rows of the largest one.
struct GatherGroup {
  int first = 0, count = 0;
  std::int64_t rows = 0;
};
struct GatherGroups {
  std::vector<GatherColumn> columns;  ///< Columns with pairs, in descending order of pairs.
  std::vector<GatherGroup> groups;
  /// Number of gathered rows, including padding rows, because all columns of a group have the same length.
  std::int64_t rows = 0;
};

/// Value of `slack` that puts every column into a separate group.
constexpr double alone = -1;

/// Divides the columns into groups. `columns` may be in any order, and their first_row is ignored. A column
/// joins a group if the rows of the group are at most (1 + slack) times the pairs of the column.
[[nodiscard]] GatherGroups group_columns(std::vector<GatherColumn> columns, double slack);

}  // namespace spira::cuda

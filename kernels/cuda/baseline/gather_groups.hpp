// Divides the columns of a map into groups for gather-GEMM-scatter. One cuBLAS call multiplies all columns of
// a group (as in TorchSparse).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spira::cuda {

/// A column of the map, and the position of its rows among the gathered rows of all columns.
struct GatherColumn {
  int column = 0;
  /// 1 if the inputs and outputs of the column's pairs are exchanged, otherwise 0.
  int swapped = 0;
  std::int64_t first_pair = 0;  ///< Index of the column's first pair in the map's list.
  std::int64_t pairs = 0;
  std::int64_t first_row = 0;  ///< Index of the column's first row among the gathered rows.
};
/// Consecutive columns that one cuBLAS call multiplies. Each column is padded to the number of rows of the
/// largest column.
struct GatherGroup {
  int first = 0, count = 0;
  std::int64_t rows = 0;
};
struct GatherGroups {
  std::vector<GatherColumn> columns;  ///< The columns that have pairs, in descending order of pairs.
  std::vector<GatherGroup> groups;
  /// Number of gathered rows, including padding rows.
  std::int64_t rows = 0;
};

/// The value of `slack` with which every column is in a separate group.
constexpr double alone = -1;

/// Divides the columns into groups. `columns` may be in any order; their first_row is ignored. A column is
/// added to a group if the group has at most (1 + slack) times as many rows as the column has pairs.
[[nodiscard]] GatherGroups group_columns(std::vector<GatherColumn> columns, double slack);

}  // namespace spira::cuda

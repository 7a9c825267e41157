// A kernel map as a table. A row is an output, a column is an offset, and a cell contains the input row. Rows
// are decoded when a view asks for them.
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "ui/model/workspace.hpp"

#include <QAbstractTableModel>
#include <QCache>
#include <QColor>

#include <cstdint>
#include <memory>
#include <vector>

namespace spira::ui {

/// Selects the outputs that the table shows.
enum class MapRows {
  all,
  chosen_offsets,  ///< Outputs with an input at one or more of the chosen offsets.
  selection,       ///< Outputs of the voxels that the user chose with a lasso.
  alone,           ///< Outputs with at most one input, which may be the voxel itself.
  dense            ///< Outputs with inputs at half of the offsets or more.
};
/// Returns the output rows, ascending. `MapRows::selection` is not supported, because the map does not know
/// the selection. Scans the whole map: call it on a worker thread.
[[nodiscard]] std::vector<std::int32_t> rows_of_map(const KernelMap& map, MapRows rows,
                                                    const std::vector<int>& columns);

class MapTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { row_number, voxel, matches, first_offset };

  explicit MapTableModel(QObject* parent = nullptr);
  /// `outputs`: coordinates of the outputs of the map. If `map` is null, the table has no rows.
  void setMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const CoordSet> outputs);
  /// Tints offsets with an L1 norm below `threshold` with `dense`, and the others with `sparse`. -1 disables
  /// the tint.
  void setThreshold(int threshold, const QColor& dense, const QColor& sparse);
  void setRows(std::shared_ptr<const std::vector<std::int32_t>> rows);  ///< Null shows all rows.
  void setChosen(const std::vector<int>& columns);
  /// Highlights the columns that are under the pointer in any view.
  void setHovered(const std::vector<int>& columns);
  [[nodiscard]] const std::vector<int>& hovered() const noexcept { return hovered_; }
  [[nodiscard]] const std::shared_ptr<const KernelMap>& map() const noexcept { return map_; }

  [[nodiscard]] std::int32_t outputOf(int row) const;
  [[nodiscard]] int rowOf(std::int32_t output) const;  ///< Returns -1 if the output is not shown.
  [[nodiscard]] Voxel voxelOf(int row) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] const std::vector<std::int32_t>& inputsOf(int row) const;
  [[nodiscard]] QVariant cell(int row, int column, int role) const;

  std::shared_ptr<const KernelMap> map_;
  std::shared_ptr<const CoordSet> outputs_;
  std::shared_ptr<const std::vector<std::int32_t>> rows_;
  void columnsLookDifferent();

  std::vector<int> chosen_, hovered_;
  int threshold_ = -1;
  QColor dense_, sparse_;
  mutable QCache<std::int32_t, std::vector<std::int32_t>> decoded_;
};

}  // namespace spira::ui

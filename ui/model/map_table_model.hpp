// A kernel map as a table: a row an output, a column an offset, cells the input rows. Rows are decoded as
// they come into view.
#pragma once

#include "ui/model/workspace.hpp"

#include <QAbstractTableModel>
#include <QCache>
#include <QColor>

#include <cstdint>
#include <memory>
#include <vector>

namespace spira::ui {

/// Which outputs stand in the table.
enum class MapRows {
  all,
  chosen_offsets,  ///< with an input at one of the chosen offsets at least
  selection,       ///< of voxels that were drawn around
  alone,           ///< with no input but themselves, or one at the most
  dense            ///< with inputs at half of the offsets or more
};
/// Output rows, ascending, but those of a selection, which the map does not know. A pass over the map: for a
/// worker.
[[nodiscard]] std::vector<std::int32_t> rows_of_map(const KernelMap& map, MapRows rows,
                                                    const std::vector<int>& columns);

class MapTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { row_number, voxel, matches, first_offset };

  explicit MapTableModel(QObject* parent = nullptr);
  /// `outputs`: coordinates of the map's outputs. Null map: no rows.
  void setMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const CoordSet> outputs);
  /// Offsets with an L1 norm below it are tinted with the first colour, the others with the second; -1: none.
  void setThreshold(int threshold, const QColor& dense, const QColor& sparse);
  void setRows(std::shared_ptr<const std::vector<std::int32_t>> rows);  ///< null: all
  void setChosen(const std::vector<int>& columns);
  /// Columns under the pointer in some view.
  void setHovered(const std::vector<int>& columns);
  [[nodiscard]] const std::vector<int>& hovered() const noexcept { return hovered_; }
  [[nodiscard]] const std::shared_ptr<const KernelMap>& map() const noexcept { return map_; }

  [[nodiscard]] std::int32_t outputOf(int row) const;
  [[nodiscard]] int rowOf(std::int32_t output) const;  ///< -1: it is not shown
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

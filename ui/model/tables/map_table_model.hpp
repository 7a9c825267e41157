// A kernel map as a Qt table model. A row is an output, a column is an offset, and a cell contains the input
// row. The model decodes a row only when a view requests it.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"

#include <QAbstractTableModel>
#include <QCache>
#include <QColor>

#include <cstdint>
#include <memory>
#include <vector>

namespace spira::ui {

/// The outputs that the table shows.
enum class MapRows {
  all,
  chosen_offsets,  ///< Outputs that have an input at one or more of the selected offsets.
  selection,       ///< Outputs that the user selected with a lasso or rectangle.
  alone,           ///< Outputs with at most one input, which may be the output voxel itself.
  dense            ///< Outputs with inputs at half or more of the offsets.
};
/// Returns the output rows that match `rows`, in ascending order. `MapRows::selection` is not supported,
/// because the map does not know the selection. Must be called in a background task, because it scans the
/// whole map.
[[nodiscard]] std::vector<std::int32_t> rows_of_map(const KernelMap& map, MapRows rows,
                                                    const std::vector<int>& columns);

class MapTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { row_number, voxel, matches, first_offset };

  explicit MapTableModel(QObject* parent = nullptr);
  /// Sets the map. `outputs` contains the coordinates of its outputs. If `map` is null, the table has no
  /// rows.
  void setMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const CoordSet> outputs);
  /// Tints the columns by dataflow: offsets with an L1 norm below `threshold` get the colour `dense`, all
  /// others `sparse`. -1 removes the tint.
  void setThreshold(int threshold, const QColor& dense, const QColor& sparse);
  /// Shows only the given rows. `nullptr` shows all rows.
  void setRows(std::shared_ptr<const std::vector<std::int32_t>> rows);
  void setChosen(const std::vector<int>& columns);
  /// Highlights the columns of offsets that are under the pointer in any view.
  void setHovered(const std::vector<int>& columns);
  [[nodiscard]] const std::vector<int>& hovered() const noexcept { return hovered_; }
  [[nodiscard]] const std::shared_ptr<const KernelMap>& map() const noexcept { return map_; }

  [[nodiscard]] std::int32_t outputOf(int row) const;
  [[nodiscard]] int rowOf(std::int32_t output)
      const;  ///< Returns the table row of this output, or -1 if the table does not show it.
  [[nodiscard]] Voxel voxelOf(int row) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// The inputs of an output in one column.
  struct ColumnInputs {
    std::int32_t lowest = -1;  // -1 means no input.
    int count = 0;             // Above 1 only in native maps.
  };
  [[nodiscard]] const std::vector<ColumnInputs>& inputsOf(int row) const;
  [[nodiscard]] QVariant cell(int row, int column, int role) const;

  std::shared_ptr<const KernelMap> map_;
  std::shared_ptr<const CoordSet> outputs_;
  std::shared_ptr<const std::vector<std::int32_t>> rows_;
  void columnsLookDifferent();

  std::vector<int> chosen_, hovered_;
  int threshold_ = -1;
  QColor dense_, sparse_;
  mutable QCache<std::int32_t, std::vector<ColumnInputs>> decoded_;
};

}  // namespace spira::ui

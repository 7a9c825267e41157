// Qt table model of the sums over an area of a timeline. The columns are layer, phase, spans, total and
// share.
#pragma once

#include "ui/model/tables/timeline_area.hpp"

#include <QAbstractTableModel>

namespace spira::ui {

/// Returns the display name of a stage group, such as "map: search" or "output-stationary".
[[nodiscard]] QString stageGroupText(StageGroup group);
/// Returns a short name such as "search" or "output-st.".
[[nodiscard]] QString shortStageGroupText(StageGroup group);

class TimelineAreaModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { layer, phase, spans, total, share, columns };
  using QAbstractTableModel::QAbstractTableModel;

  void setRows(std::vector<AreaRow> rows);
  [[nodiscard]] double totalMs() const;
  [[nodiscard]] int spanCount() const;
  [[nodiscard]] const AreaRow& row(int row) const { return rows_.at(static_cast<std::size_t>(row)); }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  [[nodiscard]] QString text(const AreaRow& row, int column) const;

  std::vector<AreaRow> rows_;
};

}  // namespace spira::ui

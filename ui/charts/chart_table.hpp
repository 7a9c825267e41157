// The numbers of a chart as a table: sorting by column, keyboard navigation, copying.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QTableView>
#include <QVariant>

#include <vector>

namespace spira::ui {

struct ChartTable {
  QStringList header;
  std::vector<QVariantList> rows;  ///< Each row contains one text or number per column.
};

class ChartTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// Replaces the contents and keeps the current sort order.
  void setTable(ChartTable table);
  [[nodiscard]] int chartRow(int row) const { return order_.at(static_cast<std::size_t>(row)); }
  /// Returns the header and the given rows as tab-separated text. Numbers keep all their digits.
  [[nodiscard]] QString text(const std::vector<int>& rows) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  void arrange();

  ChartTable table_;
  std::vector<int> order_;
  int by_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
};

class ChartTableView : public QTableView {
  Q_OBJECT
 public:
  explicit ChartTableView(QWidget* parent);
  void setTable(ChartTable table);
  /// Returns the index into ChartTable::rows of the row at the keyboard cursor, or -1 if there is none.
  [[nodiscard]] int currentRow() const;
  /// Returns the selected rows as text. If fewer than two rows are selected, returns all rows.
  [[nodiscard]] QString copyText() const;

 signals:
  void rowActivated(int row);  ///< `row` is an index into ChartTable::rows. Sorting does not change it.

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  ChartTableModel* model_;
};

}  // namespace spira::ui

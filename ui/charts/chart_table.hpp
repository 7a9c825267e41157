// The numbers of a chart as a table over it: sorted by a click on a column, walked by the keyboard, copied.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QTableView>
#include <QVariant>

#include <vector>

namespace spira::ui {

struct ChartTable {
  QStringList header;
  std::vector<QVariantList> rows;  ///< texts and numbers, one for each column
};

class ChartTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// The order that was chosen stays.
  void setTable(ChartTable table);
  [[nodiscard]] int chartRow(int row) const { return order_.at(static_cast<std::size_t>(row)); }
  /// Rows and header with tabs between, numbers with all their digits.
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
  [[nodiscard]] int currentRow() const;  ///< of the chart; -1: none
  /// The selected rows, else all.
  [[nodiscard]] QString copyText() const;

 signals:
  void rowActivated(int row);  ///< of the chart

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  ChartTableModel* model_;
};

}  // namespace spira::ui

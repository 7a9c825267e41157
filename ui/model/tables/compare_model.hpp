// Qt models of the comparison table: the sortable table itself, and a filter by verdict and by words.
#pragma once

#include "engine/report/compare/compare.hpp"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <map>
#include <memory>
#include <optional>

namespace spira::ui {

class CompareModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { layer, stage, verdict, change, interval, baseline, current, n, why, column_count };
  /// For this role, data() returns the value to sort by. It is a number if the column displays numbers.
  static constexpr int sort_role = Qt::UserRole;

  /// For this role, data() returns the layer name. Empty for rows that belong to no layer.
  static constexpr int layer_role = Qt::UserRole + 1;

  using QAbstractTableModel::QAbstractTableModel;
  void setComparison(std::shared_ptr<const Comparison> comparison);
  /// Returns true if at least one row cannot be compared and has a reason.
  [[nodiscard]] bool hasReasons() const;
  [[nodiscard]] const ComparedRow& row(int at) const {
    return comparison_->rows.at(static_cast<std::size_t>(at));
  }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const Comparison> comparison_;
  // Key: full layer name. The table shows the short names, and the full names in tooltips.
  std::map<QString, QString> short_names_;
};

/// Returns the text of the layer column: a layer name such as "conv1", or "whole network" or "indexing".
[[nodiscard]] QString layerText(const ComparedRow& row);
/// Returns the stage without the layer name, for example "map.search" for "map[conv1].search". If the row
/// does not belong to a stage, returns the name of its pass: "wall" or "one graph".
[[nodiscard]] QString stageText(const ComparedRow& row);

enum class CompareFilter { all, changed, slower, faster, undecided };

class CompareProxy : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit CompareProxy(QObject* parent);
  /// Shows only rows that match `filter` and whose layer or stage contains every word of `words`.
  void setFilter(CompareFilter filter, const QString& words);

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  CompareFilter filter_ = CompareFilter::all;
  QStringList words_;
};

}  // namespace spira::ui

// Qt models of a comparison: a table that sorts by number, and a filter by verdict and words.
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
  static constexpr int sort_role = Qt::UserRole;  ///< A number for columns that show numbers.

  /// Name of the layer. Empty for rows that belong to no layer.
  static constexpr int layer_role = Qt::UserRole + 1;

  using QAbstractTableModel::QAbstractTableModel;
  void setComparison(std::shared_ptr<const Comparison> comparison);
  void setBrief(bool brief);              ///< Shows short layer names; tooltips keep the full names.
  [[nodiscard]] bool hasReasons() const;  ///< Returns true if a row has a reason why it cannot be compared.
  [[nodiscard]] const ComparedRow& row(int at) const {
    return comparison_->rows.at(static_cast<std::size_t>(at));
  }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const Comparison> comparison_;
  std::map<QString, QString> short_names_;  // By full layer name.
  bool brief_ = false;
};

/// Returns the layer column of a row: "conv1", "whole network" or "indexing".
[[nodiscard]] QString layerText(const ComparedRow& row);
/// Returns the stage without the name of the layer, which has its own column: "map.search" for
/// "map[conv1].search". Rows of other passes return the name of the pass: "wall" or "one graph".
[[nodiscard]] QString stageText(const ComparedRow& row);

enum class CompareFilter { all, changed, slower, faster, undecided };

class CompareProxy : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit CompareProxy(QObject* parent);
  /// Shows rows whose layer or stage contains every word.
  void setFilter(CompareFilter filter, const QString& words);

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  CompareFilter filter_ = CompareFilter::all;
  QStringList words_;
};

}  // namespace spira::ui

// The rows of a comparison as a table that sorts by numbers, and a filter by verdict and words.
#pragma once

#include "engine/report/compare.hpp"

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
  static constexpr int sort_role = Qt::UserRole;  ///< a number where the column is one

  static constexpr int layer_role = Qt::UserRole + 1;  ///< name of the layer; empty: of none

  using QAbstractTableModel::QAbstractTableModel;
  void setComparison(std::shared_ptr<const Comparison> comparison);
  void setBrief(bool brief);              ///< short names of layers; tips have the whole ones
  [[nodiscard]] bool hasReasons() const;  ///< of rows that cannot be compared
  [[nodiscard]] const ComparedRow& row(int at) const {
    return comparison_->rows.at(static_cast<std::size_t>(at));
  }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const Comparison> comparison_;
  std::map<QString, QString> short_names_;  // of layers
  bool brief_ = false;
};

// What a row is of, for people.
[[nodiscard]] QString layerText(const ComparedRow& row);  ///< "conv1", "whole network", "indexing"
/// "map.search" of "map[conv1].search", since the layer stands beside it; "wall" and "one graph".
[[nodiscard]] QString stageText(const ComparedRow& row);

/// Which verdicts are shown.
enum class CompareFilter { all, changed, slower, faster, undecided };

class CompareProxy : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit CompareProxy(QObject* parent);
  void setFilter(CompareFilter filter, const QString& words);  ///< every word stands in layer or stage

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  CompareFilter filter_ = CompareFilter::all;
  QStringList words_;
};

}  // namespace spira::ui

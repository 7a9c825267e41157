// The layers of the network as a table: shape, voxels, time, peak memory, threshold; and how it is sorted.
#pragma once

#include "ui/model/workspace.hpp"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QTimer>

#include <optional>

namespace spira::ui {

/// "stage1.block2.conv1" as "s1.b2.c1", for places that are narrow; a tool tip has the whole name. Each is as
/// long as tells it from the others: "down" and "deep" as "do" and "de".
[[nodiscard]] QStringList shortLayerNames(const QStringList& names);
[[nodiscard]] QStringList shortLayerNames(const Network& network);  ///< one a layer

class LayerTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name, stride, kernel, channels, voxels, time, peak, threshold, column_count };
  static constexpr int share_role =
      Qt::UserRole;  ///< time of the layer over the slowest layer's, 0..1; none where it is lost
  static constexpr int thresholds_role =
      Qt::UserRole + 1;  ///< QVariantList of the settings of t that can be chosen

  static constexpr int layer_role = Qt::UserRole + 2;  ///< index in the network, however rows are sorted
  static constexpr int sort_role = Qt::UserRole + 3;   ///< a number where the column is one
  static constexpr int short_name_role = Qt::UserRole + 4;

  explicit LayerTableModel(Workspace* workspace, QObject* parent = nullptr);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 private:
  [[nodiscard]] const LayerMeasurement* measured(int row) const;  ///< null: not measured
  [[nodiscard]] bool lost(int row) const;                         ///< the open report is cut off before it
  [[nodiscard]] std::optional<int> formerThreshold(
      int row) const;  ///< of a time that is not of the t of the plan
  void markChanged(int row);
  void announceChanged();
  [[nodiscard]] double timeOf(int row) const;    ///< ms; negative: not known
  [[nodiscard]] double voxelsOf(int row) const;  ///< negative: not known
  [[nodiscard]] QVariant sortKey(int row, int column) const;
  [[nodiscard]] QString voxelsText(int row) const;
  [[nodiscard]] QString peakText(int row) const;  ///< MB; "\u2013": not taken
  [[nodiscard]] QString peakTip(int row) const;
  [[nodiscard]] QString text(int row, int column) const;
  [[nodiscard]] QString nameTip(int row) const;  ///< all that a narrow list has no column for
  [[nodiscard]] QString tip(int row, int column) const;

  Workspace* workspace_;
  Levels levels_;
  QStringList short_names_;
  QTimer soon_;
  int first_changed_ = 0, last_changed_ = -1;
  mutable std::optional<double> slowest_ms_;  ///< Is computed when a view asks for a share.
  bool void_times_ = false;                   // not to be trusted: in grey
};

/// Sorts by a column, or stands in the order of the network (column -1); layers that a column knows nothing
/// of stay at the end.
class LayerOrder : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  LayerOrder(LayerTableModel* layers, QObject* parent);
  [[nodiscard]] QModelIndex indexOf(int layer) const;
  /// The first time by this column, largest first but for names; then the other way round, then back to the
  /// network.
  void next(int column);
  /// With an arrow at the column in use: a style's own one takes room in all columns.
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 protected:
  [[nodiscard]] bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;
};

}  // namespace spira::ui

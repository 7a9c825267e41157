// The layers of the network as a table: shape, voxels, time, peak memory, threshold.
#pragma once

#include "ui/model/workspace.hpp"

#include <QAbstractTableModel>

namespace spira::ui {

/// "stage1.block2.conv1" as "s1.b2.c1", for places that are narrow; a tool tip has the whole name.
[[nodiscard]] QString shortLayerName(const QString& name);

class LayerTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name, stride, kernel, channels, voxels, time, peak, threshold, column_count };
  static constexpr int share_role =
      Qt::UserRole;  ///< time of the layer over the slowest layer's, 0..1; none where it is lost
  static constexpr int thresholds_role =
      Qt::UserRole + 1;  ///< QVariantList of the settings of t that can be chosen

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
  [[nodiscard]] double timeOf(int row) const;                     ///< ms; negative: not known
  [[nodiscard]] QString voxelsText(int row) const;
  [[nodiscard]] QString peakText(int row) const;  ///< MB; "\u2013": not taken
  [[nodiscard]] QString peakTip(int row) const;
  [[nodiscard]] QString text(int row, int column) const;
  [[nodiscard]] QString tip(int row, int column) const;

  Workspace* workspace_;
  Levels levels_;
};

}  // namespace spira::ui

// The table of the network's layers (shape, pairs, voxels, dataflow, time, memory, work and efficiency) and
// its sort order.
#pragma once

#include "engine/backend/dataflow.hpp"
#include "engine/run/layer_work.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/workspace.hpp"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QTimer>

#include <optional>
#include <vector>

namespace spira::ui {

/// Shortens names such as "stage1.block2.conv1" to "s1.b2.c1". All lists and legends show the short names,
/// and tooltips show the full names. Each part keeps as many letters as are needed to make the names unique:
/// "down" and "deep" become "do" and "de". If no name is longer than 8 letters, the names do not change.
[[nodiscard]] QStringList shortLayerNames(const QStringList& names);
[[nodiscard]] QStringList shortLayerNames(const Network& network);

/// Returns the short and the full name, such as "s.c1 (stem.conv1)", or one name if they are equal.
[[nodiscard]] QString bothNames(const QString& short_name, const std::string& name);
/// Returns "stride 2" if the inputs and outputs of a layer have the same stride, otherwise "stride 1 to 2".
[[nodiscard]] QString strideText(const std::string& in, const std::string& out);

/// Returns the operation of a layer that is not a convolution, such as "group sum".
[[nodiscard]] QString operationText(const Layer& layer);
/// Returns a phrase that describes a layer without a kernel map, such as "Operation add: computes each voxel
/// from the same voxel of its inputs". `on_points` is true if the rows of the layer are points.
[[nodiscard]] QString rowOperationText(const Layer& layer, bool on_points);
/// Returns the text for the name of a dataflow (engine/backend/dataflow.hpp), such as "OS", "hybrid t=2" or
/// "mask-sorted, 2 splits".
[[nodiscard]] QString dataflowText(const std::string& name);
/// Returns a text of a few letters for the name of a dataflow, such as "t = 2" or "sorted 2".
[[nodiscard]] QString shortDataflowText(const std::string& name);
/// Returns the text for the dataflow of a layer. Returns an empty string if the layer is not a convolution.
[[nodiscard]] QString dataflowText(const Layer& layer, const LayerPlan& plan);
/// Returns a sentence that explains how a layer with this plan is computed.
[[nodiscard]] QString dataflowTip(const Layer& layer, const LayerPlan& plan);

/// Returns the threshold as text, for example "t = 2", or "t = max (4)" for the largest t of this kernel
/// size.
[[nodiscard]] QString thresholdText(const KernelShape& kernel, int threshold);

/// Returns thresholdText() if the threshold describes the dataflow of the layer, otherwise dataflowText().
[[nodiscard]] QString settingText(const Layer& layer, const LayerPlan& plan);

/// Returns the name of a network as in the list of networks, such as "SparseResNet-21". Other networks have
/// the title of their file.
[[nodiscard]] QString networkText(const std::string& name, const std::string& title);
[[nodiscard]] QString networkText(const Network& network);

class LayerTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    name,
    stride,
    kernel,
    channels,
    pairs,
    voxels,
    time,
    peak,
    dataflow,
    flops,
    bytes,
    intensity,
    flop_rate,
    byte_rate,
    over_floor,
    column_count
  };
  /// Returns the full title of a column, for menus.
  [[nodiscard]] static QString titleOf(int column);
  /// For this role, data() returns the time of the layer divided by the time of the slowest layer, from 0 to
  /// 1. The result is invalid if the report is truncated before the end of the layer.
  static constexpr int share_role = Qt::UserRole;
  /// For this role, data() returns dataflow_choices() of the layer.
  static constexpr int dataflows_role = Qt::UserRole + 1;

  /// For this role, data() returns the index of the layer in the network, which does not depend on the sort
  /// order.
  static constexpr int layer_role = Qt::UserRole + 2;
  /// For this role, data() returns the value to sort by. It is a number if the column displays numbers.
  static constexpr int sort_role = Qt::UserRole + 3;
  static constexpr int short_name_role = Qt::UserRole + 4;
  /// For this role, data() and headerData() return the text of Qt::DisplayRole in a form for narrow lists:
  /// counts with fewer digits ("6.5k") and short headings. Invalid if there is no shorter form.
  static constexpr int compact_role = Qt::UserRole + 5;
  /// For this role, data() returns the mark of the kernel map of a layer, such as "A". Layers that share a
  /// map have the same mark. Invalid if no other layer uses the map.
  static constexpr int map_role = Qt::UserRole + 6;

  explicit LayerTableModel(Workspace* workspace, QObject* parent = nullptr);

  /// Sets the times that the list shows until a layer is run. An empty value removes them.
  void setTuned(std::optional<TunedTimes> times);
  /// Returns the times of setTuned(). Returns an empty value if a layer was run or a report is open.
  [[nodiscard]] const std::optional<TunedTimes>& tuned() const;
  /// Returns true if at least one row can have a value in this column.
  [[nodiscard]] bool hasValues(int column) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  /// Returns true if the rows of the output of a layer are points, not voxels.
  [[nodiscard]] bool onPoints(int row) const;

 private:
  /// Returns `nullptr` if the layer was not measured.
  [[nodiscard]] const LayerMeasurement* measured(int row) const;
  /// Returns true if the open report is truncated before the end of this layer.
  [[nodiscard]] bool lost(int row) const;
  /// Returns the settings of the last run of the layer, if the plan now has a different dataflow. Otherwise
  /// returns an empty value.
  [[nodiscard]] std::optional<LayerPlan> formerPlan(int row) const;
  /// Returns `nullptr` if the list shows no time of the profile for this layer.
  [[nodiscard]] const TunedTimes::Layer* tunedLayer(int row) const;
  void markChanged(int row);
  void announceChanged();
  /// Returns the time of the layer in ms, or a negative value if the time is unknown.
  [[nodiscard]] double timeOf(int row) const;
  /// Returns the number of output voxels, or a negative value if it is unknown.
  [[nodiscard]] double voxelsOf(int row) const;
  /// Returns the number of pairs, or a negative value if it is unknown.
  [[nodiscard]] double pairsOf(int row) const;
  /// Returns the work of the layer without its kernel map. Returns `nullptr` if the layer was not measured.
  [[nodiscard]] const StageWork* workOf(int row) const;
  /// Returns the value of a column about work or efficiency, in the unit of the column.
  /// Returns an empty value if the rates of the device were not measured.
  [[nodiscard]] std::optional<DeviceRates> ratesOfRun() const;
  [[nodiscard]] std::optional<double> efficiency(int row, int column) const;
  [[nodiscard]] QString efficiencyTip(int row, int column) const;
  [[nodiscard]] QString timeText(int row) const;
  [[nodiscard]] QString timeTip(int row) const;
  [[nodiscard]] QString dataflowTipOf(int row) const;
  [[nodiscard]] QString settingAndSource(int row) const;
  void forgetTimes();
  [[nodiscard]] QVariant sortKey(int row, int column) const;
  /// Returns the text of a cell in the form for narrow lists, or an invalid value.
  [[nodiscard]] QVariant compactText(int row, int column) const;
  /// Returns the peak memory in MB, or a dash if it was not recorded.
  [[nodiscard]] QString peakText(int row) const;
  [[nodiscard]] QString peakTip(int row) const;
  [[nodiscard]] QString text(int row, int column) const;
  /// Returns a text with the kernel size, and with the width of the voxels in cells.
  [[nodiscard]] QString kernelTip(int row) const;
  /// Returns the tooltip of the layer name. It also contains the values of columns that a narrow list hides.
  [[nodiscard]] QString nameTip(int row) const;
  [[nodiscard]] QString tip(int row, int column) const;
  /// Returns the layers that use the kernel map of a layer, in network order. Returns an empty list if no
  /// other layer uses it.
  [[nodiscard]] std::vector<int> layersOfMap(int row) const;
  [[nodiscard]] QString mapTip(int row) const;
  void markMaps();

  Workspace* workspace_;
  std::optional<TunedTimes> tuned_;
  Levels levels_;
  QStringList short_names_, map_marks_;
  QTimer soon_;
  int first_changed_ = 0, last_changed_ = -1;
  mutable std::optional<double> slowest_ms_;  ///< Computed when a view reads `share_role` for the first time.
  /// One entry per layer. An entry is empty until its work is computed.
  mutable std::vector<std::optional<StageWork>> works_;
  bool void_times_ = false;  // True if the trust grade is X. The times are then drawn in grey.
};

/// Sorts the layers by a column, or in network order if the column is -1. Layers without a value in that
/// column come last.
class LayerOrder : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  LayerOrder(LayerTableModel* layers, QObject* parent);
  [[nodiscard]] QModelIndex indexOf(int layer) const;
  /// Changes the sort order after a click on a header. The first click sorts by `column`: names in ascending
  /// order, all other columns in descending order. The second click reverses the order, and the third click
  /// restores the network order.
  void next(int column);
  /// Appends an arrow to the heading of the sorted column. The sort arrow of the Qt style is not used,
  /// because it would need space in every column.
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// If `compact` is true, data() and headerData() return the compact form of all texts.
  void setCompact(bool compact);
  [[nodiscard]] bool compact() const noexcept { return compact_; }
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

 protected:
  [[nodiscard]] bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

 private:
  bool compact_ = false;
};

}  // namespace spira::ui

Q_DECLARE_METATYPE(std::vector<spira::DataflowChoice>)

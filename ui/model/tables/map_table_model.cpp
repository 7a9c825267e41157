#include "ui/model/tables/map_table_model.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "ui/model/neighbours.hpp"

#include <QApplication>
#include <QFont>
#include <QPalette>

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

constexpr int rows_kept = 512;

/// Returns the translucent tint of the column under the pointer. The text stays readable in every theme.
QColor under_pointer() {
  constexpr float share = 0.25F;
  QColor colour = QApplication::palette().color(QPalette::Highlight);
  colour.setAlphaF(share);
  return colour;
}

QString triple(const Voxel& of) {
  return QString("%1, %2, %3").arg(of[0]).arg(of[1]).arg(of[2]);
}

}  // namespace

std::vector<std::int32_t> rows_of_map(const KernelMap& map, MapRows rows, const std::vector<int>& columns) {
  std::vector<std::int32_t> result;
  const auto outputs = static_cast<std::size_t>(map.outputs);
  if (rows == MapRows::chosen_offsets) {
    std::vector<bool> hit(outputs, false);
    for (const int column : columns) {
      const auto inputs = column_of(map, column);
      for (std::size_t at = 0; at < outputs; ++at)
        hit[at] = hit[at] || inputs[at] >= 0;
    }
    for (std::size_t at = 0; at < outputs; ++at) {
      if (hit[at]) result.push_back(static_cast<std::int32_t>(at));
    }
    return result;
  }
  const auto matches = rows == MapRows::dense ? groups_per_output(map) : matches_per_output(map);
  const int half = (map.offsets->columns() + 1) / 2;
  for (std::size_t at = 0; at < outputs; ++at) {
    if (rows == MapRows::all || (rows == MapRows::alone ? matches[at] <= 1 : matches[at] >= half))
      result.push_back(static_cast<std::int32_t>(at));
  }
  return result;
}

MapTableModel::MapTableModel(QObject* parent) : QAbstractTableModel(parent), decoded_(rows_kept) {}

void MapTableModel::setMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const CoordSet> outputs) {
  beginResetModel();
  map_ = std::move(map);
  outputs_ = std::move(outputs);
  rows_.reset();
  decoded_.clear();
  endResetModel();
}

void MapTableModel::setThreshold(int threshold, const QColor& dense, const QColor& sparse) {
  if (threshold == threshold_ && dense == dense_ && sparse == sparse_) return;
  threshold_ = threshold;
  dense_ = dense;
  sparse_ = sparse;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void MapTableModel::setRows(std::shared_ptr<const std::vector<std::int32_t>> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

void MapTableModel::setChosen(const std::vector<int>& columns) {
  chosen_ = columns;
  columnsLookDifferent();
}

void MapTableModel::setHovered(const std::vector<int>& columns) {
  if (columns == hovered_) return;
  hovered_ = columns;
  columnsLookDifferent();
}

void MapTableModel::columnsLookDifferent() {
  if (columnCount() == 0) return;
  emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

std::int32_t MapTableModel::outputOf(int row) const {
  return rows_ ? rows_->at(static_cast<std::size_t>(row)) : row;
}

int MapTableModel::rowOf(std::int32_t output) const {
  if (!map_ || output < 0 || output >= map_->outputs) return -1;
  if (!rows_) return output;
  const auto found = std::lower_bound(rows_->begin(), rows_->end(), output);
  return found == rows_->end() || *found != output ? -1 : static_cast<int>(found - rows_->begin());
}

Voxel MapTableModel::voxelOf(int row) const {
  return voxel_at(*outputs_, outputOf(row));
}

int MapTableModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !map_) return 0;
  return rows_ ? static_cast<int>(rows_->size()) : static_cast<int>(map_->outputs);
}

int MapTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !map_ ? 0 : first_offset + map_->offsets->columns();
}

const std::vector<MapTableModel::ColumnInputs>& MapTableModel::inputsOf(int row) const {
  const std::int32_t output = outputOf(row);
  if (const auto* known = decoded_.object(output)) return *known;
  auto* made = new std::vector<ColumnInputs>();
  for (const std::int32_t lowest : row_of(*map_, output)) {
    const auto column = static_cast<int>(made->size());
    int count = lowest >= 0 ? 1 : 0;
    if (count > 0 && map_->many()) count = static_cast<int>(inputs_of(*map_, output, column).size());
    made->push_back({lowest, count});
  }
  decoded_.insert(output, made);
  return *made;
}

QVariant MapTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !map_) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (index.column() >= first_offset) return cell(index.row(), index.column() - first_offset, role);
  if (role != Qt::DisplayRole) return {};
  if (index.column() == row_number) return outputOf(index.row());
  if (index.column() == voxel) return triple(voxelOf(index.row()));
  const auto& inputs = inputsOf(index.row());
  return std::accumulate(inputs.begin(), inputs.end(), 0,
                         [](int sum, const ColumnInputs& column) { return sum + column.count; });
}

/// Returns the data of one cell: the input row of the output `row` at the offset `column`. If there are
/// several inputs, these are the lowest one and the number of the others.
QVariant MapTableModel::cell(int row, int column, int role) const {
  if (role == Qt::BackgroundRole && std::find(hovered_.begin(), hovered_.end(), column) != hovered_.end())
    return under_pointer();
  if (role == Qt::BackgroundRole && threshold_ >= 0)
    return map_->offsets->l1(column) < threshold_ ? dense_ : sparse_;
  if (role != Qt::DisplayRole && role != Qt::ForegroundRole && role != Qt::FontRole) return {};
  const auto [input, count] = inputsOf(row)[static_cast<std::size_t>(column)];
  if (role == Qt::DisplayRole && count > 1) return QString("%1 +%2").arg(input).arg(count - 1);
  if (role == Qt::DisplayRole) return input < 0 ? QString("\u22121") : QString::number(input);
  if (role == Qt::FontRole) {
    QFont font = QApplication::font();
    font.setBold(input >= 0 && std::find(chosen_.begin(), chosen_.end(), column) != chosen_.end());
    return font;
  }
  return input < 0 ? QVariant(QApplication::palette().color(QPalette::PlaceholderText)) : QVariant();
}

QVariant MapTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || !map_) return {};
  if (section < first_offset) {
    if (role == Qt::DisplayRole)
      return section == row_number ? tr("output")
             : section == voxel    ? tr("voxel")
             : map_->many()        ? tr("triplets")
                                   : tr("pairs");
    return {};
  }
  const int column = section - first_offset;
  const int l1 = map_->offsets->l1(column);
  const bool chosen = std::find(chosen_.begin(), chosen_.end(), column) != chosen_.end();
  const bool hovered = std::find(hovered_.begin(), hovered_.end(), column) != hovered_.end();
  if (role == Qt::DisplayRole)
    return (chosen    ? QString("\u25cf ")
            : hovered ? QString("\u25cb ")
                      : QString()) +
           triple(map_->offsets->offset(column));
  if (role == Qt::ToolTipRole) {
    const QString flow = threshold_ < 0    ? QString()
                         : l1 < threshold_ ? tr(", output-stationary")
                                           : tr(", weight-stationary");
    return tr("offset (%1), L1 norm %2%3; click to select")
        .arg(triple(map_->offsets->offset(column)))
        .arg(l1)
        .arg(flow);
  }
  return {};
}

}  // namespace spira::ui

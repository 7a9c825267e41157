#include "ui/model/tables/timeline_area_model.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

namespace spira::ui {

QString stageGroupText(StageGroup group) {
  switch (group) {
    case StageGroup::voxelize:
      return QCoreApplication::translate("StageGroup", "voxelize");
    case StageGroup::downsample:
      return QCoreApplication::translate("StageGroup", "down-sample");
    case StageGroup::search:
      return QCoreApplication::translate("StageGroup", "map: search");
    case StageGroup::transpose:
      return QCoreApplication::translate("StageGroup", "map: transpose");
    case StageGroup::filter:
      return QCoreApplication::translate("StageGroup", "map: filter");
    case StageGroup::output_stationary:
      return QCoreApplication::translate("StageGroup", "output-stationary");
    case StageGroup::weight_stationary:
      return QCoreApplication::translate("StageGroup", "weight-stationary");
    case StageGroup::epilogue:
      return QCoreApplication::translate("StageGroup", "epilogue");
    case StageGroup::residual:
      return QCoreApplication::translate("StageGroup", "residual");
    case StageGroup::other:
      break;
  }
  return QCoreApplication::translate("StageGroup", "other");
}

QString shortStageGroupText(StageGroup group) {
  switch (group) {
    case StageGroup::downsample:
      return QCoreApplication::translate("StageGroup", "down");
    case StageGroup::search:
      return QCoreApplication::translate("StageGroup", "search");
    case StageGroup::transpose:
      return QCoreApplication::translate("StageGroup", "transpose");
    case StageGroup::filter:
      return QCoreApplication::translate("StageGroup", "filter");
    case StageGroup::output_stationary:
      return QCoreApplication::translate("StageGroup", "output-st.");
    case StageGroup::weight_stationary:
      return QCoreApplication::translate("StageGroup", "weight-st.");
    default:
      return stageGroupText(group);
  }
}

void TimelineAreaModel::setRows(std::vector<AreaRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

double TimelineAreaModel::totalMs() const {
  double sum = 0;
  for (const AreaRow& row : rows_)
    sum += row.total_ms;
  return sum;
}

int TimelineAreaModel::spanCount() const {
  int sum = 0;
  for (const AreaRow& row : rows_)
    sum += static_cast<int>(row.spans.size());
  return sum;
}

int TimelineAreaModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TimelineAreaModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QString TimelineAreaModel::text(const AreaRow& row, int column) const {
  switch (column) {
    case layer:
      return row.layer.empty() ? tr("(no layer)") : QString::fromStdString(row.layer);
    case phase:
      return stageGroupText(row.group);
    case spans:
      return QString::number(row.spans.size());
    case total:
      return onScreen(fixed(row.total_ms, 3));
    default:
      return onScreen(percent_text(row.total_ms / totalMs()));
  }
}

QVariant TimelineAreaModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return text(row(index.row()), index.column());
  if (role == Qt::TextAlignmentRole)
    return QVariant((index.column() >= spans ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

QVariant TimelineAreaModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section >= spans ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const QStringList titles{tr("Layer"), tr("Phase"), tr("Spans"), tr("Total, ms"), tr("Share")};
  return titles.value(section);
}

}  // namespace spira::ui

#include "ui/features/compare/compare_columns.hpp"

#include "ui/model/tables/compare_model.hpp"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

/// A set of columns that the table can show at a certain width.
struct Share {
  bool why, whole_names, intervals;
  [[nodiscard]] bool shows(int column) const {
    return (column != CompareModel::why || why) && (column != CompareModel::interval || intervals);
  }
};
constexpr std::array<Share, 4> shares{
    {{true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}}};

/// Returns the width that a column needs. The size hint of Qt reserves space for a sort arrow in all columns,
/// but only one column shows the arrow.
int wanted_width(const QTableView& table, int column) {
  constexpr int margins = 14, arrow = 14, room_for_why = 120;
  if (column == CompareModel::why) return room_for_why;
  const QHeaderView& header = *table.horizontalHeader();
  const QString title = table.model()->headerData(column, Qt::Horizontal).toString();
  const int heading = header.fontMetrics().horizontalAdvance(title) + margins +
                      (header.sortIndicatorSection() == column ? arrow : 0);
  // QTableView makes sizeHintForColumn() protected; its base class does not.
  const QAbstractItemView& all = table;
  return std::max(heading, all.sizeHintForColumn(column) + 1);
}

/// Returns the width that the other columns leave for layer names. It may be negative.
int left_for_layers(const QTableView& table, const Share& share) {
  int room = table.viewport()->width();
  for (int column = CompareModel::stage; column < CompareModel::column_count; ++column)
    room -= share.shows(column) ? wanted_width(table, column) : 0;
  return room;
}

}  // namespace

void fit_compare_columns(QTableView& table, CompareModel& model) {
  constexpr int least_of_a_name = 40;
  const Share* share = &shares.back();
  for (const Share& one : shares) {
    if (one.why && !model.hasReasons()) continue;
    model.setBrief(!one.whole_names);
    share = &one;
    if (left_for_layers(table, one) >= wanted_width(table, CompareModel::layer)) break;
  }
  for (const int column : {CompareModel::why, CompareModel::interval})
    table.setColumnHidden(column, !share->shows(column));
  for (int column = CompareModel::stage; column < CompareModel::column_count; ++column)
    if (share->shows(column)) table.setColumnWidth(column, wanted_width(table, column));
  const int room = left_for_layers(table, *share), over = std::max(0, least_of_a_name - room);
  table.setColumnWidth(CompareModel::layer, std::max(room, least_of_a_name));
  // Shorten this column only if nothing else helps.
  table.setColumnWidth(CompareModel::stage,
                       std::max(least_of_a_name, table.columnWidth(CompareModel::stage) - over));
}

}  // namespace spira::ui

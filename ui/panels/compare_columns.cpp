#include "ui/panels/compare_columns.hpp"

#include "ui/model/compare_model.hpp"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

/// What a narrow table shows less of.
struct Share {
  bool why, whole_names, intervals;
  [[nodiscard]] bool shows(int column) const {
    return (column != CompareModel::why || why) && (column != CompareModel::interval || intervals);
  }
};
constexpr std::array<Share, 4> shares{
    {{true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}}};

/// A style's size of a heading has room for the arrow of sorting in all columns; one has it.
int wanted_width(const QTableView& table, int column) {
  constexpr int margins = 14, arrow = 14, room_for_why = 120;
  if (column == CompareModel::why) return room_for_why;
  const QHeaderView& header = *table.horizontalHeader();
  const QString title = table.model()->headerData(column, Qt::Horizontal).toString();
  const int heading = header.fontMetrics().horizontalAdvance(title) + margins +
                      (header.sortIndicatorSection() == column ? arrow : 0);
  const QAbstractItemView& all = table;  // of a table it hides how wide its columns want to be
  return std::max(heading, all.sizeHintForColumn(column) + 1);
}

/// What all but the names of layers leave; below what these want where there is too little.
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
  table.setColumnWidth(CompareModel::stage,  // cut only where there is no other way
                       std::max(least_of_a_name, table.columnWidth(CompareModel::stage) - over));
}

}  // namespace spira::ui

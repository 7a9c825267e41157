#include "ui/charts/chart_table.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

bool is_number(const QVariant& value) {
  return value.typeId() != QMetaType::QString;
}

bool has_numbers(const ChartTable& table, int column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [column](const QVariantList& row) { return is_number(row[column]); });
}

/// Formats integers with all digits, and other numbers with six significant digits.
QString shown(const QVariant& value) {
  if (!is_number(value)) return value.toString();
  if (value.typeId() != QMetaType::Double) return onScreen(count_text(value.toLongLong()));
  constexpr int digits = 6;
  return onScreen(value.toDouble(), 'g', digits);
}

QString exact(const QVariant& value) {
  return value.typeId() == QMetaType::Double
             ? QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest)
             : value.toString();
}

}  // namespace

void ChartTableModel::setTable(ChartTable table) {
  beginResetModel();
  table_ = std::move(table);
  arrange();
  endResetModel();
}

QString ChartTableModel::text(const std::vector<int>& rows) const {
  QStringList lines{table_.header.join('\t')};
  for (const int row : rows) {
    QStringList cells;
    for (const QVariant& value : table_.rows[static_cast<std::size_t>(chartRow(row))])
      cells.append(exact(value));
    lines.append(cells.join('\t'));
  }
  return lines.join('\n') + '\n';
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.header.size());
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const {
  const QVariant& value = table_.rows[static_cast<std::size_t>(chartRow(index.row()))][index.column()];
  if (role == Qt::DisplayRole) return shown(value);
  if (role == Qt::TextAlignmentRole && is_number(value)) return int{Qt::AlignRight | Qt::AlignVCenter};
  return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return has_numbers(table_, section) ? int{Qt::AlignRight | Qt::AlignVCenter}
                                        : int{Qt::AlignLeft | Qt::AlignVCenter};
  return role == Qt::DisplayRole ? QVariant(table_.header.value(section)) : QVariant();
}

void ChartTableModel::sort(int column, Qt::SortOrder order) {
  emit layoutAboutToBeChanged();
  by_ = column;
  direction_ = order;
  arrange();
  emit layoutChanged();
}

void ChartTableModel::arrange() {
  order_.resize(table_.rows.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (by_ < 0 || by_ >= table_.header.size()) return;
  const auto less = [this](int a, int b) {
    const QVariant& left = table_.rows[static_cast<std::size_t>(a)][by_];
    const QVariant& right = table_.rows[static_cast<std::size_t>(b)][by_];
    if (is_number(left) != is_number(right)) return is_number(left);
    return is_number(left) ? left.toDouble() < right.toDouble() : left.toString() < right.toString();
  };
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return direction_ == Qt::AscendingOrder ? less(a, b) : less(b, a); });
}

ChartTableView::ChartTableView(QWidget* parent) : QTableView(parent), model_(new ChartTableModel(this)) {
  setObjectName("chartTable");
  setModel(model_);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setAlternatingRowColors(true);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  connect(this, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit rowActivated(model_->chartRow(index.row())); });
}

void ChartTableView::setTable(ChartTable table) {
  const bool other_columns = table.header.size() != model_->columnCount();
  const int row = currentIndex().row();
  model_->setTable(std::move(table));
  if (other_columns) resizeColumnsToContents();
  if (model_->rowCount() > 0) setCurrentIndex(model_->index(std::clamp(row, 0, model_->rowCount() - 1), 0));
}

int ChartTableView::currentRow() const {
  return currentIndex().isValid() ? model_->chartRow(currentIndex().row()) : -1;
}

QString ChartTableView::copyText() const {
  std::vector<int> rows;
  for (const QModelIndex& index : selectionModel()->selectedRows())
    rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  if (rows.size() < 2) {  // A single selected row is only the keyboard cursor, not a selection of the user.
    rows.resize(static_cast<std::size_t>(model_->rowCount()));
    std::iota(rows.begin(), rows.end(), 0);
  }
  return model_->text(rows);
}

void ChartTableView::keyPressEvent(QKeyEvent* event) {
  if (!event->matches(QKeySequence::Copy)) return QTableView::keyPressEvent(event);
  QGuiApplication::clipboard()->setText(copyText());
  event->accept();
}

}  // namespace spira::ui

#include "ui/lessons/controls/number_table.hpp"

#include "ui/lessons/lesson_facts.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int spacing = 10;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

QString label_of(const LessonTable::Row& row) {
  return row.unit.empty() ? text_of(row.label) : QString("%1, %2").arg(text_of(row.label), text_of(row.unit));
}

QStringList cells_of(const LessonTable::Row& row, const LessonFacts& facts) {
  const bool exists = std::any_of(row.values.begin(), row.values.end(), [&](const Expression& value) {
    return is_coming(value, facts) || value.evaluate(lookup_in(facts));
  });
  QStringList cells;
  for (const Expression& value : row.values) {
    if (exists) cells += number_text(value, row.digits, {}, facts);
  }
  return cells;
}

NumberTable::NumberTable(LessonTable table, const LessonFacts* facts, QWidget* parent)
    : QWidget(parent),
      table_(std::move(table)),
      facts_(facts),
      grid_(new QGridLayout(this)),
      title_(faint_label(text_of(table_.title), this)),
      sample_(faint_label({}, this)) {
  setAccessibleName(text_of(table_.title));
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(spacing);
  grid_->setVerticalSpacing(4);
  grid_->setColumnStretch(0, 1);
  for (const std::string& column : table_.columns) {
    heads_.push_back(faint_label(text_of(column), this));
    heads_.back()->setAlignment(Qt::AlignRight | Qt::AlignBottom);
  }
  for (const LessonTable::Row& row : table_.rows) {
    Row made{new QLabel(label_of(row), this), {}, {}};
    made.label->setWordWrap(true);
    WholeRowScroll::keepWhole(*made.label);
    for (const std::string& column : table_.columns) {
      made.names.push_back(faint_label(text_of(column), this));
      made.cells.push_back(new QLabel(this));
      made.cells.back()->setAlignment(Qt::AlignRight | Qt::AlignTop);
    }
    rows_.push_back(std::move(made));
  }
  setFocusPolicy(Qt::TabFocus);
  refresh();
}

/// Returns the width that the table needs if cells, column headings and row labels are next to each other.
/// Labels may wrap.
int NumberTable::sideBySideWidth() const {
  int wide = 0;
  for (const Row& row : rows_)
    wide = std::max(wide, row.label->minimumSizeHint().width());
  for (std::size_t column = 0; column < heads_.size(); ++column) {
    int widest = heads_[column]->minimumSizeHint().width();
    for (const Row& row : rows_)
      widest = std::max(widest, row.cells[column]->sizeHint().width());
    wide += spacing + widest;
  }
  return wide;
}

QSize NumberTable::minimumSizeHint() const {
  int wide = 0;
  for (const Row& row : rows_) {
    for (std::size_t at = 0; at < row.cells.size(); ++at)
      wide = std::max(wide,
                      row.names[at]->minimumSizeHint().width() + spacing + row.cells[at]->sizeHint().width());
  }
  return {wide, QWidget::minimumSizeHint().height()};
}

void NumberTable::arrange() {
  const bool stacked = sideBySideWidth() > width();
  if (stacked == stacked_) return;
  stacked_ = stacked;
  // Remove only the layout items and keep the labels.
  while (grid_->count() > 0)
    const std::unique_ptr<QLayoutItem> removed(grid_->takeAt(0));
  const int columns = static_cast<int>(heads_.size());
  int line = 0;
  grid_->addWidget(title_, line, 0, 1, stacked ? 2 : 1);
  for (int at = 0; at < columns && !stacked; ++at)
    grid_->addWidget(heads_[static_cast<std::size_t>(at)], line, at + 1);
  for (const Row& row : rows_) {
    ++line;
    grid_->addWidget(row.label, line, 0, 1, stacked ? 2 : 1);
    for (int at = 0; at < columns; ++at) {
      const auto place = static_cast<std::size_t>(at);
      if (stacked) grid_->addWidget(row.names[place], ++line, 0);
      grid_->addWidget(row.cells[place], line, stacked ? 1 : at + 1);
    }
  }
  grid_->addWidget(sample_, line + 1, 0, 1, columns + 1);
  refresh();
}

void NumberTable::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void NumberTable::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) arrange();
}

void NumberTable::refresh() {
  QString sampled;
  for (QLabel* head : heads_)
    head->setVisible(!isStacked());
  title_->setVisible(!table_.title.empty());
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const LessonTable::Row& row = table_.rows[at];
    const QStringList cells = cells_of(row, *facts_);
    rows_[at].label->setVisible(!cells.isEmpty());
    for (std::size_t column = 0; column < rows_[at].cells.size(); ++column) {
      QLabel* cell = rows_[at].cells[column];
      cell->setVisible(!cells.isEmpty());
      rows_[at].names[column]->setVisible(isStacked() && !cells.isEmpty());
      if (cells.isEmpty()) continue;
      const Expression& value = row.values[column];
      // While the pointer moves, the previous value stays visible until the next value has been computed. A
      // number that is being computed is shown as dots, which need no more space than the number.
      const bool coming = is_coming(value, *facts_);
      const QString number = coming ? "\u2026" : cells[static_cast<int>(column)];
      if (!facts_->pointed() || !coming)
        cell->setText("<b>" + QString(number).replace(" \u00b1 ", "</b><br>\u00b1 ") + "</b>");
      cell->setToolTip(formula_text(value, *facts_));
      if (sampled.isEmpty()) sampled = sample_text(value, *facts_);
    }
  }
  sample_->setText(sampled);
  sample_->setVisible(!sampled.isEmpty());
  QString all;
  for (const auto& [name, number] : numbers())
    all += name + ": " + number + "; ";
  setAccessibleDescription(all);
  if (stacked_)
    arrange();  // The layout may have to change, because longer numbers may need the stacked layout.
}

std::vector<std::pair<QString, QString>> NumberTable::numbers() const {
  std::vector<std::pair<QString, QString>> numbers;
  for (const LessonTable::Row& row : table_.rows) {
    const QStringList cells = cells_of(row, *facts_);
    for (int at = 0; at < cells.size(); ++at)
      numbers.emplace_back(
          QString("%1, %2").arg(text_of(row.label), text_of(table_.columns[static_cast<std::size_t>(at)])),
          cells[at]);
  }
  return numbers;
}

}  // namespace spira::ui

// Numbers of a page that are read beside each other: a row a quantity, a column a case. Where the columns do
// not fit beside each other, the numbers of a row stand below each other with their names.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QGridLayout;
class QLabel;

namespace spira::ui {

class LessonFacts;

class NumberTable : public QWidget {
  Q_OBJECT
 public:
  NumberTable(LessonTable table, const LessonFacts* facts, QWidget* parent);

  void refresh();
  /// "comparisons a query, z-delta" and its number, row by row; rows of which nothing exists are left out.
  [[nodiscard]] std::vector<std::pair<QString, QString>> numbers() const;
  [[nodiscard]] bool isStacked() const noexcept { return stacked_.value_or(false); }
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Row {
    QLabel* label;
    std::vector<QLabel*> names, cells;  ///< a name stands beside each cell where the cells are stacked
  };
  [[nodiscard]] int widthBesideEachOther() const;
  void arrange();

  LessonTable table_;
  const LessonFacts* facts_;
  QGridLayout* grid_;
  QLabel* title_;
  std::vector<QLabel*> heads_;
  std::vector<Row> rows_;
  QLabel* sample_;
  std::optional<bool> stacked_;  // below each other, where columns do not fit; empty: not arranged yet
};

/// The label of a row, with the unit of its numbers.
[[nodiscard]] QString label_of(const LessonTable::Row& row);
/// [columns]; empty where nothing of the row exists and nothing will come.
[[nodiscard]] QStringList cells_of(const LessonTable::Row& row, const LessonFacts& facts);

}  // namespace spira::ui

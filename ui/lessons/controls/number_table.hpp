// A table of numbers on a lesson page, with one row per quantity and one column per case. If the columns are
// too wide for the page, the numbers of a row are stacked, each with the name of its column.
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
  /// Returns pairs of a name and a number, row by row. A name is, for example, "comparisons a query,
  /// z-delta". Rows without numbers are omitted.
  [[nodiscard]] std::vector<std::pair<QString, QString>> numbers() const;
  [[nodiscard]] bool isStacked() const noexcept { return stacked_.value_or(false); }
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Row {
    QLabel* label;
    std::vector<QLabel*> names, cells;  ///< `names` are shown next to the cells if the cells are stacked.
  };
  [[nodiscard]] int sideBySideWidth() const;
  void arrange();

  LessonTable table_;
  const LessonFacts* facts_;
  QGridLayout* grid_;
  QLabel* title_;
  std::vector<QLabel*> heads_;
  std::vector<Row> rows_;
  QLabel* sample_;
  std::optional<bool> stacked_;  // True if the cells are stacked. Empty before the first layout.
};

[[nodiscard]] QString label_of(const LessonTable::Row& row);
/// Returns the texts of a row, one per column. Returns an empty list if the row has no numbers and no number
/// is being computed.
[[nodiscard]] QStringList cells_of(const LessonTable::Row& row, const LessonFacts& facts);

}  // namespace spira::ui

// The last page of a lesson. It contains questions that the user answers by selecting something in the
// window. The page checks the selection.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QWidget>

#include <memory>
#include <vector>

class QGridLayout;
class QLabel;

namespace spira::ui {

class LessonQuestions : public QWidget {
  Q_OBJECT
 public:
  /// `solved` has one flag per question. A flag is true if the question is solved. The flags are kept while
  /// other pages are shown.
  LessonQuestions(std::shared_ptr<const Lesson> lesson, const LessonFacts* facts,
                  std::shared_ptr<std::vector<bool>> solved, QWidget* parent);
  [[nodiscard]] bool solved(std::size_t question) const { return solved_->at(question); }

 signals:
  void commandsRequested(const std::vector<spira::LessonCommand>& commands);

 private:
  struct Row {
    QLabel *mark, *chosen;
  };
  void addRow(QGridLayout& grid, const LessonQuestion& question);
  void check();

  std::shared_ptr<const Lesson> lesson_;
  const LessonFacts* facts_;
  std::shared_ptr<std::vector<bool>> solved_;
  QLabel* sum_;
  std::vector<Row> rows_;
};

}  // namespace spira::ui

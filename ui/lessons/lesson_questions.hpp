// The last page of a lesson: questions that are answered by using the window; the program sees it.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;

namespace spira::ui {

class LessonQuestions : public QWidget {
  Q_OBJECT
 public:
  LessonQuestions(std::shared_ptr<const Lesson> lesson, const LessonFacts* facts, QWidget* parent);
  [[nodiscard]] bool solved(std::size_t question) const { return rows_.at(question).solved; }

 private:
  struct Row {
    QLabel *mark, *hint;
    bool solved = false;
  };
  void check();
  void show(const Row& row) const;

  std::shared_ptr<const Lesson> lesson_;
  const LessonFacts* facts_;
  QLabel* sum_;
  std::vector<Row> rows_;
};

}  // namespace spira::ui

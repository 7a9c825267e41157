// The dialog that lists the available lessons (Ctrl+L). The arrow keys select a lesson, and Enter starts it.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QDialog>

#include <map>
#include <memory>
#include <vector>

class QListWidget;

namespace spira::ui {

class LessonList : public QDialog {
  Q_OBJECT
 public:
  /// `pages` maps the id of a lesson to the page that was open when the user left the lesson.
  LessonList(std::vector<std::shared_ptr<const Lesson>> lessons, const std::map<QString, int>& pages,
             QWidget* parent);

 signals:
  void chosen(std::shared_ptr<const spira::Lesson> lesson);

 private:
  void choose();

  std::vector<std::shared_ptr<const Lesson>> lessons_;
  QListWidget* list_;
};

}  // namespace spira::ui

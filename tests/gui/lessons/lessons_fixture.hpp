// Test fixture: a window with its lessons, and functions that wait until a page is ready.
#pragma once

#include "tests/gui/window_fixture.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/settings/settings.hpp"

#include <map>
#include <memory>
#include <string>

namespace spira::ui {

class LessonsTest : public WindowTest {
 protected:
  Lessons& lessons() { return app.lessons(); }
  LessonPlayer& player() { return lessons().player(); }
  LessonPanel& panel() { return lessons().panel(); }
  void setCalm(bool calm) { app.settings().set("look.reduced_motion", calm); }
  std::shared_ptr<const Lesson> lesson(const std::string& id) {
    for (const auto& one : lessons().all()) {
      if (one->id == id) return one;
    }
    return nullptr;
  }
  void start(const std::string& id, int page = 0) {
    lessons().start(lesson(id), page);
    ASSERT_TRUE(waitFor([&] { return lessons().settled(); }));
  }
  void goTo(int page) {
    player().jump(page);
    ASSERT_TRUE(waitFor([&] { return lessons().settled(); }));
  }
  std::map<QString, QString> numbers() {
    std::map<QString, QString> shown;
    for (const auto& [label, number] : panel().numbers())
      shown[label] = number;
    for (const auto& [label, number] : panel().cells())
      shown[label] = number;
    return shown;
  }
  double number(const QString& label) {
    return numbers().at(label).remove(',').section(' ', 0, 0).toDouble();
  }
  void press(int key) {
    QWidget* focus = window.focusWidget();
    QTest::keyClick(focus == nullptr ? &window : focus, static_cast<Qt::Key>(key));
  }
};

}  // namespace spira::ui

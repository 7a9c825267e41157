// Fixture of the lesson tests. It has a window with its lessons, and functions that wait until a page is
// ready.
#pragma once

#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/lessons/lesson_files.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/settings/settings.hpp"

#include <QFile>
#include <QFileDialog>

#include <map>
#include <memory>
#include <string>

namespace spira::ui {

class LessonsTest : public WindowTest {
 protected:
  Lessons& lessons() { return app.lessons(); }
  LessonFiles& files() { return *app.window().findChild<LessonFiles*>(); }
  LessonPlayer& player() { return lessons().player(); }
  LessonPanel& panel() { return lessons().pages().panel(); }
  /// Opens a scene with large voxels, which saves time: lessons do the same for any number of voxels.
  void open(const QString& scene) { openWith(scene, scene == "room" ? 0.1 : 0.2); }
  void setCalm(bool calm) { app.settings().set("look.reduced_motion", calm); }
  std::shared_ptr<const Lesson> lesson(const std::string& id) {
    for (const auto& one : lessons().all()) {
      if (one->id == id) return one;
    }
    return nullptr;
  }
  void start(const std::string& id, int page = 0) {
    lessons().start(lesson(id), page);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  }
  void goTo(int page) {
    player().jump(page);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
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
  /// Types the name into the file dialog of the command, and waits until the file exists.
  void saveHandout(const QString& file) {
    QFile::remove(file);
    Hands::inNextFileDialog([&](QFileDialog& dialog) {
      Hands::typeName(dialog, file);
      static_cast<QDialog&>(dialog).accept();
    });
    ASSERT_TRUE(app.commands().trigger("lesson.handout"));
    ASSERT_TRUE(waitFor(
        [&] { return QFile::exists(file) && banner_of(window).text().contains("written: " + file); }));
  }
  void press(int key) {
    QWidget* focus = window.focusWidget();
    QTest::keyClick(focus == nullptr ? &window : focus, static_cast<Qt::Key>(key));
  }
};

}  // namespace spira::ui

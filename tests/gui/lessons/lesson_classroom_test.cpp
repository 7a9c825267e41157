// Tests the classroom mode. It shows large text and no other panels, and must not cut anything off. Also
// tests links to a lesson step, which teachers use to prepare a class.
#include "engine/voxel/grid.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"

#include <QApplication>
#include <QClipboard>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class LessonClassroomTest : public LessonsTest {};

TEST_F(LessonClassroomTest, ClassroomModeHasLargeTextAndNoFrameAndEndsWithTheLesson) {
  open("street");
  start("voxelize");
  const double points = QApplication::font().pointSizeF();
  ASSERT_TRUE(app.commands().trigger("lesson.classroom"));
  EXPECT_NEAR(QApplication::font().pointSizeF(), 1.5 * points, 0.01);
  EXPECT_EQ(app.selection().look().colours().map, ColourMap::bands);
  EXPECT_EQ(window.menuBar()->height(), 0);
  lessons().leave();
  EXPECT_NEAR(QApplication::font().pointSizeF(), points, 0.01);
  EXPECT_EQ(app.selection().look().colours().map, ColourMap::viridis);
  EXPECT_TRUE(waitFor([&] { return window.menuBar()->height() > 0; }));
}

/// Returns true if the button is hidden or fully visible. The layout is updated one event-loop iteration
/// after the page.
bool isWhole(const QPushButton& button) {
  return button.isHidden() || button.parentWidget()->rect().contains(button.geometry());
}

/// Pages do not scroll horizontally, so a wider page would be cut off.
TEST_F(LessonClassroomTest, InAClassroomNoPageIsWiderThanItsPanel) {
  setCalm(true);
  open("street");
  for (const QSize size : {QSize(1440, 900), QSize(1024, 640)}) {
    window.resize(size);
    for (const auto& lesson : lessons().all()) {
      start(lesson->id);
      if (!app.commands().action("lesson.classroom")->isChecked()) app.commands().trigger("lesson.classroom");
      const int pages = static_cast<int>(lesson->steps.size());
      for (int page = 0; page < pages; ++page) {
        SCOPED_TRACE(lesson->id + " " + lesson->steps[static_cast<std::size_t>(page)].id);
        goTo(page);
        const auto* scroll = panel().findChild<QScrollArea*>();
        EXPECT_LE(scroll->widget()->minimumSizeHint().width(), scroll->viewport()->width());
        for (const auto* button : scroll->findChildren<QPushButton*>())
          EXPECT_TRUE(waitFor([&] { return isWhole(*button); })) << button->text().toStdString();
      }
    }
  }
}

TEST_F(LessonClassroomTest, EveryStepHasALinkThatOpensIt) {
  setCalm(true);
  open("street");
  files().follow("search:8");
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_EQ(files().link(), "search:score");
  files().follow("density:parts");
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_EQ(player().lesson()->id, "density");
  EXPECT_EQ(player().page(), 3);
  ASSERT_TRUE(app.commands().trigger("lesson.copy_link"));
  const QString grid = QString::fromStdString(grid_text(app.workspace().requested().grid().voxel_m));
  EXPECT_EQ(QApplication::clipboard()->text(),
            "spirascope street --grid " + grid + " --lesson density:parts");
  files().follow("search");
  EXPECT_EQ(player().page(), 7) << "the lesson must open at the page where the user left it";
  lessons().leave();
  EXPECT_EQ(files().link(), "");
  EXPECT_FALSE(app.commands().trigger("lesson.copy_link"));
  const auto fault = [&](const QString& link) -> std::string {
    try {
      files().check(link);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(fault("search:10"), "") << "search:10 must open the questions";
  EXPECT_THAT(fault("search:11"), HasSubstr("there is no step 11; expected 1 to 10"));
  EXPECT_THAT(fault("search:none"), HasSubstr("there is no step none"));
  EXPECT_THAT(fault("none"), HasSubstr("there is no lesson none; expected voxelize, search"));
}

}  // namespace
}  // namespace spira::ui

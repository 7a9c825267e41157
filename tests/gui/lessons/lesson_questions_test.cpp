// Tests that the user can answer the lesson questions with the controls of the program: by keyboard, and by
// mouse in the scene and the charts.
#include "ui/lessons/lesson_questions.hpp"

#include "engine/backend/host_read.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/gui/mouse.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTest>

#include <functional>
#include <string>
#include <tuple>

namespace spira::ui {
namespace {

class LessonQuestionsTest : public LessonsTest {
 protected:
  bool solved(std::size_t question) { return panel().questions()->solved(question); }
  bool settled() {
    return waitFor([&] { return lessons().pages().settled(); });
  }
  DensityChart& chart() {
    app.commands().trigger("window.show_density");
    return *child<DensityPanel>(window).chart();
  }
  void clickBar(int column) {
    QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().barCentre(column));
    ASSERT_TRUE(settled());
  }
  void drawAround(const QRect& area) {
    ASSERT_TRUE(app.commands().trigger("select.lasso"));
    VtkWidget* canvas = app.sceneView().canvas();
    QTest::mousePress(canvas, Qt::LeftButton, {}, area.topLeft());
    for (const QPoint& at : {area.topRight(), area.bottomRight(), area.bottomLeft()}) {
      move_mouse(*canvas, at, Qt::LeftButton);
    }
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, area.bottomLeft());
    ASSERT_TRUE(settled());
  }
};

/// The text above a guess must not contain the answer. The text after the guess must contain it.
TEST_F(LessonsTest, TextsAboveAGuessDoNotAnswerIt) {
  for (const auto& [id, step, answer] : {std::tuple("density", 2, "the same low density"),
                                         {"density", 3, "offsets of the same norm"},
                                         {"voxelize", 5, "by x, then y, then z"},
                                         {"indexing", 3, "share this map"}}) {
    const LessonStep& page = lesson(id)->steps.at(static_cast<std::size_t>(step));
    ASSERT_TRUE(page.guess) << page.id;
    for (const std::string& text : page.text.texts)
      EXPECT_EQ(text.find(answer), std::string::npos) << page.id;
    EXPECT_NE(page.after.find(answer), std::string::npos) << page.id;
  }
}

TEST_F(LessonQuestionsTest, NativeRowsAnswerTheQuestionsOfPointsAndCells) {
  setCalm(true);
  open("room");
  start("points", 5);
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  for (std::int64_t row = 0; row < size_of(level) && !(solved(0) && solved(1)); row += 5) {
    app.selection().setVoxel(ChosenVoxel{voxel_at(level, row), 1});
    ASSERT_TRUE(settled());
  }
  EXPECT_TRUE(solved(0)) << "some row must have two inputs in one column";
  EXPECT_TRUE(solved(1)) << "some row must lose a voxel neighbour";
  EXPECT_FALSE(solved(2)) << "a ball folds inputs";
  ASSERT_TRUE(app.commands().trigger("neighbours.voxels"));
  ASSERT_TRUE(settled());
  EXPECT_FALSE(solved(2)) << "voxels have no local cells";
  ASSERT_TRUE(app.commands().trigger("neighbours.cube"));
  ASSERT_TRUE(settled());
  EXPECT_TRUE(solved(2));
}

/// The answers must not depend on a particular scene, so the questions are tested on a scan and on random
/// voxels.
class DensityQuestionsTest : public LessonQuestionsTest, public testing::WithParamInterface<const char*> {};

TEST_P(DensityQuestionsTest, AreAnsweredByAClickALassoAndAKey) {
  setCalm(true);
  open(GetParam());
  start("density", 5);
  ASSERT_NE(panel().questions(), nullptr);
  for (std::size_t question = 0; question < 3; ++question)
    EXPECT_FALSE(solved(question)) << question << ": the question must not be solved before any action";
  const auto densities = app.workspace().shownMap(-1).densities;
  ASSERT_TRUE(densities);
  const auto of_norm_2 = [&](const auto& better) {
    const ColumnDensity* best = nullptr;
    for (const ColumnDensity& one : densities->columns) {
      if (one.l1 == 2 && (best == nullptr || better(one.density, best->density))) best = &one;
    }
    return best->column;
  };
  clickBar(of_norm_2(std::less{}));
  EXPECT_FALSE(solved(0)) << "the least frequent offset of its norm must not be an answer";
  clickBar(of_norm_2(std::greater{}));
  EXPECT_TRUE(solved(0));
  const QRect all = app.sceneView().canvas()->rect();
  for (int place = 0; place < 16 && !solved(1); ++place) {
    const int wide = all.width() / 5, high = all.height() / 5;
    drawAround({(place % 4 + 1) * wide - (wide / 2), (place / 4 + 1) * high - (high / 2), wide, high});
  }
  EXPECT_TRUE(solved(1)) << "the ground or a wall must be an answer";
  for (const char* key : {"view.stride_2", "view.stride_4", "view.stride_8", "view.stride_16"}) {
    if (solved(2)) break;
    ASSERT_TRUE(app.commands().trigger(key));
    ASSERT_TRUE(settled());
  }
  EXPECT_TRUE(solved(2)) << "one of the coarser levels must be the densest";
}

INSTANTIATE_TEST_SUITE_P(Scenes, DensityQuestionsTest, testing::Values("street", "random"),
                         [](const auto& scene) { return std::string(scene.param); });

TEST_F(LessonQuestionsTest, StayAnsweredOnOtherPagesAndDescribeTheSelection) {
  setCalm(true);
  open("room");
  start("search", 9);
  ASSERT_NE(panel().questions(), nullptr);
  const auto says = [&](const QString& what) {
    for (const QLabel* label : panel().questions()->findChildren<QLabel*>()) {
      if (!label->isHidden() && label->text().remove("<b>").remove("</b>").contains(what)) return true;
    }
    return false;
  };
  EXPECT_FALSE(says("The selected offset is"));
  app.selection().setColumns({13});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(says("The selected offset is (0, 0, 0)."));
  EXPECT_FALSE(solved(1)) << "the centre offset must not be an answer";
  app.selection().setColumns({12});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(solved(1));
  goTo(7);
  goTo(9);
  EXPECT_TRUE(solved(1)) << "the answer must be kept while other pages are open";
  EXPECT_FALSE(solved(2));
  app.commands().trigger("window.show_density");
  QComboBox* kernel = nullptr;
  for (auto* choice : child<DensityPanel>(window).findChildren<QComboBox*>()) {
    if (choice->itemText(1) == "5x5x5") kernel = choice;
  }
  ASSERT_NE(kernel, nullptr);
  kernel->setCurrentIndex(1);
  emit kernel->activated(1);
  ASSERT_TRUE(waitFor([&] { return solved(2); })) << "the action of the hint must solve the question";
  lessons().leave();
  start("search", 9);
  EXPECT_FALSE(solved(1)) << "a restarted lesson must have no answers";
}

TEST_F(LessonQuestionsTest, BringTheControlsThatTheyNeed) {
  setCalm(true);
  window.resize(1440, 900);
  open("room");
  start("dataflows", 9);
  const auto shown = [&](DockLayout::Side side) { return !app.docks().dock(side).isHidden(); };
  ASSERT_FALSE(shown(DockLayout::Side::right));
  goTo(10);
  EXPECT_TRUE(shown(DockLayout::Side::right)) << "the densities answer two of the questions";
  EXPECT_TRUE(app.commands().action("window.left")->isChecked())
      << "the layer list answers one of the questions";
  EXPECT_FALSE(panel().visibleRegion().isEmpty());
  EXPECT_TRUE(waitFor([&] { return window.focusWidget() == &panel(); }))
      << "the keys of the lesson must keep working";
  goTo(9);
  EXPECT_FALSE(shown(DockLayout::Side::right)) << "the other pages need the room";
}

TEST_F(LessonQuestionsTest, HaveAButtonForTheirControlsInALowWindow) {
  setCalm(true);
  window.resize(1024, 640);
  open("room");
  start("dataflows", 10);
  EXPECT_TRUE(app.docks().dock(DockLayout::Side::right).isHidden()) << "it would hide the lesson";
  QPushButton* show = nullptr;
  for (auto* button : panel().questions()->findChildren<QPushButton*>()) {
    if (show == nullptr && button->text() == "Show controls") show = button;
  }
  ASSERT_NE(show, nullptr);
  QTest::mouseClick(show, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] { return !app.docks().dock(DockLayout::Side::right).isHidden(); }));
}

TEST_F(LessonQuestionsTest, AnIntermediateThresholdIsSetByTheKeysOfTheHint) {
  setCalm(true);
  open("room");
  app.commands().trigger("network.resn21");
  start("dataflows", 10);
  ASSERT_NE(panel().questions(), nullptr);
  EXPECT_FALSE(solved(1)) << "the question must not be solved before any action";
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("t.down"));
  EXPECT_FALSE(solved(1)) << "the question must not be solved before a run with the new t";
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layer(1); }));
  app.selection().setLayer(1);
  EXPECT_TRUE(waitFor([&] { return solved(1); }));
}

}  // namespace
}  // namespace spira::ui

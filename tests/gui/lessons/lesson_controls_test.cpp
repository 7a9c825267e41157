// Tests sliders and choices on lesson pages: they change the scene and the texts, and leaving the page undoes
// the change.
#include "engine/backend/host_read.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "ui/lessons/controls/control_row.hpp"
#include "ui/lessons/controls/page_rows.hpp"
#include "ui/lessons/diagrams/animation_scenes.hpp"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSlider>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class LessonControlsTest : public LessonsTest {
 protected:
  ControlRow& control(std::size_t at) { return *panel().controls().at(at); }
  QSlider& slider(std::size_t at) { return *control(at).findChild<QSlider*>(); }
  std::string said(std::size_t at) {
    std::string all;
    for (const QLabel* label : control(at).findChildren<QLabel*>())
      all += label->text().remove("<b>").remove("</b>").remove(',').toStdString() + " | ";
    return all;
  }
  /// Sets a control, and waits until the window shows the new value and all its effects.
  void set(std::size_t at, int place) {
    control(at).set(place);
    ASSERT_TRUE(waitFor([&] { return control(at).place() == place && lessons().pages().settled(); }));
  }
  std::set<Voxel> voxelsAt(const std::array<double, 3>& voxel_m) {
    std::set<Voxel> voxels;
    for (const Point& p : app.workspace().scene().cloud()->positions) {
      Voxel voxel{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        voxel.at(axis) = static_cast<std::int32_t>(std::floor(p.at(axis) / voxel_m.at(axis)));
      voxels.insert(voxel);
    }
    return voxels;
  }
};

TEST_F(LessonControlsTest, TabMovesThroughThePageBeforeTheBottomBar) {
  open("room");
  start("search", 7);
  QStringList reached;
  QWidget* at = panel().findChild<QScrollArea*>();
  ASSERT_NE(at, nullptr);
  for (int step = 0; step < 40 && !reached.contains("Back"); ++step) {
    at = at->nextInFocusChain();
    if (const auto* button = qobject_cast<QPushButton*>(at)) reached += button->text();
  }
  EXPECT_TRUE(reached.contains("z-delta search")) << reached.join(", ").toStdString();
  EXPECT_TRUE(reached.contains("Shuffle voxels")) << reached.join(", ").toStdString();
  EXPECT_EQ(reached.last(), "Back");
}

TEST_F(LessonControlsTest, TheVoxelSizeSliderVoxelisesTheSceneAndIsUndoneOnLeaving) {
  setCalm(true);
  open("street");
  const auto before = app.workspace().scene().voxels();
  const double g = before->grid.voxel_m[0];
  start("voxelize", 1);
  ASSERT_EQ(panel().controls().size(), 1U);
  EXPECT_EQ(control(0).present(), "1.00 x");
  set(0, 4);
  EXPECT_DOUBLE_EQ(app.workspace().scene().voxels()->grid.voxel_m[0], 2 * g);
  EXPECT_EQ(control(0).present(), "2.00 x");
  const auto voxels = voxelsAt({2 * g, 2 * g, 2 * g}).size();
  const auto points = static_cast<std::size_t>(app.workspace().scene().cloud()->size());
  EXPECT_EQ(number("voxels"), static_cast<double>(voxels));
  EXPECT_THAT(said(0), HasSubstr("voxels: " + std::to_string(voxels) + ";"));
  EXPECT_THAT(said(0), HasSubstr("points removed by merging: " + std::to_string(points - voxels)));
  goTo(2);
  EXPECT_DOUBLE_EQ(app.workspace().scene().voxels()->grid.voxel_m[0], g)
      << "each page must start with the voxel size of the scene";
  goTo(1);
  set(0, 6);
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
}

TEST_F(LessonControlsTest, ADragVoxelisesOnceAfterTheLastMove) {
  setCalm(true);
  open("street");
  start("voxelize", 1);
  QSignalSpy begun(&app.jobs().lane().task(), &TaskSlot::started);
  slider(0).setFocus();
  for (const int place : {3, 4, 5, 6, 5})
    slider(0).setValue(place);
  EXPECT_EQ(begun.count(), 0) << "no job must start during the drag";
  EXPECT_THAT(said(0), HasSubstr("3.00 x")) << "the text must show the new value at once";
  ASSERT_TRUE(waitFor([&] { return control(0).place() == 5 && lessons().pages().settled(); }));
  const auto voxelised = std::count_if(begun.begin(), begun.end(), [](const QList<QVariant>& told) {
    return told.front().toString() == "Voxelising";
  });
  EXPECT_EQ(voxelised, 1);
}

TEST_F(LessonControlsTest, KeysMoveASliderAndSpaceContinues) {
  setCalm(true);
  open("street");
  start("voxelize", 1);
  const double g = app.workspace().scene().voxels()->grid.voxel_m[0];
  slider(0).setFocus();
  QTest::keyClick(&slider(0), Qt::Key_Right);
  EXPECT_EQ(player().page(), 1);
  ASSERT_TRUE(waitFor([&] { return control(0).place() == 3 && lessons().pages().settled(); }));
  EXPECT_DOUBLE_EQ(app.workspace().scene().voxels()->grid.voxel_m[0], 1.5 * g);
  EXPECT_EQ(slider(0).accessibleName(), "Voxel size g, relative to the voxel size of the scene");
  EXPECT_EQ(slider(0).accessibleDescription(), "1.50 x");
  QTest::keyClick(&slider(0), Qt::Key_Space);
  EXPECT_EQ(player().page(), 2);
}

TEST_F(LessonControlsTest, ATallSceneOverflowsTheSelectedPacking) {
  setCalm(true);
  openWith("street", 0.1);
  const auto before = app.workspace().scene().voxels();
  start("voxelize", 6);
  ASSERT_EQ(panel().controls().size(), 2U);
  EXPECT_EQ(control(1).present(), "one bit short");
  set(1, 1);
  EXPECT_EQ(number("voxels read at a wrong position"), 0)
      << "the packing of the scene, 12/12/8, must misread no voxel";
  set(0, 5);
  const VoxelScene& tall = *app.workspace().scene().voxels();
  std::array<double, 3> size = before->grid.voxel_m;
  size[2] /= 8;
  EXPECT_EQ(tall.grid.voxel_m, size);
  std::int64_t high = 0;
  for (Voxel v : voxelsAt(size))
    high += v[2] - tall.shift[2] >= 256 ? 1 : 0;
  ASSERT_GT(high, 0) << "some voxels must be too high for the packing";
  EXPECT_GE(number("voxels read at a wrong position"), 1);
  EXPECT_LE(number("voxels read at a wrong position"), static_cast<double>(high))
      << "at most the high voxels must be misread, because an OR can leave y unchanged";
  EXPECT_EQ(std::ssize(lessons().pages().picture()->from), number("voxels read at a wrong position"))
      << "the picture must contain all misread voxels";
  set(1, 3);
  EXPECT_EQ(number("voxels read at a wrong position"), 0) << "24/24/16 must misread no voxel";
  EXPECT_TRUE(lessons().pages().picture()->from.empty());
  goTo(7);
  EXPECT_EQ(app.workspace().requested().pack(), before->pack);
  EXPECT_EQ(app.workspace().scene().voxels()->grid.voxel_m, before->grid.voxel_m);
  goTo(6);
  EXPECT_EQ(control(1).present(), "one bit short") << "the page must start with its default choice";
}

TEST_F(LessonControlsTest, ChannelsAreSelectedByButtonsThatKeysReach) {
  setCalm(true);
  open("street");
  start("dataflows", 7);
  ASSERT_EQ(panel().controls().size(), 2U);
  EXPECT_EQ(control(0).present(), "32");
  const double price = number("modelled cost of a pair, in empty slots");
  EXPECT_NEAR(price, 64.0 / 32 + 128.0 / 32, 0.051);
  QPushButton* few = nullptr;
  for (QPushButton* button : control(0).findChildren<QPushButton*>())
    if (button->text() == "4") few = button;
  ASSERT_NE(few, nullptr);
  EXPECT_EQ(few->accessibleName(), "Input channels of the layer: 4");
  few->setFocus();
  QTest::keyClick(few, Qt::Key_Space);
  ASSERT_TRUE(waitFor([&] { return control(0).present() == "4" && lessons().pages().settled(); }));
  EXPECT_TRUE(few->isChecked());
  EXPECT_EQ(player().page(), 7);
  EXPECT_NEAR(number("modelled cost of a pair, in empty slots"), 64.0 / 32 + 128.0 / 4, 0.051);
}

TEST_F(LessonControlsTest, SpaceAndArrowKeysContinueAfterAClickOnAButton) {
  setCalm(true);
  open("street");
  start("voxelize", 1);
  QPushButton* next = nullptr;
  for (QPushButton* button : panel().findChildren<QPushButton*>())
    if (button->text() == "Next") next = button;
  ASSERT_NE(next, nullptr);
  QTest::mouseClick(next, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return player().page() == 2 && lessons().pages().settled(); }));
  next->setFocus(Qt::MouseFocusReason);
  QTest::keyClick(next, Qt::Key_Left);
  ASSERT_TRUE(waitFor([&] { return player().page() == 1 && lessons().pages().settled(); }));
  QTest::keyClick(next, Qt::Key_Space);
  ASSERT_TRUE(waitFor([&] { return player().page() == 2 && lessons().pages().settled(); }));
  next->setFocus(Qt::TabFocusReason);
  const QSignalSpy pressed(next, &QPushButton::clicked);
  QTest::keyClick(next, Qt::Key_Space);
  EXPECT_EQ(pressed.count(), 1) << "a key must activate the button that Tab reached";
}

TEST(ChoiceRow, HasAsManyColumnsAsFitAndFullRows) {
  ChoiceRow row;
  std::vector<QPushButton*> buttons;
  for (int at = 0; at < 4; ++at) {
    buttons.push_back(new QPushButton("a choice"));
    row.add(buttons.back());
  }
  const QSize one = row.minimumSizeHint();
  const int all = row.heightForWidth(5 * one.width());
  EXPECT_EQ(all, one.height()) << "one row";
  const int two = row.heightForWidth(3 * one.width() + 20);
  EXPECT_EQ(row.heightForWidth(one.width()), 2 * two + (two - 2 * one.height())) << "four rows";
  row.resize(3 * one.width() + 20, two);
  row.show();
  EXPECT_EQ(buttons[0]->y(), buttons[1]->y());
  EXPECT_EQ(buttons[2]->x(), buttons[0]->x()) << "two rows of two are better than three and one";
  EXPECT_EQ(buttons[3]->x(), buttons[1]->x());
  EXPECT_EQ(buttons[3]->geometry().bottom(), two - 1);
}

TEST_F(LessonControlsTest, ThePageBarIsReachableByKeys) {
  setCalm(true);
  open("street");
  start("density", 2);
  auto* bar = panel().findChild<PageBar*>();
  ASSERT_NE(bar, nullptr);
  EXPECT_NE(bar->focusPolicy() & Qt::TabFocus, 0);
  bar->setFocus(Qt::TabFocusReason);
  QTest::keyClick(bar, Qt::Key_Home);
  ASSERT_TRUE(waitFor([&] { return player().page() == 0 && lessons().pages().settled(); }));
  const double part = player().part();
  QTest::keyClick(bar, part < 0.5 ? Qt::Key_Down : Qt::Key_Up);
  EXPECT_NEAR(player().part(), part + (part < 0.5 ? 0.1 : -0.1), 1e-9);
  QTest::keyClick(bar, Qt::Key_End);
  ASSERT_TRUE(
      waitFor([&] { return player().page() == player().pages() - 1 && lessons().pages().settled(); }));
  QTest::keyClick(bar, Qt::Key_Left);
  EXPECT_EQ(player().page(), player().pages() - 2);
}

}  // namespace
}  // namespace spira::ui

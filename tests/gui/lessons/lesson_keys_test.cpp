// Tests keys while a lesson is open: keys of the 3D view that are pressed on the page, and Space after the
// button with the focus has disappeared.
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "ui/lessons/controls/run_box.hpp"
#include "ui/view3d/scene/scene_camera.hpp"

#include <QApplication>
#include <QPushButton>
#include <QSlider>

#include <algorithm>

namespace spira::ui {
namespace {

class LessonKeysTest : public LessonsTest {
 protected:
  LessonKeysTest() {
    // The bare X server of the tests has no window manager that would activate the window.
    QApplication::setActiveWindow(&window);
  }
  QPushButton& button(const QString& text) {
    const auto all = panel().findChildren<QPushButton*>();
    return **std::find_if(all.begin(), all.end(), [&](const auto* one) { return one->text() == text; });
  }
};

TEST_F(LessonKeysTest, SpacePlaysThePageAfterItsRunIsMeasuredOrStopped) {
  open("room");
  app.commands().trigger("network.resn21");
  lessons().start(lesson("indexing"), 4);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  button("Measure here").setFocus(Qt::MouseFocusReason);
  button("Measure here").click();
  ASSERT_TRUE(button("Measure here").isHidden());
  EXPECT_EQ(window.focusWidget(), &panel());
  button("Stop").setFocus(Qt::MouseFocusReason);
  button("Stop").click();
  ASSERT_TRUE(waitFor([&] { return idle() && lessons().pages().settled() && button("Stop").isHidden(); }));
  EXPECT_EQ(window.focusWidget(), &panel());
  press(Qt::Key_Space);
  EXPECT_EQ(player().page(), 4);
  EXPECT_EQ(player().phase(), LessonPhase::moving);
}

TEST_F(LessonKeysTest, AButtonOfAPageReleasesTheFocusToTheNextPage) {
  open("street");
  start("density");
  button("Choose offset (2, 2, 0)").setFocus(Qt::MouseFocusReason);
  player().next();
  EXPECT_EQ(player().page(), 1);
  EXPECT_EQ(window.focusWidget(), &panel());
}

TEST_F(LessonKeysTest, LettersAndDigitsOfTheViewWorkOnThePage) {
  open("street");
  start("density");
  ASSERT_EQ(window.focusWidget(), &panel());
  press(Qt::Key_3);
  EXPECT_EQ(app.selection().stride(), 4);
  const ColourBy before = app.selection().look().colourBy();
  press(Qt::Key_S);
  EXPECT_NE(app.selection().look().colourBy(), before);
  const auto from = [&] { return app.sceneView().camera().pose()->position_m; };
  const auto above = from();
  QTest::keyClick(&panel(), Qt::Key_9, Qt::KeypadModifier);
  EXPECT_NE(from(), above) << "the key must show the scene from below";
  press(Qt::Key_L);
  EXPECT_TRUE(app.commands().action("select.lasso")->isChecked());
  press(Qt::Key_Escape);
  EXPECT_FALSE(app.commands().action("select.lasso")->isChecked());
  EXPECT_EQ(player().page(), 0);
}

/// The key Home is also a key of the 3D view.
TEST_F(LessonKeysTest, ASliderOfThePageKeepsItsKeys) {
  setCalm(true);
  open("street");
  start("voxelize", 1);
  auto& slider = *panel().findChild<QSlider*>();
  slider.setFocus();
  app.sceneView().camera().look(1, 0, 0);
  const auto camera = app.sceneView().camera().pose()->position_m;
  press(Qt::Key_Home);
  EXPECT_EQ(slider.value(), slider.minimum());
  EXPECT_EQ(app.sceneView().camera().pose()->position_m, camera);
}

}  // namespace
}  // namespace spira::ui

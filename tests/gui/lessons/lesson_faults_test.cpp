// Tests lessons on a scene whose packing is too small for some steps. A refused step shows the reason, no
// page waits for a missing result, and the fix that the user selects stays in effect.
#include "engine/base/file.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/support/temp_folder.hpp"
#include "ui/lessons/controls/control_row.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/window/banner.hpp"

#include <QPushButton>
#include <QSlider>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class LessonFaultsTest : public LessonsTest {
 protected:
  enum Page { halves = 3, curve = 4, sweep = 5, model = 6, channels = 7 };

  /// Opens a stack of 255 cells of 1 m. 8 bits for z are enough at K = 3, but not at K = 5.
  void openTightScene() {
    std::string text;
    for (int z = 0; z < 255; ++z)
      text += "0.5 0.5 " + std::to_string(z) + ".5\n";
    write_file(folder / "column.xyz", text);
    app.workspace().requested().setPack(PackSpec::bits32());
    app.jobs().scenes().options().keep_pack = true;
    openWith(QString::fromStdString((folder / "column.xyz").string()), 1);
    ASSERT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  }
  void takeTheWayOut() {
    for (auto* button : banner_of(window).findChildren<QPushButton*>())
      if (button->text() == "Use 64 bits") return button->click();
    FAIL() << "the banner offers no button with the expected text";
  }

  const test::TempFolder folder;
};

TEST_F(LessonFaultsTest, APageWithoutItsPictureGivesAReasonAndContinues) {
  openTightScene();
  start("dataflows", curve);
  EXPECT_TRUE(banner_of(window).isVisible());
  EXPECT_EQ(lessons().pages().picture(), nullptr);
  player().setSpeed(4);
  player().go();
  ASSERT_TRUE(waitFor([&] { return player().phase() == LessonPhase::shown && lessons().pages().settled(); }));
  EXPECT_THAT(lessons().pages().diagram().accessibleDescription().toStdString(),
              HasSubstr("This page has no picture: "));
  EXPECT_THAT(lessons().pages().diagram().accessibleDescription().toStdString(), HasSubstr("K = 5"));
  player().go();
  EXPECT_EQ(player().page(), sweep);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
}

TEST_F(LessonFaultsTest, APackingSelectedOnAPageStaysForTheNextPages) {
  setCalm(true);
  openTightScene();
  const auto before = app.workspace().scene().voxels();
  start("dataflows", curve);
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible() && lessons().pages().settled(); }));
  EXPECT_EQ(numbers().at("slots per voxel at t = 3"), QString("\u2013"));
  takeTheWayOut();
  ASSERT_TRUE(waitFor([&] {
    return lessons().pages().settled() && app.workspace().requested().pack() == PackSpec::bits64() &&
           lessons().pages().picture();
  }));
  EXPECT_EQ(number("slots per voxel at t = 3"), 25) << "the page must have its numbers with the new packing";
  for (const int page : {channels, curve, halves}) {
    goTo(page);
    EXPECT_EQ(app.workspace().requested().pack(), PackSpec::bits64()) << "page " << page;
    EXPECT_FALSE(banner_of(window).isVisible()) << "page " << page;
  }
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), before)
      << "leaving the lesson must restore the previous voxels";
}

TEST_F(LessonFaultsTest, ARefusedValueReturnsToTheCurrentOne) {
  setCalm(true);
  openTightScene();
  start("voxelize", 1);
  ControlRow& size = *panel().controls().front();
  size.set(0);
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible() && lessons().pages().settled(); }));
  EXPECT_EQ(size.present(), "1.00 x");
  EXPECT_TRUE(waitFor([&] { return size.findChild<QSlider*>()->value() == 2; }));
}

}  // namespace
}  // namespace spira::ui

// Tests lessons on a scene whose packing is too small for them. Refused steps show the reason, the user never
// waits for a missing result, and the remedy that the user chose stays in effect.
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
    window.workspace().setGrid({{1, 1, 1}, {}});
    window.workspace().setPack(PackSpec::bits32());
    window.jobs().scenes().options().keep_grid = true;
    window.jobs().scenes().options().keep_pack = true;
    open(QString::fromStdString((folder / "column.xyz").string()));
    ASSERT_EQ(window.workspace().voxels()->pack, PackSpec::bits32());
  }
  void takeTheWayOut() {
    for (auto* button : window.banner().findChildren<QPushButton*>())
      if (button->text() == "Use 64 bits") return button->click();
    FAIL() << "no way out is offered";
  }

  const test::TempFolder folder;
};

TEST_F(LessonFaultsTest, APageWithoutItsPictureSaysSoAndGoesOn) {
  openTightScene();
  start("dataflows", curve);
  EXPECT_TRUE(window.banner().isVisible());
  EXPECT_EQ(lessons().picture(), nullptr);
  player().setSpeed(4);
  player().go();
  ASSERT_TRUE(waitFor([&] { return player().phase() == LessonPhase::shown && lessons().settled(); }));
  EXPECT_THAT(lessons().diagram().accessibleDescription().toStdString(),
              HasSubstr("This page has no picture: "));
  EXPECT_THAT(lessons().diagram().accessibleDescription().toStdString(), HasSubstr("K = 5"));
  player().go();
  EXPECT_EQ(player().page(), sweep);
  ASSERT_TRUE(waitFor([&] { return lessons().settled(); }));
}

TEST_F(LessonFaultsTest, APackingThatIsTakenOnAPageStaysForTheNextOnes) {
  setCalm(true);
  openTightScene();
  const auto before = window.workspace().voxels();
  start("dataflows", curve);
  ASSERT_TRUE(waitFor([&] { return window.banner().isVisible() && lessons().settled(); }));
  EXPECT_EQ(numbers().at("slots at t = 3, per voxel"), QString("\u2013"));
  takeTheWayOut();
  ASSERT_TRUE(waitFor([&] {
    return lessons().settled() && window.workspace().pack() == PackSpec::bits64() && lessons().picture();
  }));
  EXPECT_EQ(number("slots at t = 3, per voxel"), 25) << "and the page is there";
  for (const int page : {channels, curve, halves}) {
    goTo(page);
    EXPECT_EQ(window.workspace().pack(), PackSpec::bits64()) << "page " << page;
    EXPECT_FALSE(window.banner().isVisible()) << "page " << page;
  }
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && window.sceneView().settled(); }));
  EXPECT_EQ(window.workspace().voxels(), before) << "the lesson gives back what it found";
}

TEST_F(LessonFaultsTest, AValueThatIsRefusedGoesBackToWhatThereIs) {
  setCalm(true);
  openTightScene();
  start("voxelize", 1);
  ControlRow& size = *panel().controls().front();
  size.set(0);
  ASSERT_TRUE(waitFor([&] { return window.banner().isVisible() && lessons().settled(); }));
  EXPECT_EQ(size.present(), "1.00 x");
  EXPECT_TRUE(waitFor([&] { return size.findChild<QSlider*>()->value() == 2; }));
}

}  // namespace
}  // namespace spira::ui

// Tests Ctrl+W: it closes the lesson first, then the open scene. It asks before it stops a job that the user
// started.
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/lessons/lesson_player.hpp"

#include <QMessageBox>
#include <QTemporaryDir>
#include <QTimer>

namespace spira::ui {
namespace {

class CloseTest : public WindowTest {
 protected:
  [[nodiscard]] bool startPageShown() const { return window.findChild<EmptyPage*>()->isVisible(); }
  bool close() {
    window.commands().refresh();
    return window.commands().trigger("file.close");
  }
};

TEST_F(CloseTest, ASceneGoesAndTheStartPageComesBack) {
  EXPECT_FALSE(window.commands().whyNot("file.close").isEmpty()) << "nothing is open";
  open("room");
  window.selection().setLayer(1);
  runNetwork("resn21");
  ASSERT_FALSE(startPageShown());
  EXPECT_EQ(window.commands().action("file.close")->shortcut(), QKeySequence("Ctrl+W"));
  ASSERT_TRUE(close());
  ASSERT_TRUE(waitFor([&] { return startPageShown(); }));
  EXPECT_EQ(window.workspace().voxels(), nullptr);
  EXPECT_EQ(window.workspace().cloud(), nullptr);
  EXPECT_EQ(window.workspace().layersRun(), 0);
  EXPECT_EQ(window.windowTitle(), "SpiraScope");
  EXPECT_FALSE(window.commands().action("edit.undo")->isEnabled());
  EXPECT_FALSE(window.whyNoSession().isEmpty());
  EXPECT_FALSE(window.commands().whyNot("run.run").isEmpty());
  open("street");
  EXPECT_FALSE(startPageShown()) << "and another one opens";
  EXPECT_EQ(window.workspace().network()->name, "resn21") << "the network stays";
}

TEST_F(CloseTest, ARecordedRunGoesToo) {
  QTemporaryDir folder;
  write_report(folder.filePath("far.json").toStdString(), test::recorded_report());
  window.open(folder.filePath("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().report(); }));
  ASSERT_TRUE(close());
  ASSERT_TRUE(waitFor([&] { return startPageShown(); }));
  EXPECT_EQ(window.workspace().report(), nullptr);
  EXPECT_EQ(window.workspace().measurement(), nullptr);
  open("room");
}

TEST_F(CloseTest, ASlabWithoutVoxelsDoesNotHoldWhatIsGone) {
  open("room");
  window.selection().setSlab(std::pair{1000.0, 1001.0});
  ASSERT_TRUE(waitFor([&] { return window.sceneView().settled(); }));
  ASSERT_TRUE(close());
  ASSERT_TRUE(waitFor([&] { return startPageShown(); }));
}

TEST_F(CloseTest, ALessonIsLeftFirst) {
  open("room");
  const auto before = window.workspace().voxels();
  window.lessons().start(window.lessons().all().front(), 0);
  ASSERT_TRUE(waitFor([&] { return window.lessons().settled(); }));
  ASSERT_TRUE(close());
  EXPECT_EQ(window.lessons().player().lesson(), nullptr);
  EXPECT_EQ(window.workspace().voxels(), before) << "the scene stays until it is asked again";
  ASSERT_TRUE(close());
  EXPECT_EQ(window.workspace().voxels(), nullptr);
}

TEST_F(CloseTest, AJobThatRunsIsAskedAbout) {
  open("street");
  const auto answer = [this](const char* word) {
    QTimer::singleShot(100, &window, [word] {
      auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(question, nullptr);
      for (auto* button : question->buttons()) {
        if (button->text().startsWith(word)) return button->click();
      }
    });
  };
  ASSERT_TRUE(window.commands().trigger("run.measure"));
  answer("Keep");
  ASSERT_TRUE(close());
  EXPECT_NE(window.workspace().voxels(), nullptr);
  ASSERT_TRUE(window.jobs().lane().askedFor()) << "it goes on";
  answer("Cancel");
  ASSERT_TRUE(close());
  EXPECT_EQ(window.workspace().voxels(), nullptr);
  EXPECT_TRUE(waitFor([&] { return idle() && startPageShown(); }));
  EXPECT_EQ(window.workspace().measurement(), nullptr);
}

}  // namespace
}  // namespace spira::ui

// Tests Ctrl+W, which closes the lesson first and then the open scene. It asks before it stops a job that the
// user started.
#include "engine/report/report_exports.hpp"
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
    app.commands().refresh();
    return app.commands().trigger("file.close");
  }
};

TEST_F(CloseTest, ClosingASceneShowsTheStartPage) {
  EXPECT_FALSE(app.commands().unavailableReason("file.close").isEmpty())
      << "Close must be disabled if nothing is open";
  openWith("room", 0.1);
  app.selection().setLayer(1);
  runNetwork("resn21");
  ASSERT_FALSE(startPageShown());
  EXPECT_EQ(app.commands().action("file.close")->shortcut(), QKeySequence("Ctrl+W"));
  ASSERT_TRUE(close());
  ASSERT_TRUE(waitFor([&] { return startPageShown(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), nullptr);
  EXPECT_EQ(app.workspace().scene().cloud(), nullptr);
  EXPECT_EQ(app.workspace().results().layersRun(), 0);
  EXPECT_EQ(window.windowTitle(), "SpiraScope");
  EXPECT_FALSE(app.commands().action("edit.undo")->isEnabled());
  EXPECT_FALSE(app.sessions().whyNone().isEmpty());
  EXPECT_FALSE(app.commands().unavailableReason("run.run").isEmpty());
  open("street");
  EXPECT_FALSE(startPageShown()) << "another scene must open after closing";
  EXPECT_EQ(app.workspace().network()->name, "resn21") << "closing a scene must keep the network";
}

TEST_F(CloseTest, ClosingAlsoRemovesARecordedRun) {
  QTemporaryDir folder;
  write_report(folder.filePath("far.json").toStdString(), test::recorded_report());
  app.opening().open(folder.filePath("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  ASSERT_TRUE(close());
  ASSERT_TRUE(waitFor([&] { return startPageShown(); }));
  EXPECT_EQ(app.workspace().results().report(), nullptr);
  EXPECT_EQ(app.workspace().results().measurement(), nullptr);
  open("room");
}

TEST_F(CloseTest, ASlabWithoutVoxelsDoesNotKeepAClosedScene) {
  open("room");
  app.selection().look().setSlab(std::pair{1000.0, 1001.0});
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  ASSERT_TRUE(close());
  ASSERT_TRUE(waitFor([&] { return startPageShown(); }));
}

TEST_F(CloseTest, TheLessonClosesBeforeTheScene) {
  open("room");
  const auto before = app.workspace().scene().voxels();
  app.lessons().start(app.lessons().all().front(), 0);
  ASSERT_TRUE(waitFor([&] { return app.lessons().pages().settled(); }));
  ASSERT_TRUE(close());
  EXPECT_EQ(app.lessons().player().lesson(), nullptr);
  EXPECT_EQ(app.workspace().scene().voxels(), before) << "the first Close must close only the lesson";
  ASSERT_TRUE(close());
  EXPECT_EQ(app.workspace().scene().voxels(), nullptr);
}

TEST_F(CloseTest, ClosingAsksBeforeItStopsARunningJob) {
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
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  answer("Keep");
  ASSERT_TRUE(close());
  EXPECT_NE(app.workspace().scene().voxels(), nullptr);
  ASSERT_TRUE(app.jobs().lane().askedFor()) << "the job must continue after the question is refused";
  answer("Cancel");
  ASSERT_TRUE(close());
  EXPECT_EQ(app.workspace().scene().voxels(), nullptr);
  EXPECT_TRUE(waitFor([&] { return idle() && startPageShown(); }));
  EXPECT_EQ(app.workspace().results().measurement(), nullptr);
}

}  // namespace
}  // namespace spira::ui

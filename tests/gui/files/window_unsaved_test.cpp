// Tests unsaved measurements and tuning profiles. The window asks before it discards them. If it cannot ask,
// it saves them.
#include "app/common/backends.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/tuned_profile.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/file_jobs.hpp"
#include "ui/window/banner.hpp"

#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QTemporaryDir>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class UnsavedTest : public WindowTest {
 protected:
  UnsavedTest() { app.unsavedResults().setAsks(true); }
  [[nodiscard]] QString room(const char* name) const {
    const QString file = folder.filePath(name);
    write_scene(*test::small_room(2000), file.toStdString());
    return file;
  }
  void measure(Application& in) {
    in.jobs().runs().useNetwork(std::make_shared<const Network>(single_layer_network(3, 1, 4, 4)));
    QSignalSpy measured(&in.jobs().runs(), &RunJobs::measured);
    ASSERT_TRUE(in.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return measured.count() == 1 && !in.jobs().lane().busy(); }));
  }
  void openAndMeasure() {
    open(room("a.ply"));
    measure(app);
  }
  /// Clicks a button of the next question dialog.
  void answer(QMessageBox::StandardButton button) {
    ++expected_;
    auto* timer = new QTimer(&window);
    connect_answer(timer, button);
    timer->start(20);
  }
  void connect_answer(QTimer* timer, QMessageBox::StandardButton button) {
    QObject::connect(timer, &QTimer::timeout, timer, [this, timer, button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr || box->objectName() != "unsaved_question") return;
      timer->stop();
      timer->deleteLater();
      ++asked_;
      text_ = box->text().toStdString();
      EXPECT_EQ(box->defaultButton(), box->button(QMessageBox::Save));
      EXPECT_EQ(box->escapeButton(), box->button(QMessageBox::Cancel));
      box->button(button)->click();
    });
  }
  /// Checks that exactly the expected questions appeared.
  void TearDown() override { EXPECT_EQ(asked_, expected_); }
  bool closeScene() {
    app.commands().refresh();
    return app.commands().trigger("file.close");
  }
  void saveAs(const QString& name) {
    Hands::inNextFileDialog([this, name](QFileDialog& dialog) {
      Hands::typeName(dialog, folder.filePath(name));
      QTest::keyClick(&dialog, Qt::Key_Return);
    });
  }
  [[nodiscard]] static std::shared_ptr<const TuningProfile> profile() {
    return std::make_shared<const TuningProfile>(test::tuned_profile());
  }

  QTemporaryDir folder;
  int asked_ = 0, expected_ = 0;
  std::string text_;
};

TEST_F(UnsavedTest, ClosingASceneAsksBeforeItsMeasurementIsLost) {
  openAndMeasure();
  answer(QMessageBox::Cancel);
  ASSERT_TRUE(closeScene());
  EXPECT_THAT(text_, HasSubstr("the measurement of"));
  EXPECT_THAT(text_, HasSubstr("on a"));
  EXPECT_NE(app.workspace().results().measurement(), nullptr);
  answer(QMessageBox::Save);
  saveAs("kept.spira.json");
  ASSERT_TRUE(closeScene());
  EXPECT_EQ(app.workspace().scene().voxels(), nullptr);
  EXPECT_EQ(read_report(folder.filePath("kept.spira.json").toStdString()).scene.name, "a.ply");
}

TEST_F(UnsavedTest, DiscardCloses) {
  openAndMeasure();
  answer(QMessageBox::Discard);
  ASSERT_TRUE(closeScene());
  EXPECT_EQ(app.workspace().results().measurement(), nullptr);
}

TEST_F(UnsavedTest, CancellingTheFileDialogCancelsTheClosing) {
  openAndMeasure();
  answer(QMessageBox::Save);
  Hands::inNextFileDialog([](QFileDialog& dialog) { dialog.reject(); });
  ASSERT_TRUE(closeScene());
  EXPECT_NE(app.workspace().results().measurement(), nullptr);
}

TEST_F(UnsavedTest, OpeningAnotherSceneAsks) {
  openAndMeasure();
  const auto before = app.workspace().scene().voxels();
  const QString other = room("b.ply");
  answer(QMessageBox::Cancel);
  app.opening().open(other);
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  answer(QMessageBox::Cancel);
  app.opening().openAll({other, room("c.ply")});
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  answer(QMessageBox::Cancel);
  ASSERT_TRUE(app.commands().trigger("file.reload"));
  EXPECT_NE(app.workspace().results().measurement(), nullptr);
  answer(QMessageBox::Discard);
  open(other);
  EXPECT_EQ(app.workspace().scene().cloud()->name, "b.ply");
}

TEST_F(UnsavedTest, NothingIsAskedWithoutUnsavedResults) {
  open(room("a.ply"));
  ASSERT_TRUE(closeScene());
  openAndMeasure();
  saveAs("run.spira.json");
  ASSERT_TRUE(app.commands().trigger("export.report"));
  ASSERT_TRUE(waitFor([&] {
    return QFile::exists(folder.filePath("run.spira.json")) && !child<ExportFiles>(window).writer().busy();
  }));
  ASSERT_TRUE(closeScene());
  app.opening().open(folder.filePath("run.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  EXPECT_TRUE(window.close()) << "a recorded run must not count as unsaved";
}

TEST_F(UnsavedTest, ABaselineIsLostWithTheWindowButNotWithItsScene) {
  openAndMeasure();
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  ASSERT_TRUE(closeScene());
  answer(QMessageBox::Cancel);
  EXPECT_FALSE(window.close());
  EXPECT_THAT(text_, HasSubstr("on a"));
  answer(QMessageBox::Discard);
  EXPECT_TRUE(window.close());
}

TEST_F(UnsavedTest, ClosingOrReplacingAProfileAsks) {
  open(room("a.ply"));
  Tuning& tuning = *app.profileTools().tuning();
  tuning.setProfile(profile(), "(unsaved)", true);
  ASSERT_TRUE(closeScene());
  EXPECT_TRUE(tuning.unsaved()) << "the profile must stay open";
  const auto mine = tuning.profile();
  write_profile(folder.filePath("other.tune.json").toStdString(), *mine);
  answer(QMessageBox::Cancel);
  app.opening().open(folder.filePath("other.tune.json"));
  EXPECT_EQ(tuning.profile(), mine);
  EXPECT_THAT(text_, HasSubstr("the tuning profile of"));
  answer(QMessageBox::Cancel);
  EXPECT_FALSE(window.close());
  answer(QMessageBox::Save);
  saveAs("mine.tune.json");
  EXPECT_TRUE(window.close()) << banner_of(window).text().toStdString();
  EXPECT_TRUE(QFile::exists(folder.filePath("mine.tune.json")));
}

TEST_F(UnsavedTest, AWindowThatCannotAskSavesItsResults) {
  QTemporaryDir state;
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    Application other(registry, state.path());
    other.window().show();
    other.opening().open(room("a.ply"));
    ASSERT_TRUE(waitFor([&] { return !other.jobs().lane().busy() && other.workspace().scene().voxels(); }));
    measure(other);
    other.profileTools().tuning()->setProfile(profile(), "(unsaved)", true);
    other.closing().closeWithoutQuestions();
  }
  const QDir kept(state.path() + "/results");
  EXPECT_EQ(kept.entryList({"*a-*.spira.json"}).size(), 1);
  EXPECT_EQ(kept.entryList({"*.tune.json"}).size(), 1);
  Application next(registry, state.path());
  EXPECT_FALSE(next.recentFiles().files().filter("/results/").isEmpty())
      << "the saved results must be in the recent files";
}

TEST_F(UnsavedTest, AWatchedFileThatChangesDoesNotLoseAMeasurement) {
  QTemporaryDir state;
  Application other(std::make_shared<const Registry>(app::make_registry()), state.path());
  other.window().show();
  other.opening().open(room("a.ply"));
  const auto opened = [&] { return !other.jobs().lane().busy() && other.workspace().scene().voxels(); };
  ASSERT_TRUE(waitFor(opened));
  measure(other);
  const auto before = other.workspace().scene().cloud();
  ASSERT_TRUE(other.commands().trigger("file.watch"));
  write_scene(*test::small_room(3000), folder.filePath("a.ply").toStdString());
  ASSERT_TRUE(waitFor([&] { return opened() && other.workspace().scene().cloud() != before; }));
  EXPECT_EQ(other.workspace().results().measurement(), nullptr)
      << "a changed file must discard the measurement of the previous points";
  EXPECT_EQ(QDir(state.path() + "/results").entryList({"*a-*.spira.json"}).size(), 1);
  other.closing().closeWithoutQuestions();
}

TEST_F(UnsavedTest, AScriptedRunSavesItsResultsWithoutAsking) {
  QTemporaryDir home;
  for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    qputenv(name, home.path().toUtf8());
  const test::Finished ended = test::Program(SPIRASCOPE_PROGRAM,
                                             {room("a.ply").toStdString(), "--network", "resn21", "--command",
                                              "run.measure", "--command", "file.quit"},
                                             home.path().toStdString())
                                   .finish();
  for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    qunsetenv(name);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(QDir(home.path() + "/spirascope/results").entryList({"*.spira.json"}).size(), 1);
  EXPECT_TRUE(QDir(home.path() + "/spirascope/recovery").entryList({"*.spirasession"}).isEmpty());
}

}  // namespace
}  // namespace spira::ui

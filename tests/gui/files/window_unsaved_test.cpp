// Tests unsaved measurements and tuning profiles: the question before they are lost, and what is kept if no
// user can answer.
#include "engine/scene/write_scene.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/tuned_profile.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/file_writer.hpp"
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
  UnsavedTest() { window.unsavedResults().setAsks(true); }
  [[nodiscard]] QString room(const char* name) const {
    const QString file = folder.filePath(name);
    write_scene(*test::small_room(2000), file.toStdString());
    return file;
  }
  void measure(MainWindow& in) {
    in.jobs().runs().useNetwork(std::make_shared<const Network>(single_layer_network(3, 1, 4, 4)));
    QSignalSpy measured(&in.jobs().runs(), &RunJobs::measured);
    ASSERT_TRUE(in.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return measured.count() == 1 && !in.jobs().lane().busy(); }));
  }
  void openAndMeasure() {
    open(room("a.ply"));
    measure(window);
  }
  /// Clicks a button of the next question.
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
  /// Expects that all expected questions appeared, and no others.
  void TearDown() override { EXPECT_EQ(asked_, expected_); }
  bool closeScene() {
    window.commands().refresh();
    return window.commands().trigger("file.close");
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
  EXPECT_NE(window.workspace().measurement(), nullptr);
  answer(QMessageBox::Save);
  saveAs("kept.spira.json");
  ASSERT_TRUE(closeScene());
  EXPECT_EQ(window.workspace().voxels(), nullptr);
  EXPECT_EQ(read_report(folder.filePath("kept.spira.json").toStdString()).scene.name, "a.ply");
}

TEST_F(UnsavedTest, DiscardCloses) {
  openAndMeasure();
  answer(QMessageBox::Discard);
  ASSERT_TRUE(closeScene());
  EXPECT_EQ(window.workspace().measurement(), nullptr);
}

TEST_F(UnsavedTest, CancellingTheFileDialogCancelsTheClosing) {
  openAndMeasure();
  answer(QMessageBox::Save);
  Hands::inNextFileDialog([](QFileDialog& dialog) { dialog.reject(); });
  ASSERT_TRUE(closeScene());
  EXPECT_NE(window.workspace().measurement(), nullptr);
}

TEST_F(UnsavedTest, OpeningAnotherSceneAsks) {
  openAndMeasure();
  const auto before = window.workspace().voxels();
  const QString other = room("b.ply");
  answer(QMessageBox::Cancel);
  window.open(other);
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(window.workspace().voxels(), before);
  answer(QMessageBox::Cancel);
  window.openAll({other, room("c.ply")});
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(window.workspace().voxels(), before);
  answer(QMessageBox::Cancel);
  ASSERT_TRUE(window.commands().trigger("file.reload"));
  EXPECT_NE(window.workspace().measurement(), nullptr);
  answer(QMessageBox::Discard);
  open(other);
  EXPECT_EQ(window.workspace().cloud()->name, "b.ply");
}

TEST_F(UnsavedTest, NothingIsAskedWithoutUnsavedResults) {
  open(room("a.ply"));
  ASSERT_TRUE(closeScene());
  openAndMeasure();
  saveAs("run.spira.json");
  ASSERT_TRUE(window.commands().trigger("export.report"));
  ASSERT_TRUE(waitFor(
      [&] { return QFile::exists(folder.filePath("run.spira.json")) && !window.exports().files().busy(); }));
  ASSERT_TRUE(closeScene());
  window.open(folder.filePath("run.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().report(); }));
  EXPECT_TRUE(window.close()) << "a recorded run is in its file";
}

TEST_F(UnsavedTest, ABaselineIsNotLostWithItsSceneButWithTheWindow) {
  openAndMeasure();
  ASSERT_TRUE(window.commands().trigger("compare.set_baseline"));
  ASSERT_TRUE(closeScene());
  answer(QMessageBox::Cancel);
  EXPECT_FALSE(window.close());
  EXPECT_THAT(text_, HasSubstr("on a"));
  answer(QMessageBox::Discard);
  EXPECT_TRUE(window.close());
}

TEST_F(UnsavedTest, AProfileIsAskedAboutWhenTheWindowClosesOrAnotherOneReplacesIt) {
  open(room("a.ply"));
  Tuning& tuning = *window.profileTools().tuning();
  tuning.setProfile(profile(), "(unsaved)", true);
  ASSERT_TRUE(closeScene());
  EXPECT_TRUE(tuning.unsaved()) << "it stays open";
  const auto mine = tuning.profile();
  write_profile(folder.filePath("other.tune.json").toStdString(), *mine);
  answer(QMessageBox::Cancel);
  window.open(folder.filePath("other.tune.json"));
  EXPECT_EQ(tuning.profile(), mine);
  EXPECT_THAT(text_, HasSubstr("the tuning profile of"));
  answer(QMessageBox::Cancel);
  EXPECT_FALSE(window.close());
  answer(QMessageBox::Save);
  saveAs("mine.tune.json");
  EXPECT_TRUE(window.close()) << window.banner().text().toStdString();
  EXPECT_TRUE(QFile::exists(folder.filePath("mine.tune.json")));
}

TEST_F(UnsavedTest, AWindowThatCannotAskKeepsItsResults) {
  QTemporaryDir state;
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    MainWindow other(registry, state.path());
    other.show();
    other.open(room("a.ply"));
    ASSERT_TRUE(waitFor([&] { return !other.jobs().lane().busy() && other.workspace().voxels(); }));
    measure(other);
    other.profileTools().tuning()->setProfile(profile(), "(unsaved)", true);
    other.closeWithoutQuestions();
  }
  const QDir kept(state.path() + "/results");
  EXPECT_EQ(kept.entryList({"*a-*.spira.json"}).size(), 1);
  EXPECT_EQ(kept.entryList({"*.tune.json"}).size(), 1);
  MainWindow next(registry, state.path());
  EXPECT_FALSE(next.recentFiles().files().filter("/results/").isEmpty()) << "they are found again";
}

TEST_F(UnsavedTest, AWatchedFileThatChangesDoesNotLoseAMeasurement) {
  QTemporaryDir state;
  MainWindow other(std::make_shared<const Registry>(app::make_registry()), state.path());
  other.show();
  other.open(room("a.ply"));
  const auto opened = [&] { return !other.jobs().lane().busy() && other.workspace().voxels(); };
  ASSERT_TRUE(waitFor(opened));
  measure(other);
  const auto before = other.workspace().cloud();
  ASSERT_TRUE(other.commands().trigger("file.watch"));
  write_scene(*test::small_room(3000), folder.filePath("a.ply").toStdString());
  ASSERT_TRUE(waitFor([&] { return opened() && other.workspace().cloud() != before; }));
  EXPECT_EQ(other.workspace().measurement(), nullptr) << "it is of the former points";
  EXPECT_EQ(QDir(state.path() + "/results").entryList({"*a-*.spira.json"}).size(), 1);
  other.closeWithoutQuestions();
}

TEST_F(UnsavedTest, AScriptIsNotAskedAndKeepsItsResults) {
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

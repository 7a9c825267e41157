// Tests sessions in a real window: saving them, moving their folder, opening them in another window, and
// recovering them after a crash.
#include "app/common/backends.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/run_program.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/window/banner.hpp"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

QString write_rows(const QString& path, int points) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < points; ++at)
    file.write(QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1());
  return path;
}

void expect_near(const CameraPose& a, const CameraPose& b) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(a.position_m[axis], b.position_m[axis], 1e-6);
    EXPECT_NEAR(a.focal_m[axis], b.focal_m[axis], 1e-6);
    EXPECT_NEAR(a.up[axis], b.up[axis], 1e-9);
  }
}

class WindowSessionTest : public WindowTest {
 protected:
  [[nodiscard]] bool opened(Application& other) {
    return waitFor([&] {
      return !other.jobs().lane().busy() && other.workspace().scene().voxels() &&
             other.sceneView().settled() && other.workspace().shownMap(-1).map;
    });
  }
  static std::unique_ptr<Application> another(const QString& folder = {}) {
    auto other =
        std::make_unique<Application>(std::make_shared<const Registry>(app::make_registry()), folder);
    other->window().resize(1440, 900);
    other->window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&other->window()));
    return other;
  }
  /// Changes at least one setting of each kind that sessions store.
  void lookAround() {
    app.jobs().scenes().crop(Bounds{{0, 0, -5}, {30, 30, 30}});
    ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
    app.jobs().runs().chooseNetwork("resn21");
    app.selection().setLayer(2);
    ASSERT_TRUE(app.commands().trigger("t.down"));
    app.selection().setStride(2);
    app.selection().look().setColourBy(ColourBy::points_per_voxel);
    ASSERT_TRUE(app.commands().trigger("colour.bands"));
    ASSERT_TRUE(app.commands().trigger("layout.learn"));
    ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
    app.sceneView().camera().look(1, 0.5, -0.5);
    app.selection().look().setSlab(std::pair{-100.0, 1.5});
    ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  }
  static void expectSame(const SessionState& read, const SessionState& written) {
    Parameters same = read.parameters;
    EXPECT_EQ(same.network->name, written.parameters.network->name);
    same.network = written.parameters.network;
    EXPECT_EQ(difference(same, written.parameters), QString());
    EXPECT_EQ(read.layer, written.layer);
    EXPECT_EQ(read.stride, written.stride);
    EXPECT_EQ(read.layout, written.layout);
    EXPECT_EQ(read.frame, written.frame);
    ASSERT_TRUE(read.camera && written.camera);
    expect_near(*read.camera, *written.camera);
  }
};

TEST_F(WindowSessionTest, IsRestoredInAnotherWindowAndAfterItsFolderWasMoved) {
  QTemporaryDir folder;
  QDir(folder.path()).mkpath("before/frames");
  write_rows(folder.filePath("before/frames/f1.xyz"), 500);
  write_rows(folder.filePath("before/frames/f2.xyz"), 900);
  open(folder.filePath("before/frames"));
  QSignalSpy next(&app.jobs().scenes(), &SceneJobs::opened);
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return next.count() == 1 && idle() && app.sceneView().settled(); }));
  lookAround();
  const SessionState written = app.sessions().state();
  EXPECT_EQ(written.kind, OpenKind::folder);
  ASSERT_TRUE(app.sessions().save(folder.filePath("before/my.spirasession")));
  ASSERT_TRUE(QDir(folder.path()).rename("before", "after"));
  const auto other = another();
  other->opening().open(folder.filePath("after/my.spirasession"));
  ASSERT_TRUE(opened(*other));
  EXPECT_EQ(other->workspace().scene().cloud()->size(), 900);
  expectSame(other->sessions().state(), written);
  EXPECT_EQ(other->history().stack()->count(), 0) << "opening a session must not be an undo step";
  EXPECT_TRUE(other->window().findChild<QDockWidget*>("left")->isHidden());
}

TEST_F(WindowSessionTest, RestoresABuiltInSceneAndAReport) {
  QTemporaryDir folder;
  open("street");
  ASSERT_TRUE(app.sessions().save(folder.filePath("street.spirasession")));
  const auto other = another();
  other->opening().open(folder.filePath("street.spirasession"));
  ASSERT_TRUE(opened(*other));
  EXPECT_EQ(other->workspace().scene().cloud()->name, "street");

  write_report(folder.filePath("run.spira.json").toStdString(), test::recorded_report());
  app.opening().open(folder.filePath("run.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  ASSERT_TRUE(app.sessions().save(folder.filePath("report.spirasession")));
  other->opening().open(folder.filePath("report.spirasession"));
  ASSERT_TRUE(waitFor([&] { return !other->jobs().lane().busy() && other->workspace().results().report(); }));
}

TEST_F(WindowSessionTest, AnInvalidSessionOrAMissingSceneIsReportedAndKeepsTheScene) {
  QTemporaryDir folder;
  open(write_rows(folder.filePath("scan.xyz"), 300));
  const auto before = app.workspace().scene().voxels();
  ASSERT_TRUE(app.sessions().save(folder.filePath("my.spirasession")));
  ASSERT_TRUE(QFile::remove(folder.filePath("scan.xyz")));
  app.opening().open(folder.filePath("my.spirasession"));
  EXPECT_TRUE(banner_of(window).isVisible());
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("scan.xyz"));
  QFile torn(folder.filePath("torn.spirasession"));
  ASSERT_TRUE(torn.open(QIODevice::WriteOnly));
  torn.write("{\"schema\":");
  torn.close();
  app.opening().open(torn.fileName());
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("torn.spirasession"));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  EXPECT_FALSE(app.sessions().save(folder.filePath("no/such/folder/x.spirasession")));
}

TEST_F(WindowSessionTest, AfterACrashTheNextStartOffersTheSceneOnce) {
  QTemporaryDir state;
  {
    const auto crashing = another(state.path());
    crashing->settings().set("recovery.seconds", 1);
    QSignalSpy done(&crashing->jobs().scenes(), &SceneJobs::opened);
    crashing->opening().open("room");
    ASSERT_TRUE(waitFor([&] { return done.count() == 1; }));
    crashing->selection().look().setColourBy(ColourBy::points_per_voxel);
    const QDir copies(state.path() + "/recovery");
    ASSERT_TRUE(waitFor([&] { return copies.entryList({"*.spirasession"}).size() == 1; }));
    QTest::qWait(1200);  // Wait for another recovery copy, which includes the colouring.
  }                      // destroyed without being closed
  const auto next = another(state.path());
  ASSERT_TRUE(banner_of(*next).isVisible());
  EXPECT_THAT(banner_of(*next).text().toStdString(), HasSubstr("room"));
  banner_of(*next).findChildren<QPushButton*>().front()->click();
  ASSERT_TRUE(opened(*next));
  EXPECT_EQ(next->workspace().scene().cloud()->name, "room");
  EXPECT_EQ(next->selection().look().colourBy(), ColourBy::points_per_voxel);
  next->window().close();
  const auto third = another(state.path());
  EXPECT_FALSE(banner_of(*third).isVisible());
}

TEST_F(WindowSessionTest, AKilledProgramLeavesItsSceneToTheNextStart) {
  QTemporaryDir home;
  const QString state = home.path() + "/spirascope";
  QDir().mkpath(state);
  QFile settings(state + "/settings.json");
  ASSERT_TRUE(settings.open(QIODevice::WriteOnly));
  settings.write(R"({"schema":"spirascope.settings","version":1,"values":{"recovery.seconds":1}})");
  settings.close();
  qputenv("XDG_STATE_HOME", home.path().toUtf8());
  qputenv("XDG_CONFIG_HOME", home.path().toUtf8());
  const QDir copies(state + "/recovery");
  {
    const test::Program killed(SPIRASCOPE_PROGRAM, {"room", "--command", "colour.bands"},
                               home.path().toStdString());
    ASSERT_TRUE(waitFor([&] {
      const QStringList found = copies.entryList({"*.spirasession"});
      QFile copy(copies.filePath(found.value(0)));
      return !found.isEmpty() && copy.open(QIODevice::ReadOnly) && copy.readAll().contains("bands");
    }));
  }  // the destructors send SIGKILL
  for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    qunsetenv(name);
  EXPECT_EQ(copies.entryList({"*.lock"}).size(), 1) << "the program must run until it is killed";
  const auto next = another(state);
  ASSERT_TRUE(banner_of(*next).isVisible());
  EXPECT_THAT(banner_of(*next).text().toStdString(), HasSubstr("room was open"));
  banner_of(*next).findChildren<QPushButton*>().front()->click();
  ASSERT_TRUE(opened(*next));
  EXPECT_EQ(next->workspace().scene().cloud()->name, "room");
  EXPECT_EQ(next->selection().look().colours().map, ColourMap::bands);
  next->window().close();
  EXPECT_TRUE(copies.entryList({"*.spirasession"}).isEmpty());
}

TEST_F(WindowSessionTest, WithoutConfigNothingIsReadOrWritten) {
  QTemporaryDir home;
  const QString place = home.path() + "/spirascope";
  QDir().mkpath(place);
  const QByteArray chosen =
      R"({"schema":"spirascope.settings","version":1,"values":{},"keys":{"run.run":"Ctrl+Alt+9"}})";
  QFile settings(place + "/settings.json");
  ASSERT_TRUE(settings.open(QIODevice::WriteOnly));
  settings.write(chosen);
  settings.close();
  for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    qputenv(name, home.path().toUtf8());
  const auto start = [&](std::vector<std::string> words) {
    const test::Finished ended = test::Program(SPIRASCOPE_PROGRAM, words, home.path().toStdString()).finish();
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  EXPECT_THAT(start({"--list-bindings"}), HasSubstr("Ctrl+Alt+9"));
  EXPECT_THAT(start({"--list-bindings", "--no-config"}), testing::Not(HasSubstr("Ctrl+Alt+9")));
  const QStringList before = QDir(place).entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot);
  static_cast<void>(start({"room", "--no-config", "--command", "theme.dark", "--command", "file.quit"}));
  EXPECT_EQ(QDir(place).entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot), before);
  ASSERT_TRUE(settings.open(QIODevice::ReadOnly));
  EXPECT_EQ(settings.readAll(), chosen);
  static_cast<void>(start({"room", "--command", "file.quit"}));
  EXPECT_TRUE(QFile::exists(place + "/window.json"))
      << "the window state must be saved if the option is absent";
  for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    qunsetenv(name);
}

TEST_F(WindowSessionTest, AnErrorThatReplacesTheOfferDoesNotAnswerIt) {
  QTemporaryDir state;
  {
    const auto crashing = another(state.path());
    crashing->settings().set("recovery.seconds", 1);
    crashing->opening().open("room");
    const QDir copies(state.path() + "/recovery");
    ASSERT_TRUE(waitFor([&] { return copies.entryList({"*.spirasession"}).size() == 1; }));
  }
  {
    const auto next = another(state.path());
    ASSERT_TRUE(banner_of(*next).text().contains("room"));
    next->opening().open("/no/such/scene.ply");
    ASSERT_TRUE(waitFor([&] { return banner_of(*next).text().contains("scene.ply"); }));
    banner_of(*next).findChild<QToolButton*>()->click();
    next->window().close();
  }
  const auto third = another(state.path());
  EXPECT_TRUE(banner_of(*third).text().contains("room")) << "the error must not discard the recovery copy";
}

TEST_F(WindowSessionTest, ASessionIsForgottenIfItsSceneCannotBeOpened) {
  QTemporaryDir folder;
  QDir(folder.path()).mkpath("frames");
  write_rows(folder.filePath("frames/f1.xyz"), 500);
  write_rows(folder.filePath("frames/f2.xyz"), 500);
  open(folder.filePath("frames"));
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  ASSERT_TRUE(app.sessions().save(folder.filePath("my.spirasession")));
  for (const char* frame : {"frames/f1.xyz", "frames/f2.xyz"})
    ASSERT_TRUE(QFile::remove(folder.filePath(frame)));
  const auto other = another();
  other->opening().open(folder.filePath("my.spirasession"));
  ASSERT_TRUE(waitFor([&] { return banner_of(*other).isVisible(); })) << "an empty folder must show an error";
  other->jobs().scenes().open("room");
  ASSERT_TRUE(opened(*other));
  EXPECT_EQ(other->selection().look().colourBy(), ColourBy::height);
}

TEST_F(WindowSessionTest, AFileThatChangesIsReadAgainAndKeepsTheCamera) {
  QTemporaryDir folder;
  const QString file = write_rows(folder.filePath("scan.xyz"), 400);
  open("street");
  EXPECT_FALSE(app.commands().trigger("file.watch")) << "Watch must be disabled for a built-in scene";
  open(file);
  app.sceneView().camera().look(1, 0.5, -0.5);
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  const CameraPose pose = *app.sceneView().camera().pose();
  const auto again = [&](int points) {
    return waitFor([&] {
      const auto& cloud = app.workspace().scene().cloud();
      return cloud && cloud->size() == points && idle() && app.sceneView().settled();
    });
  };
  write_rows(file, 500);
  ASSERT_TRUE(app.commands().trigger("file.reload"));
  ASSERT_TRUE(again(500));
  expect_near(*app.sceneView().camera().pose(), pose);
  EXPECT_EQ(app.selection().look().colourBy(), ColourBy::points_per_voxel);
  ASSERT_TRUE(app.commands().trigger("file.watch"));
  write_rows(file, 600);
  ASSERT_TRUE(again(600)) << "a file that is overwritten in place must be read again";
  write_rows(folder.filePath("new.xyz"), 700);
  ASSERT_TRUE(QFile::remove(file) && QFile::rename(folder.filePath("new.xyz"), file));
  ASSERT_TRUE(again(700)) << "a file that is replaced by renaming must be read again";
  write_rows(file, 800);
  ASSERT_TRUE(again(800)) << "a replaced file must still be watched";
  expect_near(*app.sceneView().camera().pose(), pose);
}

TEST_F(WindowSessionTest, APictureOpensTheSceneThatItShows) {
  QTemporaryDir folder;
  open(write_rows(folder.filePath("two  spaces.xyz"), 400));
  app.sceneView().camera().look(1, 0.5, -0.5);
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  const CameraPose pose = *app.sceneView().camera().pose();
  const QString with = folder.filePath("with.png"), without = folder.filePath("without.png");
  child<Screenshots>(window).save({true, false, 1, true}, with);
  child<Screenshots>(window).save({true, false, 1, false}, without);
  EXPECT_TRUE(state_of_picture(without).isEmpty());
  EXPECT_FALSE(state_of_picture(with).contains(folder.path())) << "paths must be relative to the picture";
  const auto other = another();
  other->opening().open(with);
  EXPECT_THAT(banner_of(*other).text().toStdString(), HasSubstr("screenshot of SpiraScope"));
  EXPECT_FALSE(other->workspace().scene().cloud())
      << "the window must ask before it opens the scene of a picture";
  QPushButton* way = nullptr;
  for (auto* button : banner_of(*other).findChildren<QPushButton*>()) {
    if (button->text() == "Open session") way = button;
  }
  ASSERT_NE(way, nullptr);
  way->click();
  ASSERT_TRUE(opened(*other));
  expect_near(*other->sceneView().camera().pose(), pose);
  EXPECT_EQ(other->selection().look().colourBy(), ColourBy::points_per_voxel);
  other->opening().open(without);
  ASSERT_TRUE(waitFor([&] { return banner_of(*other).text().contains("without.png"); }))
      << "a picture without a scene must show an error";
}

}  // namespace
}  // namespace spira::ui

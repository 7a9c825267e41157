// Tests that a new job replaces the previous one. The results of running, refused and finished jobs must
// never mix.
#include "tests/gui/window_fixture.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>

namespace spira::ui {
namespace {

/// Writes rows of points that are 1 m apart. Each frame differs slightly from the others.
QString writeFrame(const QTemporaryDir& folder, int frame, int points) {
  QFile file(folder.filePath(QString("frame%1.xyz").arg(frame)));
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < points; ++at)
    file.write(QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1());
  return file.fileName();
}

QPushButton* wayOut(MainWindow& window, const QString& text) {
  for (auto* button : banner_of(window).findChildren<QPushButton*>()) {
    if (button->text() == text) return button;
  }
  return nullptr;
}

TEST_F(WindowTest, ANewNetworkEndsTheRunOfThePreviousOne) {
  open("street");
  app.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().layersRun() >= 2; }));
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(app.workspace().network()->name, "resn21");
  EXPECT_EQ(app.workspace().results().layersRun(), 0);
  runNetwork("resn21");
}

TEST_F(WindowTest, EscapeStopsTheJobIfNothingElseUsesIt) {
  open("street");
  app.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(app.commands().trigger("run.run"));
  app.selection().setLayer(0);
  const auto running = [&] { return app.jobs().lane().busy(); };
  ASSERT_TRUE(running());
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_EQ(app.selection().layer(), -1);
  EXPECT_TRUE(running()) << "the first Escape must clear only the selected layer";
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_LT(app.workspace().results().layersRun(),
            static_cast<int>(app.workspace().network()->layers.size()));
}

TEST_F(WindowTest, ARunThatReplacesTheSceneMapBuildsItFirst) {
  QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
  bool started = false;
  QObject::connect(&app.jobs().scenes(), &SceneJobs::opened, &window,
                   [&] { started = app.commands().trigger("run.run"); });
  app.jobs().runs().chooseNetwork("resn21");
  app.opening().open("street");
  ASSERT_TRUE(
      waitFor([&] { return opened.count() == 1 && idle() && app.workspace().results().layersRun() == 21; }));
  EXPECT_TRUE(started);
  EXPECT_TRUE(app.workspace().shownMap(-1).map);
}

TEST_F(WindowTest, RemediesOfARefusedSceneOpenThatScene) {
  open("room");
  const auto room = app.workspace().scene().voxels();
  app.workspace().requested().setPack(parse_pack_spec("5,5,5"));
  app.jobs().scenes().options().keep_pack = true;
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), room);
  QPushButton* fitting = wayOut(window, "Use 12/12/8");
  ASSERT_NE(fitting, nullptr);
  QTest::mouseClick(fitting, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels() != room; }));
  EXPECT_EQ(app.workspace().scene().cloud()->name, "street");
  EXPECT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  EXPECT_EQ(app.workspace().requested().grid().voxel_m[0], 0.1)
      << "the suggested fix must use the refused voxel size";
}

TEST_F(WindowTest, AFolderWithAnInvalidFirstFrameKeepsTheOpenSequence) {
  QTemporaryDir good, bad;
  writeFrame(good, 1, 50);
  writeFrame(good, 2, 100);
  app.opening().open(good.path());
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frames().size() == 2; }));
  const auto before = app.workspace().scene().voxels();
  QFile torn(bad.filePath("frame1.ply"));
  ASSERT_TRUE(torn.open(QIODevice::WriteOnly));
  torn.write("ply\nformat ascii 1.0\nelement vertex 9\n");
  torn.close();
  QSignalSpy failed(&app.jobs().lane(), &EngineLane::failed);
  app.opening().open(bad.path());
  ASSERT_TRUE(waitFor([&] { return idle() && failed.count() == 1; }));
  EXPECT_EQ(app.workspace().scene().frames().size(), 2U);
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->size() == 100; }));
}

TEST_F(WindowTest, SeveralFilesBecomeTheFramesOfASequence) {
  QTemporaryDir folder;
  const QString first = writeFrame(folder, 7, 40), second = writeFrame(folder, 3, 80);
  app.opening().openAll({first, second});
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 40);
  // Two steps follow each other immediately, so the second step starts from the frame that is still being
  // opened.
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 1; }));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 80);
}

TEST_F(WindowTest, PlainKeysActInTheViewsAndTypeTextElsewhere) {
  open("street");
  // The bare X server of the tests has no window manager that would activate the window.
  QApplication::setActiveWindow(&window);
  app.sceneView().canvas()->setFocus();
  QTest::keyClick(app.sceneView().canvas(), Qt::Key_3);
  EXPECT_EQ(app.selection().stride(), 4);
  auto* grid = window.findChild<QLineEdit*>("grid");
  ASSERT_NE(grid, nullptr);
  grid->setFocus();
  grid->selectAll();
  QTest::keyClicks(grid, "1");
  EXPECT_EQ(app.selection().stride(), 4) << "a digit typed as a voxel size must not change the stride";
  EXPECT_EQ(grid->text(), "1");
  child<DensityPanel>(window).chart()->setFocus();
  QTest::keyClick(child<DensityPanel>(window).chart(), Qt::Key_1);
  EXPECT_EQ(app.selection().stride(), 1);
}

TEST_F(WindowTest, ClosingStopsARunningJob) {
  open("street");
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().layersRun() >= 1; }));
  QTimer::singleShot(100, &window,
                     [] { QTest::keyClick(QApplication::activeModalWidget(), Qt::Key_Return); });
  window.close();
  EXPECT_FALSE(app.jobs().lane().busy());
  EXPECT_FALSE(window.isVisible());
}

}  // namespace
}  // namespace spira::ui

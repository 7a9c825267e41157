// Tests that one job replaces another: running, refused and open content never mix.
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

/// Writes rows of points 1 m apart. Each frame differs slightly.
QString writeFrame(const QTemporaryDir& folder, int frame, int points) {
  QFile file(folder.filePath(QString("frame%1.xyz").arg(frame)));
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < points; ++at)
    file.write(QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1());
  return file.fileName();
}

QPushButton* wayOut(MainWindow& window, const QString& text) {
  for (auto* button : window.banner().findChildren<QPushButton*>()) {
    if (button->text() == text) return button;
  }
  return nullptr;
}

TEST_F(WindowTest, ANewNetworkEndsTheRunOfTheFormerOne) {
  open("street");
  window.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(window.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return window.workspace().layersRun() >= 2; }));
  window.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(window.workspace().network()->name, "resn21");
  EXPECT_EQ(window.workspace().layersRun(), 0);
  runNetwork("resn21");
}

TEST_F(WindowTest, EscapeEndsWhatRunsWhereNothingElseTakesIt) {
  open("street");
  window.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(window.commands().trigger("run.run"));
  window.selection().setLayer(0);
  const auto running = [&] { return window.jobs().lane().busy(); };
  ASSERT_TRUE(running());
  ASSERT_TRUE(window.commands().trigger("view.clear"));
  EXPECT_EQ(window.selection().layer(), -1);
  EXPECT_TRUE(running()) << "the chosen layer took it";
  ASSERT_TRUE(window.commands().trigger("view.clear"));
  EXPECT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_LT(window.workspace().layersRun(), static_cast<int>(window.workspace().network()->layers.size()));
}

TEST_F(WindowTest, ARunThatReplacesTheSceneMapBuildsItFirst) {
  QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
  bool started = false;
  QObject::connect(&window.jobs().scenes(), &SceneJobs::opened, &window,
                   [&] { started = window.commands().trigger("run.run"); });
  window.jobs().runs().chooseNetwork("resn21");
  window.open("street");
  ASSERT_TRUE(waitFor([&] { return opened.count() == 1 && idle() && window.workspace().layersRun() == 21; }));
  EXPECT_TRUE(started);
  EXPECT_TRUE(window.workspace().shownMap(-1).map);
}

TEST_F(WindowTest, WaysOutOfARefusedSceneOpenThatScene) {
  open("room");
  const auto room = window.workspace().voxels();
  window.workspace().setPack(parse_pack_spec("5,5,5"));
  window.jobs().scenes().options().keep_pack = true;
  window.open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && window.banner().isVisible(); }));
  EXPECT_EQ(window.workspace().voxels(), room);
  QPushButton* wide = wayOut(window, "Use 64 bits");
  ASSERT_NE(wide, nullptr);
  QTest::mouseClick(wide, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels() != room; }));
  EXPECT_EQ(window.workspace().cloud()->name, "street");
  EXPECT_EQ(window.workspace().voxels()->pack, PackSpec::bits64());
  EXPECT_EQ(window.workspace().grid().voxel_m[0], 0.1) << "the size that was refused";
}

TEST_F(WindowTest, AFolderWithABadFirstFrameLeavesTheOpenSequence) {
  QTemporaryDir good, bad;
  writeFrame(good, 1, 50);
  writeFrame(good, 2, 100);
  window.open(good.path());
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().frames().size() == 2; }));
  const auto before = window.workspace().voxels();
  QFile torn(bad.filePath("frame1.ply"));
  ASSERT_TRUE(torn.open(QIODevice::WriteOnly));
  torn.write("ply\nformat ascii 1.0\nelement vertex 9\n");
  torn.close();
  QSignalSpy failed(&window.jobs().lane(), &EngineLane::failed);
  window.open(bad.path());
  ASSERT_TRUE(waitFor([&] { return idle() && failed.count() == 1; }));
  EXPECT_EQ(window.workspace().frames().size(), 2U);
  EXPECT_EQ(window.workspace().voxels(), before);
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().cloud()->size() == 100; }));
}

TEST_F(WindowTest, SeveralFilesAreTheFramesOfASequence) {
  QTemporaryDir folder;
  const QString first = writeFrame(folder, 7, 40), second = writeFrame(folder, 3, 80);
  window.openAll({first, second});
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels(); }));
  EXPECT_EQ(window.workspace().cloud()->size(), 40);
  // Two steps at once: the second step counts from the frame that is being opened.
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().frame() == 1; }));
  EXPECT_EQ(window.workspace().cloud()->size(), 80);
}

TEST_F(WindowTest, PlainKeysActInTheViewsAndAreTextElsewhere) {
  open("street");
  QApplication::setActiveWindow(&window);  // a bare X server has no window manager that activates the window
  window.sceneView().canvas()->setFocus();
  QTest::keyClick(window.sceneView().canvas(), Qt::Key_3);
  EXPECT_EQ(window.selection().stride(), 4);
  auto* grid = window.findChild<QLineEdit*>("grid");
  ASSERT_NE(grid, nullptr);
  grid->setFocus();
  grid->selectAll();
  QTest::keyClicks(grid, "1");
  EXPECT_EQ(window.selection().stride(), 4) << "a digit typed as a voxel size changed the stride";
  EXPECT_EQ(grid->text(), "1");
  window.densityPanel().chart()->setFocus();
  QTest::keyClick(window.densityPanel().chart(), Qt::Key_1);
  EXPECT_EQ(window.selection().stride(), 1);
}

TEST_F(WindowTest, ClosingWhileSomethingRunsEndsIt) {
  open("street");
  ASSERT_TRUE(window.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return window.workspace().layersRun() >= 1; }));
  QTimer::singleShot(100, &window,
                     [] { QTest::keyClick(QApplication::activeModalWidget(), Qt::Key_Return); });
  window.close();
  EXPECT_FALSE(window.jobs().lane().busy());
  EXPECT_FALSE(window.isVisible());
}

}  // namespace
}  // namespace spira::ui

// Tests playing a sequence, prefetching frames, and the settings that stay the same from frame to frame.
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/open/drop_target.hpp"
#include "ui/jobs/engine/frame_prefetch.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"
#include "ui/window/banner.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>

#include <filesystem>

namespace spira::ui {
namespace {

class WindowFramesTest : public WindowTest {
 protected:
  void writeFrame(int frame, int points) {
    QFile file(folder.filePath(QString("frame%1.xyz").arg(frame)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    QByteArray text;
    for (int at = 0; at < points; ++at)
      text += QString("%1 %2 %3\n").arg(at % 10).arg(at / 10).arg(at % 3).toLatin1();
    file.write(text);
  }
  void openFrames(int frames) {
    for (int frame = 0; frame < frames; ++frame)
      writeFrame(frame, 100 + frame);
    openFolder();
  }
  void openFolder() {
    app.opening().open(folder.path());
    ASSERT_TRUE(waitFor(
        [&] { return app.workspace().scene().voxels() && idle() && !jobs().scenes().prefetch().busy(); }));
  }
  [[nodiscard]] EngineJobs& jobs() { return app.jobs(); }
  [[nodiscard]] std::filesystem::path frame(std::size_t at) {
    return app.workspace().scene().frames().at(at);
  }

  QTemporaryDir folder;
};

TEST_F(WindowFramesTest, PlaysEveryFrameOnceAndStopsAtTheLast) {
  openFrames(6);
  std::vector<int> shown;
  QObject::connect(&app.workspace().scene(), &OpenScene::cloudChanged,
                   [&] { shown.push_back(app.workspace().scene().frame()); });
  child<FramePlayer>(window).setRate(1000);
  EXPECT_EQ(child<FramePlayer>(window).rate(), 30)
      << "the rate must be at most 30 frames per second, because faster playback would flicker";
  auto* play = window.findChild<QToolButton*>("play");
  ASSERT_TRUE(play->isVisible());
  EXPECT_EQ(play->accessibleName(), "Play");
  QTest::mouseClick(play, Qt::LeftButton);
  EXPECT_TRUE(child<FramePlayer>(window).playing());
  EXPECT_EQ(play->accessibleName(), "Pause");
  ASSERT_TRUE(waitFor([&] { return !child<FramePlayer>(window).playing() && idle(); }));
  EXPECT_EQ(shown, (std::vector<int>{1, 2, 3, 4, 5}));
  ASSERT_TRUE(app.commands().trigger("frame.play"))
      << "playing at the last frame must restart from the first";
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().frame() == 1; }));
  ASSERT_TRUE(app.commands().trigger("frame.play"));
  EXPECT_FALSE(child<FramePlayer>(window).playing());
}

TEST_F(WindowFramesTest, AColourIsTheSameHeightInAllFrames) {
  openFrames(2);  // The heights are up to 2 m.
  QFile tall(folder.filePath("frame2.xyz"));
  ASSERT_TRUE(tall.open(QIODevice::WriteOnly));
  for (int at = 0; at < 100; ++at)
    tall.write(QString("%1 %2 %3\n").arg(at % 10).arg(at / 10).arg(at % 30).toLatin1());
  tall.close();
  openFolder();
  ColourLegend legend;
  QObject::connect(&app.sceneView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { legend = now; });
  const auto go = [&](int frame) {
    while (app.workspace().scene().frame() != frame) {
      const int next = app.workspace().scene().frame() + (frame > app.workspace().scene().frame() ? 1 : -1);
      if (!app.commands().trigger(next > app.workspace().scene().frame() ? "frame.next" : "frame.previous"))
        return false;
      if (!waitFor(
              [&] { return app.workspace().scene().frame() == next && idle() && app.sceneView().settled(); }))
        return false;
    }
    return true;
  };
  ASSERT_TRUE(go(1));
  const double high = legend.range.high;
  EXPECT_LT(high, 3);
  ASSERT_TRUE(go(2));
  EXPECT_EQ(legend.range.high, high);
  EXPECT_EQ(legend.range_text, "middle 98 % of frame 1");
  ASSERT_TRUE(app.commands().trigger("colour.range_all"));
  ASSERT_TRUE(waitFor([&] { return legend.range.high > 20; }))
      << "the range must be computed again on request";
  EXPECT_EQ(legend.range_text, "middle 98 %");
  ASSERT_TRUE(go(0));
  EXPECT_EQ(legend.range_text, "middle 98 % of frame 3");
}

TEST_F(WindowFramesTest, TheListStaysExpandedAndShowsTheOpenFrame) {
  constexpr int frames = 40, far = 35;
  openFrames(frames);
  auto* tree = window.findChild<QTreeWidget*>("scenes");
  ASSERT_NE(tree, nullptr);
  const auto group = [&] { return tree->findItems("Frames (40)", Qt::MatchExactly).value(0); };
  ASSERT_NE(group(), nullptr);
  EXPECT_FALSE(group()->isExpanded()) << "a long list must be collapsed, because it hides the other groups";
  group()->setExpanded(true);
  emit tree->itemActivated(group()->child(far), 0);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == far; }));
  const auto shown = [&] { return group() != nullptr && tree->currentItem() == group()->child(far); };
  EXPECT_TRUE(waitFor(shown));
  EXPECT_TRUE(group()->isExpanded());
  EXPECT_TRUE(tree->viewport()->rect().contains(tree->visualItemRect(group()->child(far))));
}

TEST_F(WindowFramesTest, AVoxelOfThePreviousFrameIsNotMistakenForOneOfTheNext) {
  openFrames(4);
  jobs().scenes().showFrame(3);
  const auto shown = [&] { return idle() && app.sceneView().settled(); };
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().frame() == 3 && shown(); }));
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  const QPoint last = app.sceneView().pointer().positionOf(voxel_at(level, size_of(level) - 1));
  QWidget* canvas = window.findChild<QWidget*>("canvas");
  int clicks = 0;
  QObject::connect(&app.workspace().scene(), &OpenScene::voxelsChanged, canvas, [&] {
    // The picture still shows the previous frame, which has more voxels.
    QTest::mouseClick(canvas, Qt::LeftButton, {}, last);
    EXPECT_FALSE(app.selection().voxel());
    ++clicks;
  });
  jobs().scenes().showFrame(0);
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().frame() == 0 && shown(); }));
  EXPECT_GT(clicks, 0);
}

TEST_F(WindowFramesTest, PrefetchesNoFrameThatMayNotBeOpened) {
  constexpr int points = 10'000;
  writeFrame(0, 100);
  writeFrame(1, points);
  jobs().scenes().limitMemory(points * sizeof(Point) / 2);
  openFolder();
  EXPECT_FALSE(jobs().scenes().prefetch().cloud(frame(1)));
}

TEST_F(WindowFramesTest, PrefetchesTwoFramesAheadAndTwoBehindAndShowsThem) {
  openFrames(8);
  EXPECT_TRUE(jobs().scenes().prefetch().cloud(frame(2)));
  EXPECT_FALSE(jobs().scenes().prefetch().cloud(frame(3)));
  jobs().scenes().showFrame(4);
  ASSERT_TRUE(waitFor(
      [&] { return idle() && app.workspace().scene().frame() == 4 && !jobs().scenes().prefetch().busy(); }));
  for (const std::size_t near : {2U, 3U, 5U, 6U})
    EXPECT_TRUE(jobs().scenes().prefetch().cloud(frame(near))) << near;
  EXPECT_FALSE(jobs().scenes().prefetch().cloud(frame(1))) << "distant frames must be discarded";
  EXPECT_LE(jobs().scenes().prefetch().held(), 5U);
  const auto ahead = jobs().scenes().prefetch().cloud(frame(5));
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 5; }));
  EXPECT_EQ(app.workspace().scene().cloud(), ahead);
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 105);
  // Steps forward and back. Each frame has its own number of points.
  for (const int step : {6, 5, 4, 3, 5}) {
    jobs().scenes().showFrame(step);
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == step; }));
    EXPECT_EQ(app.workspace().scene().cloud()->size(), 100 + step);
  }
}

TEST_F(WindowFramesTest, CropColoursStrideLayerAndTStay) {
  openFrames(3);
  jobs().runs().chooseNetwork("resn21");
  app.selection().setLayer(2);
  const int t = app.workspace().requested().plan().layers.at(2).threshold;
  ASSERT_TRUE(app.commands().trigger("t.down"));
  ASSERT_NE(app.workspace().requested().plan().layers.at(2).threshold, t);
  const Plan plan = app.workspace().requested().plan();
  ASSERT_TRUE(app.commands().trigger("colour.bands"));
  ColourLook look = app.selection().look().colours();
  look.range = RangeMode::typed;
  look.typed[ColourBy::height] = {0.0, 2.0};
  app.selection().look().setColours(look);
  app.cropBox().setBox({{0, 0, -1}, {5, 20, 5}});
  app.cropBox().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.crop_m; }));
  const int stride = app.selection().stride();
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 1; }));
  EXPECT_EQ(app.selection().layer(), 2);
  EXPECT_EQ(app.selection().stride(), stride);
  EXPECT_EQ(app.selection().look().colours(), look);
  EXPECT_EQ(app.workspace().requested().plan().layers.at(2).threshold, plan.layers.at(2).threshold);
  EXPECT_EQ(app.workspace().scene().voxels()->grid.crop_m, (Bounds{{0, 0, -1}, {5, 20, 5}}));
}

TEST_F(WindowFramesTest, FilesDroppedWithCtrlAreAppendedToTheOpenFrames) {
  openFrames(2);
  QTemporaryDir other;
  const auto write = [&](const QString& name, const QByteArray& bytes) {
    QFile file(other.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return file.fileName();
  };
  const QString scan = write("scan.xyz", "0 0 0\n1 0 0\n1 1 0\n"),
                picture = write("photo.jpg", "\xff\xd8\xff\xe0");
  const Grid grid = app.workspace().requested().grid();
  auto* overlay = window.findChild<DropOverlay*>();
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(scan)});
  QDragEnterEvent enter(QPoint(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  for (const auto keys : {Qt::NoModifier, Qt::ControlModifier}) {  // The key is pressed during the drag.
    QDragMoveEvent move(QPoint(700, 300), Qt::CopyAction, &data, Qt::LeftButton, keys);
    QApplication::sendEvent(&window, &move);
    EXPECT_EQ(overlay->text(),
              keys == Qt::NoModifier ? "Drop to open scan.xyz" : "Drop to add scan.xyz to the open frames");
    EXPECT_TRUE(overlay->accessibleName().contains("Ctrl"));
  }
  Hands hands;
  hands.drop(window, {picture, scan}, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frames().size() == 3; }));
  EXPECT_EQ(app.workspace().scene().frame(), 2) << "the first appended frame must be shown";
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 3);
  EXPECT_EQ(app.workspace().requested().grid().voxel_m, grid.voxel_m);
  EXPECT_TRUE(banner_of(window).text().contains("photo.jpg"));
  EXPECT_EQ(app.sessions().state().kind, OpenKind::files);
}

TEST_F(WindowFramesTest, DroppedFilesThatAreNotScenesAreNamedAndTheRestOpens) {
  writeFrame(0, 100);
  writeFrame(1, 101);
  QFile notes(folder.filePath("notes.pdf"));
  ASSERT_TRUE(notes.open(QIODevice::WriteOnly));
  notes.write("%PDF-1.4\n");
  notes.close();
  const auto path = [this](const char* name) { return folder.filePath(name); };
  Hands hands;
  hands.drop(window, {path("frame0.xyz"), path("notes.pdf"), path("frame1.xyz")});
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frames().size() == 2; }));
  EXPECT_TRUE(banner_of(window).text().contains("notes.pdf"));
  EXPECT_FALSE(banner_of(window).text().contains("frame0"));
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frames().empty(); }));
  hands.drop(window, {path("notes.pdf"), path("notes.pdf")});
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_TRUE(banner_of(window).text().contains("none of these files is a scene"));
  EXPECT_EQ(app.workspace().scene().cloud()->format, "generated") << "the open scene must stay";
  EXPECT_EQ(app.jobs().scenes().whyNoFramesAdded(), "the open scene does not come from a file");
}

}  // namespace
}  // namespace spira::ui

// Tests the picture of the 3D view. It must show the whole scene, single voxels in their colours, and the
// selected voxel.
#include "tests/gui/window_fixture.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/panels/scene/slab_box.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/highlight_chips.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QFile>
#include <QTemporaryDir>

#include <cmath>

namespace spira::ui {
namespace {

class PictureTest : public WindowTest {
 protected:
  /// Opens a grid of points that are `apart` metres apart.
  void openPoints(const std::array<int, 3>& counts, double apart) {
    QFile file(folder.filePath("points.xyz"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    for (int x = 0; x < counts[0]; ++x) {
      for (int y = 0; y < counts[1]; ++y) {
        for (int z = 0; z < counts[2]; ++z)
          file.write(QString("%1 %2 %3\n").arg(x * apart).arg(y * apart).arg(z * apart).toLatin1());
      }
    }
    file.close();
    open(file.fileName());
  }
  [[nodiscard]] SceneView& view() { return app.sceneView(); }
  [[nodiscard]] QImage picture() { return view().picture(1, false); }
  [[nodiscard]] bool settled() {
    return waitFor([&] { return view().settled(); });
  }
  /// Counts the voxels whose centre is outside the picture.
  [[nodiscard]] int outside() {
    int count = 0;
    for (const Voxel& voxel : all_voxels(app.workspace().scene().voxels()->level(1)))
      count += view().canvas()->rect().contains(view().pointer().positionOf(voxel)) ? 0 : 1;
    return count;
  }

  QTemporaryDir folder;
};

int like(const QImage& picture, const QColor& colour) {
  int count = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const QColor at = picture.pixelColor(x, y);
      count += std::abs(at.red() - colour.red()) + std::abs(at.green() - colour.green()) +
                           std::abs(at.blue() - colour.blue()) <
                       12
                   ? 1
                   : 0;
    }
  }
  return count;
}

TEST_F(PictureTest, TheWholeSceneIsVisibleWhateverItsShape) {
  for (const std::array<int, 3> counts :
       {std::array{40, 3, 3}, std::array{3, 3, 40}, std::array{30, 30, 3}}) {
    SCOPED_TRACE(counts[0]);
    openPoints(counts, 1.0);
    EXPECT_EQ(outside(), 0) << "the whole scene must be visible after opening";
    for (const char* command :
         {"view.frame", "view.top", "view.front", "view.reset", "view.up_y", "view.up_z"}) {
      ASSERT_TRUE(app.commands().trigger(command)) << command;
      EXPECT_EQ(outside(), 0) << command;
    }
    ASSERT_TRUE(app.commands().trigger("view.orthographic"));
    ASSERT_TRUE(app.commands().trigger("view.frame"));
    EXPECT_EQ(outside(), 0) << "the whole scene must be visible in parallel projection";
    ASSERT_TRUE(app.commands().trigger("view.orthographic"));
    ASSERT_TRUE(app.commands().trigger("view.reset"));
    ASSERT_TRUE(waitFor([&] { return app.cropBox().extents().has_value(); }));
    ASSERT_TRUE(app.commands().trigger("crop.box"));
    EXPECT_TRUE(view().tools().crop()->handles().inPicture());
    ASSERT_TRUE(app.commands().trigger("crop.box"));
  }
}

TEST_F(PictureTest, AFramedSceneStaysFramedWhenTheWindowResizesUntilItIsRotated) {
  openPoints({40, 3, 3}, 1.0);
  ASSERT_TRUE(app.commands().trigger("view.front"));
  window.resize(1000, 900);
  EXPECT_TRUE(waitFor([&] { return outside() == 0; }));
  auto pose = *view().camera().pose();
  pose.position_m[0] += 1;
  view().camera().setPose(pose, false);
  window.resize(1440, 900);
  QTest::qWait(100);
  EXPECT_DOUBLE_EQ(view().camera().pose()->position_m[0], pose.position_m[0]);
}

TEST_F(PictureTest, ParallelRaysKeepTheSceneFramedAndAPictureLeavesTheViewUnchanged) {
  openPoints({40, 3, 3}, 1.0);
  view().camera().look(1, 0, 0);
  ASSERT_TRUE(app.commands().trigger("view.orthographic"));
  EXPECT_EQ(outside(), 0);
  const QPoint before =
      view().pointer().positionOf(all_voxels(app.workspace().scene().voxels()->level(1)).front());
  ASSERT_TRUE(settled());
  EXPECT_FALSE(picture().isNull());
  EXPECT_EQ(view().pointer().positionOf(all_voxels(app.workspace().scene().voxels()->level(1)).front()),
            before);
}

TEST_F(PictureTest, TheMarkerIsAtItsVoxelInAPictureTakenRightAfterALayoutChange) {
  openPoints({30, 30, 3}, 1.0);
  ASSERT_TRUE(app.commands().trigger("select.voxel"));
  ASSERT_TRUE(settled());
  ASSERT_TRUE(app.commands().trigger("layout.learn"));
  // The program processes these events too before it writes a file.
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  const QImage at_once = picture();
  QTest::qWait(0);
  ASSERT_TRUE(settled());
  EXPECT_EQ(at_once.size(), picture().size());
  EXPECT_EQ(at_once, picture());
}

TEST_F(PictureTest, SingleVoxelsKeepTheirColourWhenDepthIsShaded) {
  openPoints({6, 6, 6}, 10.0);
  ASSERT_TRUE(app.commands().trigger("view.points"));
  ASSERT_TRUE(settled());
  const QImage usual = picture();
  ASSERT_TRUE(app.commands().trigger("view.depth"));
  const QImage shaded = picture();
  int darker = 0, drawn = 0;
  for (int y = 0; y < usual.height(); ++y) {
    for (int x = 0; x < usual.width(); ++x) {
      const QColor before = usual.pixelColor(x, y), after = shaded.pixelColor(x, y);
      drawn += before.saturation() > 100 ? 1 : 0;
      darker += before.lightness() - after.lightness() > 20 ? 1 : 0;
    }
  }
  EXPECT_GT(drawn, 200);
  EXPECT_LT(darker, drawn / 20);
}

TEST_F(PictureTest, TheSelectedVoxelIsVisibleThroughVoxelsInFrontOfIt) {
  openPoints({9, 9, 9}, 0.1);
  app.workspace().requested().setGrid({{0.1, 0.1, 0.1}, {}});
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && settled() && app.workspace().shownMap(-1).map; }));
  ASSERT_TRUE(app.commands().trigger("view.cubes"));
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  const QColor colour = Theme().palette().error;
  ASSERT_TRUE(settled());
  const int before = like(picture(), colour);
  app.selection().setVoxel(ChosenVoxel{voxel_at(level, size_of(level) / 2), 1});
  ASSERT_TRUE(app.commands().trigger("view.frame"));
  EXPECT_GT(like(picture(), colour), before + 200);
}

TEST_F(PictureTest, TheFirstSlabShowsAPartOfAnyScene) {
  for (const double apart : {0.002, 3.0}) {
    SCOPED_TRACE(apart);
    openPoints({3, 3, 60}, apart);
    const auto& scene = *app.workspace().scene().voxels();
    const auto slab = first_slab(scene);
    int inside = 0;
    for (const Voxel& voxel : all_voxels(scene.level(1))) {
      const double z = scene.centre_m(voxel, 1)[2];
      inside += z >= slab.first && z <= slab.second ? 1 : 0;
    }
    EXPECT_GT(inside, 0);
    EXPECT_LT(inside, size_of(scene.level(1)) / 5);
    ASSERT_TRUE(waitFor([&] { return app.cropBox().extents().has_value(); }));
    ASSERT_TRUE(app.commands().trigger("view.slab"));
    EXPECT_EQ(app.selection().look().slab(), slab);
    ASSERT_TRUE(settled());
    EXPECT_EQ(view().hiddenText(), "");
    app.selection().look().setSlab(std::pair{1000.0, 1001.0});
    ASSERT_TRUE(settled());
    EXPECT_TRUE(view().hiddenText().startsWith("No voxels in the slab z 1000.0"))
        << view().hiddenText().toStdString();
    ASSERT_TRUE(app.commands().trigger("view.slab"));
  }
}

TEST_F(PictureTest, ThePictureIsMarkedAsShowingAPart) {
  open("street");
  const auto note = [&] { return view().findChild<ViewOverlay*>()->note(); };
  EXPECT_FALSE(note().contains(";")) << note().toStdString();
  const auto height = view().canvas()->height();
  view().canvas()->resize(view().canvas()->width(), 150);
  EXPECT_TRUE(waitFor([&] { return note().isEmpty(); }))
      << "the note must not cover a low view that shows all voxels";
  view().canvas()->resize(view().canvas()->width(), height);
  Bounds box = bounds(*app.workspace().scene().cloud());
  box.high[0] = (box.low[0] + box.high[0]) / 2;
  Grid grid = app.workspace().requested().grid();
  grid.crop_m = box;
  app.workspace().requested().setGrid(grid);
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && settled() && note().endsWith("; cropped"); }))
      << note().toStdString();
}

TEST_F(PictureTest, ChipsHaveNoBoxAroundThem) {
  open("street");
  app.selection().look().setSlab(std::pair{-1.0, 3.0});
  app.selection().setVoxel(ChosenVoxel{voxel_at(app.workspace().scene().voxels()->level(1), 0), 1});
  ASSERT_TRUE(settled());
  auto* chips = view().canvas()->findChild<HighlightChips*>();
  ASSERT_NE(chips, nullptr);
  const auto buttons = chips->findChildren<QWidget*>("chip", Qt::FindDirectChildrenOnly);
  ASSERT_GE(buttons.size(), 2);
  const QPoint between(buttons.back()->geometry().center().x(), buttons.back()->y() - 2);
  const QImage image = screen_picture(window, app.sceneView(), {});
  EXPECT_NE(image.pixelColor(chips->mapTo(&window, between)), chips->palette().color(QPalette::Window));
}

TEST_F(PictureTest, WithAnotherUpAxisTheLegendNamesTheCoordinate) {
  open("street");
  QString title;
  QObject::connect(&view(), &SceneView::legendChanged, &view(),
                   [&](const ColourLegend& legend) { title = legend.title; });
  ASSERT_TRUE(app.commands().trigger("view.up_y"));
  ASSERT_TRUE(settled());
  EXPECT_EQ(title, "z, m");
  ASSERT_TRUE(app.commands().trigger("view.up_z"));
  ASSERT_TRUE(settled());
  EXPECT_EQ(title, "height, m");
}

}  // namespace
}  // namespace spira::ui

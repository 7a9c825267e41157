// Where the 3D view is seen from and how it draws: parallel projection, framing, points, edges, depth
// shading.
#include "tests/gui/window_fixture.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <cmath>

namespace spira::ui {
namespace {

class CameraTest : public WindowTest {
 protected:
  void SetUp() override {
    open("street");
    ASSERT_TRUE(window.commands().trigger("view.stride_8"));
    ASSERT_TRUE(waitFor([&] { return view().settled(); }));
  }
  [[nodiscard]] SceneView& view() { return window.sceneView(); }
  [[nodiscard]] const CoordSet& level() { return window.workspace().voxels()->level(8); }
  /// Two voxels above each other.
  [[nodiscard]] std::pair<Voxel, Voxel> column() {
    for (std::int64_t row = 1; row < size_of(level()); ++row) {
      const Voxel below = voxel_at(level(), row - 1), above = voxel_at(level(), row);
      if (below[0] == above[0] && below[1] == above[1]) return {below, above};
    }
    return {};
  }
  static double apart(const QPoint& a, const QPoint& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }
};

TEST_F(CameraTest, ParallelRaysKeepAColumnOnOnePixelAndPickWhatIsSeen) {
  ASSERT_TRUE(window.commands().trigger("view.top"));
  const auto [below, above] = column();
  ASSERT_TRUE(window.commands().trigger("view.orthographic"));
  EXPECT_TRUE(window.commands().action("view.orthographic")->isChecked());
  EXPECT_LE(apart(view().positionOf(below), view().positionOf(above)), 1.5);
  QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, view().positionOf(below));
  ASSERT_TRUE(window.selection().voxel());
  const Voxel chosen = window.selection().voxel()->voxel;
  EXPECT_EQ(chosen[0], above[0]);
  EXPECT_EQ(chosen[1], above[1]);
  EXPECT_GE(chosen[2], above[2]) << "from above the upper one hides the lower";
  const QImage parallel = view().grab3d();
  ASSERT_TRUE(window.commands().trigger("view.orthographic"));
  EXPECT_NE(view().grab3d(), parallel);
}

TEST_F(CameraTest, TheChoiceIsFramed) {
  const Voxel voxel = voxel_at(level(), 3);
  window.selection().setVoxel(ChosenVoxel{voxel, 8});
  ASSERT_TRUE(window.commands().trigger("view.frame"));
  EXPECT_LE(apart(view().positionOf(voxel), view().canvas()->rect().center()), 4.0);
  window.selection().setVoxel(std::nullopt);
  ASSERT_TRUE(window.commands().trigger("view.frame"));
  EXPECT_TRUE(view().canvas()->rect().contains(view().positionOf(voxel)));
}

TEST_F(CameraTest, VoxelsAreDrawnAsPointsOrWithEdgesAndDepthIsShaded) {
  const QImage usual = view().grab3d();
  for (const char* id : {"view.points", "view.outlined"}) {
    SCOPED_TRACE(id);
    ASSERT_TRUE(window.commands().trigger(id));
    EXPECT_TRUE(window.commands().action(id)->isChecked());
    EXPECT_NE(view().grab3d(), usual);
  }
  ASSERT_TRUE(window.commands().trigger("view.automatic"));
  EXPECT_EQ(view().grab3d(), usual);
  ASSERT_TRUE(window.commands().trigger("view.depth"));
  const QImage shaded = view().grab3d();
  EXPECT_NE(shaded, usual);
  ASSERT_TRUE(window.commands().trigger("view.depth"));
  EXPECT_EQ(view().grab3d(), usual);
}

}  // namespace
}  // namespace spira::ui

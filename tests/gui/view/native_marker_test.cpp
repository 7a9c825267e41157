// Tests how the inputs of a native row are marked, and where the points of voxels are drawn.
#include "ui/view3d/voxels/native_marker.hpp"

#include "tests/support/small_session.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/voxels/near_points.hpp"
#include "ui/view3d/voxels/voxel_mesh.hpp"

#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spira::ui {
namespace {

using Change = NativeInput::Change;

const QColor back(10, 20, 30), ink(200, 60, 120);

QImage painted(Change change, bool folded, const Theme& theme) {
  QImage picture(60, 60, QImage::Format_RGB32);
  picture.fill(back);
  QPainter painter(&picture);
  paint_input(painter, {{30.5, 30.5}, change, folded, ink}, 30, theme);
  return picture;
}

/// Returns the number of pixels near the middle that have the colour of the input.
int inked(const QImage& picture) {
  int count = 0;
  for (int y = 24; y <= 36; ++y) {
    for (int x = 24; x <= 36; ++x)
      count += picture.pixelColor(x, y) == ink ? 1 : 0;
  }
  return count;
}

TEST(NativeMarkerTest, EveryChangeHasItsOwnShape) {
  const Theme theme;
  EXPECT_EQ(inked(painted(Change::same_column, false, theme)), 13 * 13) << "the shape must be filled";
  const int striped = inked(painted(Change::other_column, false, theme));
  EXPECT_GT(striped, 10);
  EXPECT_LT(striped, 120);
  const QImage lost = painted(Change::lost, false, theme), added = painted(Change::added, false, theme);
  EXPECT_EQ(inked(lost), 0);
  EXPECT_EQ(lost.pixelColor(30, 30), back) << "the shape must be hollow";
  EXPECT_EQ(inked(added), 0);
  EXPECT_NE(added.pixelColor(30, 30), back) << "the middle of a ring must not look like a hollow square";
  EXPECT_NE(lost, added);
}

TEST(NativeMarkerTest, FoldedInputsHaveANotch) {
  const Theme theme;
  for (const Change change : {Change::same_column, Change::other_column, Change::added}) {
    EXPECT_NE(painted(change, false, theme).pixelColor(39, 22), back);
    EXPECT_EQ(painted(change, true, theme).pixelColor(39, 22), back) << "the notch is at the upper right";
  }
}

TEST(NativeMarkerTest, TheLegendNamesTheShapesThatOccur) {
  NativeMarker marker;
  marker.scale.assign(27, ink);
  const QFontMetrics metrics{QFont()};
  marker.inputs = {{{}, Change::same_column, false, ink}, {{}, Change::same_column, false, ink}};
  const double one = native_legend_size(marker, metrics, false).height();
  marker.inputs.push_back({{}, Change::added, true, ink});
  EXPECT_DOUBLE_EQ(native_legend_size(marker, metrics, false).height() - one, 2 * (metrics.height() + 3))
      << "the new input and its notch need a line each";
  EXPECT_DOUBLE_EQ(native_legend_size(marker, metrics, true).height(), metrics.height() + 3);
}

class NearPointsTest : public testing::Test {
 protected:
  NearPointsTest() : small(network()) {
    Job job;
    scene =
        small.session.load(test::small_room(), test::small_grid, PackSpec::bits32(), Precision::fp32, job);
    mesh = std::make_shared<const VoxelMesh>(build_voxel_mesh(*scene, 1, {}, {}));
  }
  static Network network() {
    Network made = test::little_unet();
    set_neighbourhood(made, {NeighbourShape::ball, 1, 0});
    return made;
  }
  /// Returns a camera that looks from above at the middle of the scene.
  [[nodiscard]] ViewPoint above(double height, double pixels_per_radian) const {
    const double x = 0.5 * (mesh->box[0] + mesh->box[1]), y = 0.5 * (mesh->box[2] + mesh->box[3]);
    const double z = mesh->box[5] + height;
    ViewPoint from;
    from.eye = {x, y, z};
    from.to_clip = {1, 0, 0, -x, 0, 1, 0, -y, 0, 0, -1, z, 0, 0, -1, z};
    from.pixels_per_radian = pixels_per_radian;
    return from;
  }

  test::SmallSession small;
  std::shared_ptr<const VoxelScene> scene;
  std::shared_ptr<const VoxelMesh> mesh;
};

TEST_F(NearPointsTest, EveryVoxelHasOneKeptPoint) {
  const auto near = build_near_points(*scene, mesh, above(20, 1e6), {});
  ASSERT_EQ(static_cast<std::int64_t>(near->kept.count()), mesh->voxels) << "all voxels are large";
  EXPECT_EQ(std::set<std::int32_t>(near->kept.row.begin(), near->kept.row.end()).size(), near->kept.count());
  std::size_t merged = 0;
  for (const std::int32_t points : scene->points_per_voxel)
    merged += static_cast<std::size_t>(std::min(points - 1, 8));
  EXPECT_EQ(near->merged.count(), merged) << "each voxel shows up to 8 merged points";
}

TEST_F(NearPointsTest, SmallAndDistantVoxelsShowNoPoints) {
  EXPECT_EQ(build_near_points(*scene, mesh, above(20, 1), {})->kept.count(), 0U);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(build_near_points(*scene, mesh, above(20, 1e6), stop.get_token()), nullptr);
}

TEST_F(NearPointsTest, PointsLeaveTheirVoxelButStayInTheirPlaceInThePicture) {
  const ViewPoint from = above(20, 1e6);
  const auto near = build_near_points(*scene, mesh, from, {});
  std::vector<float> moved(near->kept.places.size());
  move_out_of_voxels(near->kept, *mesh, from, moved.data());
  const Picture picture{1000, 1000};
  for (std::size_t point = 0; point < near->kept.count(); ++point) {
    std::array<double, 3> before{}, after{};
    bool outside = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      before[axis] = near->kept.places[(3 * point) + axis];
      after[axis] = moved[(3 * point) + axis];
      const auto centre =
          static_cast<double>(mesh->centres[(3 * static_cast<std::size_t>(near->kept.row[point])) + axis]);
      const double away = std::abs(after[axis] - centre) / static_cast<double>(mesh->cell[axis]);
      ASSERT_LT(away, 0.76) << "the point must stay close to its voxel";
      outside = outside || away > 0.4999;
    }
    ASSERT_TRUE(outside);
    const auto a = on_picture(from, picture, before), b = on_picture(from, picture, after);
    ASSERT_TRUE(a && b);
    ASSERT_NEAR(a->x, b->x, 0.01);
    ASSERT_NEAR(a->y, b->y, 0.01);
  }
}

}  // namespace
}  // namespace spira::ui

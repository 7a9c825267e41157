// Tests the marker of the selected voxel. Existing neighbours are filled, and missing neighbours are
// outlined.
#include "ui/view3d/voxels/voxel_marker.hpp"

#include "ui/theme/theme.hpp"

#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

namespace spira::ui {
namespace {

QImage painted(const VoxelMarker& marker, const Theme& theme) {
  QImage picture(200, 200, QImage::Format_RGB32);
  picture.fill(QColor(10, 20, 30));
  QPainter painter(&picture);
  paint_marker(painter, marker, theme);
  return picture;
}

TEST(VoxelMarkerTest, MissesAreHollow) {
  const Theme theme;
  VoxelMarker marker;
  marker.at = {100, 100};
  marker.cell = 12;
  marker.reach = 30;
  marker.hits = {{112, 100}};
  marker.misses = {{100, 124}};
  const QImage picture = painted(marker, theme);
  EXPECT_EQ(picture.pixelColor(112, 100), theme.palette().match);
  EXPECT_EQ(picture.pixelColor(100, 124), QColor(10, 20, 30)) << "a missing neighbour must not be filled";
  marker.misses.clear();
  EXPECT_NE(painted(marker, theme), picture) << "a missing neighbour must have an outline";
}

TEST(VoxelMarkerTest, EdgesAreDrawnOverEverythingIfTheCellIsLarge) {
  const Theme theme;
  VoxelMarker marker;
  marker.at = {100, 100};
  marker.cell = 40;
  marker.edges = {{80, 80, 120, 80}};
  EXPECT_EQ(painted(marker, theme).pixelColor(100, 80), theme.palette().error);
}

TEST(VoxelMarkerTest, MissesAreOmittedIfTheyCannotBeDistinguished) {
  const Theme theme;
  VoxelMarker marker;
  marker.at = {100, 100};
  marker.cell = 2;
  marker.reach = 6;
  const QImage without = painted(marker, theme);
  marker.misses = {{102, 100}, {98, 100}};
  EXPECT_EQ(painted(marker, theme), without);
}

}  // namespace
}  // namespace spira::ui

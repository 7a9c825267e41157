// Tests the functions of the 3D view that require no window: picking and colours.
#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/session.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace spira::ui {
namespace {

class ViewFunctions : public testing::Test {
 protected:
  static std::shared_ptr<PointCloud> cloud(int points, std::uint64_t seed) {
    Random random(seed);
    auto made = std::make_shared<PointCloud>();
    for (int at = 0; at < points; ++at) {
      made->positions.push_back(
          {random.uniform(-1.5, 1.5), random.uniform(2.0, 4.5), random.uniform(-0.4, 0.8)});
    }
    return made;
  }
  std::shared_ptr<const VoxelScene> voxels(std::shared_ptr<const PointCloud> of,
                                           const Grid& grid = grid_of()) {
    return voxelize_scene(*backend_, std::move(of), grid, PackSpec::bits32(), {5, 16}, job_);
  }
  // The sizes are unequal, so that swapped axes are detected.
  static Grid grid_of() { return {{0.1, 0.2, 0.05}, {}}; }

  Job job_;
  std::shared_ptr<Backend> backend_ = app::make_registry().make("cpu");
};

/// Returns the parameters at which the ray enters and leaves the box of a voxel. If the ray misses the box,
/// the first parameter is larger than the second.
std::pair<double, double> through(const VoxelScene& scene, Voxel voxel, int stride, const Ray& ray) {
  const Point centre = scene.centre_m(voxel, stride);
  double enter = 0.0, leave = std::numeric_limits<double>::infinity();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double half = scene.grid.voxel_m.at(axis) * stride / 2.0;
    const double low = centre.at(axis) - half - ray.from.at(axis), d = ray.direction.at(axis);
    const double high = centre.at(axis) + half - ray.from.at(axis);
    if (d == 0.0) {
      if (low > 0.0 || high < 0.0) return {1.0, 0.0};
      continue;
    }
    enter = std::max(enter, std::min(low / d, high / d));
    leave = std::min(leave, std::max(low / d, high / d));
  }
  return {enter, leave};
}

struct Nearest {
  double enter = std::numeric_limits<double>::infinity();
  bool sure = true;  ///< False if the ray grazes a voxel, so that the result depends on rounding.
};

Nearest nearest(const VoxelScene& scene, int stride, const Ray& ray) {
  const CoordSet& level = scene.level(stride);
  Nearest found;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    const auto [enter, leave] = through(scene, voxel_at(level, row), stride, ray);
    if (std::abs(leave - enter) < 1e-7) found.sure = false;
    if (enter < leave) found.enter = std::min(found.enter, enter);
  }
  return found;
}

Ray random_ray(Random& random, int kind) {
  Ray ray;
  const bool inside = kind % 3 == 0;
  const Point middle{0.0, 3.25, 0.2}, half{1.4, 1.2, 0.55};
  Point to{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ray.from.at(axis) = middle.at(axis) + (half.at(axis) * random.uniform(-1, 1));
    to.at(axis) = middle.at(axis) + (half.at(axis) * random.uniform(-1, 1));
  }
  if (kind % 4 == 1) {  // Parallel to an axis, in either direction.
    const std::size_t axis = random.below(3);
    to = ray.from;
    to.at(axis) += random.below(2) == 0 ? 1.0 : -1.0;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ray.direction.at(axis) = to.at(axis) - ray.from.at(axis);
    if (!inside) ray.from.at(axis) -= 20.0 * ray.direction.at(axis);
  }
  return ray;
}

TEST_F(ViewFunctions, PickingEqualsTheNearestBoxOfAllVoxels) {
  const auto scene = voxels(cloud(260, 1));
  Random random(2);
  int hits = 0, misses = 0, unsure = 0;
  for (int at = 0; at < 1000; ++at) {
    const Ray ray = random_ray(random, at);
    const int stride = at % 5 == 4 ? 4 : 1;
    const Nearest expected = nearest(*scene, stride, ray);
    if (!expected.sure) {
      ++unsure;
      continue;
    }
    const auto row = pick_voxel(*scene, stride, ray);
    ASSERT_EQ(row.has_value(), std::isfinite(expected.enter)) << "ray " << at;
    ++(row ? hits : misses);
    if (!row) continue;
    const auto [enter, leave] = through(*scene, voxel_at(scene->level(stride), *row), stride, ray);
    ASSERT_LT(enter, leave) << "ray " << at << " does not meet the voxel";
    ASSERT_NEAR(enter, expected.enter, 1e-7) << "ray " << at << " meets another voxel first";
  }
  EXPECT_GT(hits, 200);
  EXPECT_GT(misses, 200);
  EXPECT_LT(unsure, 20);
}

TEST_F(ViewFunctions, PickingFromInsideAVoxelReturnsThatVoxelAndBehindReturnsNone) {
  const auto scene = voxels(cloud(1, 3));
  const Point centre = scene->centre_m(voxel_at(scene->level(1), 0), 1);
  EXPECT_EQ(pick_voxel(*scene, 1, {centre, {0.0, 0.0, 1.0}}), 0);
  EXPECT_EQ(pick_voxel(*scene, 1, {{centre[0], centre[1], centre[2] - 5}, {0.0, 0.0, 1.0}}), 0);
  EXPECT_EQ(pick_voxel(*scene, 1, {{centre[0], centre[1], centre[2] - 5}, {0.0, 0.0, -1.0}}), std::nullopt);
  EXPECT_EQ(pick_voxel(*scene, 1, {{centre[0] + 1, centre[1], centre[2]}, {0.0, 0.0, 1.0}}), std::nullopt);
}

TEST(ColourMaps, ViridisClampsRisesInLightnessAndMapsNanToGrey) {
  EXPECT_EQ(colour_of(ColourMap::viridis, 0.0), (Rgb{68, 1, 84}));
  EXPECT_EQ(colour_of(ColourMap::viridis, 1.0), (Rgb{253, 231, 37}));
  EXPECT_EQ(colour_of(ColourMap::viridis, -3.0), colour_of(ColourMap::viridis, 0.0));
  EXPECT_EQ(colour_of(ColourMap::viridis, std::numeric_limits<double>::infinity()),
            colour_of(ColourMap::viridis, 1.0));
  EXPECT_EQ(colour_of(ColourMap::viridis, std::nan("")), (Rgb{128, 128, 128}));
  const auto lightness = [](Rgb c) { return (0.2126 * c[0]) + (0.7152 * c[1]) + (0.0722 * c[2]); };
  for (int at = 1; at <= 100; ++at)
    EXPECT_GE(lightness(colour_of(ColourMap::viridis, at / 100.0)) + 0.75,
              lightness(colour_of(ColourMap::viridis, (at - 1) / 100.0)))
        << at;
}

TEST(ColourMaps, LabelsOfASceneHaveDistinctColours) {
  const std::set<std::uint32_t> kitti{0,  1,  10, 11, 15, 18, 20, 30, 31, 40, 44, 48,
                                      49, 50, 51, 52, 60, 70, 71, 72, 80, 81, 99, 252};
  std::set<Rgb> seen;
  for (const auto& [label, colour] : class_colours(kitti))
    seen.insert(colour);
  EXPECT_EQ(seen.size(), kitti.size());
  const auto few = class_colours({40, 48});
  EXPECT_NE(few.at(40), few.at(48));
  const std::set<Rgb> okabe_ito{{128, 128, 128}, {230, 159, 0}, {86, 180, 233}, {0, 158, 115},
                                {240, 228, 66},  {0, 114, 178}, {213, 94, 0},   {204, 121, 167}};
  seen.clear();
  for (const auto& [label, colour] : class_colours({10, 40, 44, 48, 50, 70, 71, 80}))
    seen.insert(colour);
  EXPECT_EQ(seen, okabe_ito) << "the first eight labels must have the colour-blind-safe Okabe-Ito palette";
  std::set<std::uint32_t> many;
  for (std::uint32_t label = 0; label < 300; ++label)
    many.insert(label);
  EXPECT_EQ(class_colours(many).size(), 300U);
}

VoxelColours colour_voxels(const VoxelScene& scene, int stride, ColourBy by, const LayerResult* layer,
                           const KernelMap* map) {
  ColourSources sources;  // pointers without ownership
  sources.layer = {std::shared_ptr<void>(), layer};
  sources.map = {std::shared_ptr<void>(), map};
  const VoxelValues values = voxel_values(scene, stride, by, sources);
  return paint(values, ColourMap::viridis, middle_range(values.amount));
}

/// Returns three points that are in two voxels of stride 1 and in one voxel of stride 2.
std::shared_ptr<PointCloud> three_points() {
  auto made = std::make_shared<PointCloud>();
  made->positions = {{0.05, 0.1, 0.01}, {0.06, 0.1, 0.01}, {0.15, 0.1, 0.06}};
  return made;
}

TEST_F(ViewFunctions, UnavailableColouringsGiveAReasonAndFallBackToHeight) {
  const auto scene = voxels(three_points());
  const auto why = [&](ColourBy by) { return colouring_unavailable_reason(by, *scene, 1, {}); };
  EXPECT_EQ(why(ColourBy::intensity), "the scene has no intensity");
  EXPECT_EQ(why(ColourBy::colour), "the scene has no colours");
  EXPECT_EQ(why(ColourBy::label), "the scene has no labels");
  EXPECT_EQ(why(ColourBy::match_count), "no pair counts at this stride yet");
  EXPECT_EQ(why(ColourBy::feature_norm), "no features at this stride: select a layer that was run");
  EXPECT_EQ(why(ColourBy::height), QString());
  EXPECT_EQ(why(ColourBy::points_per_voxel), QString());
  const VoxelColours height = colour_voxels(*scene, 1, ColourBy::height, nullptr, nullptr);
  EXPECT_EQ(height.legend.title, "height, m");
  for (const ColourBy by :
       {ColourBy::intensity, ColourBy::colour, ColourBy::label, ColourBy::match_count, ColourBy::feature_norm,
        ColourBy::threshold_sides, ColourBy::density, ColourBy::offset_match, ColourBy::changed}) {
    const VoxelColours instead = colour_voxels(*scene, 1, by, nullptr, nullptr);
    EXPECT_EQ(instead.colour, height.colour);
    EXPECT_EQ(instead.legend.note, why(by));
  }
}

TEST_F(ViewFunctions, AttributesOfPointsAreMeansOverTheVoxelsOfTheStride) {
  auto points = three_points();
  points->intensity = {1.0F, 3.0F, 8.0F};
  points->label = {5, 5, 9};
  points->colour = {{10, 20, 30}, {20, 40, 50}, {200, 100, 0}};
  const auto scene = voxels(points);
  ASSERT_EQ(size_of(scene->level(1)), 2);
  ASSERT_EQ(size_of(scene->level(2)), 1);
  const auto by = [&](ColourBy one, int stride) {
    return colour_voxels(*scene, stride, one, nullptr, nullptr);
  };
  const auto intensity = by(ColourBy::intensity, 1);
  EXPECT_EQ(intensity.legend.title, "intensity, mean");
  EXPECT_EQ(intensity.colour.at(0), colour_of(ColourMap::viridis, 0.0));
  EXPECT_DOUBLE_EQ(intensity.legend.range.low, 2.0);
  EXPECT_DOUBLE_EQ(by(ColourBy::intensity, 2).legend.range.low, 4.0);
  EXPECT_EQ(by(ColourBy::intensity, 2).colour.at(0), colour_of(ColourMap::viridis, 0.5))
      << "an attribute with one value must have the middle colour";
  EXPECT_EQ(by(ColourBy::colour, 1).colour, (std::vector<Rgb>{{15, 30, 40}, {200, 100, 0}}));
  EXPECT_EQ(by(ColourBy::colour, 1).legend.title, "point colour");
  const auto label = by(ColourBy::label, 1);
  EXPECT_EQ(label.colour, (std::vector<Rgb>{class_colours({5, 9}).at(5), class_colours({5, 9}).at(9)}));
  ASSERT_EQ(label.legend.classes.size(), 2U);
  EXPECT_EQ(label.legend.classes.at(1).text, "9");
  EXPECT_DOUBLE_EQ(by(ColourBy::points_per_voxel, 2).legend.range.low, 3.0);
  EXPECT_EQ(by(ColourBy::points_per_voxel, 1).legend.title, "points per voxel");
}

TEST_F(ViewFunctions, AVoxelHasTheLabelOfMostOfItsPoints) {
  auto points = three_points();
  points->positions = {{0.05, 0.1, 0.01}, {0.05, 0.1, 0.01}, {0.06, 0.1, 0.01}, {0.15, 0.1, 0.06}};
  points->label = {7, 40, 40, 7};
  const auto scene = voxels(points);
  const auto colours = class_colours({7, 40});
  EXPECT_EQ(colour_voxels(*scene, 1, ColourBy::label, nullptr, nullptr).colour,
            (std::vector<Rgb>{colours.at(40), colours.at(7)}));
  points->label = {40, 40, 7, 7};  // The same label occurs at two of three points, in any order.
  const auto other = voxels(points);
  EXPECT_EQ(colour_voxels(*other, 1, ColourBy::label, nullptr, nullptr).colour.at(0), colours.at(40));
}

/// Returns a view along z from 10 m above. At a depth of 10 m, one metre is 100 pixels.
ViewPoint from_above() {
  ViewPoint from;
  from.eye = {0, 0, 10};
  from.pixels_per_radian = 1000;
  from.to_clip = {10, 0, 0, 0, 0, 10, 0, 0, 0, 0, -1, 10, 0, 0, -1, 10};
  return from;
}

TEST(ViewOverlayTest, ALowNarrowViewHasNoScaleBar) {
  Theme theme;
  QWidget view;
  ViewOverlay overlay(&theme, &view);
  ColourLegend legend;
  legend.title = "height, m";
  legend.bar = true;
  overlay.setLegend(legend);
  overlay.setNote("drawing all 21,179 voxels as cubes");
  overlay.setView({1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.4, LengthUnit::metres});
  const auto panels = [&](const QSize& size) {
    view.resize(size);
    overlay.resize(size);
    return overlay.occupied().size();
  };
  EXPECT_EQ(panels({362, 300}), 4U) << "legend, axes, scale bar and note";
  EXPECT_EQ(panels({900, 116}), 3U) << "legend, scale bar and note";
  EXPECT_EQ(panels({362, 116}), 2U)
      << "legend and note, which would cover the scene together with a scale bar";
}

TEST(ScreenPickTest, ReturnsTheVoxelNearestToTheEyeWithinTheTolerance) {
  VoxelMesh mesh;
  mesh.cell = {0.01F, 0.01F, 0.01F};  // one pixel
  mesh.centres = {0, 0, 0, 0.02F, 0, 0, 0.02F, 0, 5, 0.5F, 0.5F, 0};
  mesh.voxels = 4;
  const Picture picture{200, 200};
  const auto centre = on_picture(from_above(), picture, {0, 0, 0});
  ASSERT_TRUE(centre);
  EXPECT_DOUBLE_EQ(centre->x, 100);
  EXPECT_DOUBLE_EQ(centre->depth, 10);
  EXPECT_FALSE(on_picture(from_above(), picture, {0, 0, 11}))
      << "a point behind the eye must not be in the picture";
  EXPECT_EQ(pick_near(mesh, from_above(), picture, {98, 100}, 2.5, 20).row, 0);
  EXPECT_EQ(pick_near(mesh, from_above(), picture, {102, 100}, 2.5, 20).row, 2)
      << "the upper voxel must hide row 1";
  const ScreenPick miss = pick_near(mesh, from_above(), picture, {92, 100}, 2.5, 20);
  EXPECT_EQ(miss.row, -1);
  EXPECT_NEAR(miss.distance_px, 7.5, 1e-6);
  EXPECT_EQ(pick_near(VoxelMesh{}, from_above(), picture, {92, 100}, 2.5, 20).row, -1);
}

TEST(BoundsTest, AFewVoxelsHaveSpaceAroundThem) {
  VoxelMesh mesh;
  mesh.cell = {0.1F, 0.1F, 0.1F};
  mesh.centres = {1, 2, 3};
  mesh.voxels = 1;
  mesh.box = box_around(mesh.centres, mesh.cell);
  const auto one = bounds_of(&mesh, 0.0);
  EXPECT_NEAR(one[1] - one[0], 1.2, 1e-6);
  EXPECT_NEAR((one[4] + one[5]) / 2, 3.0, 1e-6);
  mesh.centres = {0, 0, 0, 10, 0, 0};
  mesh.box = box_around(mesh.centres, mesh.cell);
  EXPECT_NEAR(bounds_of(&mesh, 0.0)[0], -0.05, 1e-6);
  EXPECT_NEAR(bounds_of(&mesh, 0.0)[1], 10.05, 1e-6);
}

TEST_F(ViewFunctions, ValuesThatAreNotFiniteAreCountedButNotInTheLegend) {
  constexpr float infinity = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  const ValueRange range = middle_range({nan, 2, infinity, 4, -infinity, 3});
  EXPECT_EQ(range.low, 2.0);
  EXPECT_LE(range.high, 4.0);
  EXPECT_EQ(middle_range({nan, nan}).high, ValueRange{}.high);
  const auto scene = voxels(three_points());
  LayerResult layer;
  Features features{2, 1, Precision::fp32, Buffer(make_host_pool(), 2 * sizeof(float))};
  features.data.host_span<float>()[0] = infinity;
  features.data.host_span<float>()[1] = 5;
  layer.features = std::make_shared<const Features>(std::move(features));
  const VoxelColours colours = colour_voxels(*scene, 1, ColourBy::feature_norm, &layer, nullptr);
  EXPECT_EQ(colours.legend.note, "NaN or infinite: 1 of 2");
  EXPECT_EQ(colours.legend.range.low, 5.0);
  EXPECT_EQ(colours.legend.range.high, 5.0);
}

TEST_F(ViewFunctions, MatchesAndNormsColourTheirVoxels) {
  const auto scene = voxels(cloud(400, 6));
  const auto map = map_of_scene(*backend_, *scene, {3, 1, 1}, job_);
  const auto colours = colour_voxels(*scene, 1, ColourBy::match_count, nullptr, map.get());
  EXPECT_EQ(colours.legend.title, "pairs of the kernel map");
  const auto matches = matches_per_output(*map);
  ASSERT_EQ(colours.colour.size(), matches.size());
  for (std::size_t row = 1; row < matches.size(); ++row) {
    if (matches[row] == matches[0]) {
      EXPECT_EQ(colours.colour[row], colours.colour[0]);
    }
  }
  EXPECT_GE(colours.legend.range.low, 1.0);  // each voxel matches itself
  EXPECT_LT(colours.legend.range.low, colours.legend.range.high);
  LayerResult layer;
  auto features = std::make_shared<Features>();
  features->rows = size_of(scene->level(1));
  features->channels = 1;
  features->data = Buffer(make_host_pool(), static_cast<std::size_t>(features->rows) * sizeof(float));
  for (std::size_t row = 0; row < static_cast<std::size_t>(features->rows); ++row)
    features->data.host_span<float>()[row] = -static_cast<float>(row);
  layer.features = features;
  const auto norms = colour_voxels(*scene, 1, ColourBy::feature_norm, &layer, nullptr);
  EXPECT_EQ(norms.legend.title, "feature norm");
  EXPECT_EQ(norms.colour.front(), colour_of(ColourMap::viridis, 0.0));
  EXPECT_EQ(norms.colour.back(), colour_of(ColourMap::viridis, 1.0));
  // A map of another level has other rows. The voxels must be coloured by height instead of by wrong rows.
  EXPECT_EQ(colour_voxels(*scene, 2, ColourBy::match_count, nullptr, map.get()).legend.title, "height, m");
}

TEST_F(ViewFunctions, AGroupOfOffsetsIsColouredByItsMatches) {
  const auto scene = voxels(cloud(400, 7));
  ColourRequest request;
  request.key = {scene, 1, ColourBy::height, {nullptr, map_of_scene(*backend_, *scene, {3, 1, 1}, job_)}};
  request.mesh = std::make_shared<const VoxelMesh>(build_voxel_mesh(*scene, 1, {}, {}));
  request.background = {255, 255, 255};
  request.columns = {0};
  EXPECT_FALSE(colour_scene(request, {}).group.has_value()) << "a single offset must not have a group";
  request.columns = {4, 10, 12, 14, 16, 22};  // The six offsets with an L1 norm of 1.
  const auto matches = matches_per_output(*request.key.sources.map, request.columns);
  const SceneColours colours = colour_scene(request, {});
  ASSERT_TRUE(colours.group.has_value());
  EXPECT_EQ(colours.group->title, "pairs at the 6 highlighted offsets");
  EXPECT_EQ(colours.group->range.low, 1);
  EXPECT_EQ(colours.group->range.high, 6);
  EXPECT_EQ(colours.legend.title, "height, m") << "the selected colouring must stay in the legend";
  bool any = false;
  for (std::size_t row = 0; row < matches.size(); ++row) {
    if (matches[row] == 0) continue;
    any = true;
    EXPECT_EQ(colours.shown[row], colour_of(ColourMap::viridis, (matches[row] - 1) / 5.0));
  }
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace spira::ui

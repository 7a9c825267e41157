// Tests the colour maps and their ranges, slabs, and hidden classes.
#include "engine/backend/host_read.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/model/class_labels.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/scene/colour_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/range_histogram.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/view_detail.hpp"
#include "ui/view3d/voxels/level_of_detail.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSlider>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace spira::ui {
namespace {

double lightness(Rgb c) {
  return (0.2126 * c[0]) + (0.7152 * c[1]) + (0.0722 * c[2]);
}

TEST(ColourMaps, CividisRisesInLightnessFromBlueToYellow) {
  const auto at = [](double share) { return colour_of(ColourMap::cividis, share); };
  for (int step = 1; step <= 100; ++step)
    EXPECT_GE(lightness(at(step / 100.0)) + 1.0, lightness(at((step - 1) / 100.0))) << step;
  EXPECT_EQ(at(0.0), (Rgb{0, 32, 77}));
  EXPECT_EQ(at(1.0), (Rgb{255, 234, 70}));
}

TEST(ColourMaps, SevenBandsAreFlatAndDistinct) {
  std::set<Rgb> seen;
  for (int step = 0; step <= 700; ++step)
    seen.insert(colour_of(ColourMap::bands, step / 700.0));
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(colour_of(ColourMap::bands, 0.0), colour_of(ColourMap::bands, 0.99 / 7));
  EXPECT_EQ(colour_of(ColourMap::bands, std::nan("")), (Rgb{128, 128, 128}));
}

TEST(Histograms, CountTheMiddleValuesAndTheRest) {
  std::vector<float> values{std::nanf("")};
  for (int at = 0; at < 201; ++at)
    values.push_back(static_cast<float>(at));
  values.push_back(1e6F);
  const ValueHistogram found = histogram_of(values);
  EXPECT_EQ(found.values, 202);
  // The 1 % and 99 % quantiles of the 202 values are 2 and 198. The margin is an eighth of their distance.
  EXPECT_DOUBLE_EQ(found.range.low, 0);
  EXPECT_DOUBLE_EQ(found.range.high, 198 + (196 / 8.0));
  EXPECT_EQ(found.below, 0);
  EXPECT_EQ(found.above, 1);
  EXPECT_EQ(std::accumulate(found.counts.begin(), found.counts.end(), std::int64_t{0}), 201);
  EXPECT_EQ(found.counts.front(), 4) << "the bins are 3.46 wide, so the first has 0 to 3";
  EXPECT_EQ(found.median, 100);
  EXPECT_EQ(found.q1, 50);
  EXPECT_EQ(found.q3, 150);
  const ValueHistogram equal = histogram_of({3, 3});
  EXPECT_EQ(equal.counts.size(), 16U) << "empty bins must be merged";
  EXPECT_EQ(equal.counts[8], 2) << "equal values must be in the middle";
  EXPECT_EQ(histogram_of({std::nanf("")}).values, 0);
}

TEST(Labels, HaveNamesIfTheFormatDefinesThem) {
  EXPECT_EQ(label_text("kitti", 10), "10 car");
  EXPECT_EQ(label_text("kitti", 12), "12");
  EXPECT_EQ(label_text("ply", 10), "10");
}

TEST(Ranges, TheRangeOfTheViewCountsOnlyVisibleVoxels) {
  VoxelMesh mesh;
  std::vector<float> values;
  for (int at = 0; at < 200; ++at) {
    mesh.centres.insert(mesh.centres.end(), {static_cast<float>(at) - 50.5F, 0, 0});
    values.push_back(static_cast<float>(at));
  }
  mesh.voxels = 200;
  ViewPoint from;  // This viewpoint sees x from -10 to 10 at a depth of 10.
  from.to_clip = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10};
  const ValueRange seen = range_in_view(values, mesh, from);
  EXPECT_GE(seen.low, 41);
  EXPECT_LE(seen.high, 60);
  mesh.hidden.assign(200, false);
  for (std::size_t at = 0; at < 50; ++at)
    mesh.hidden[at] = true;
  EXPECT_GE(range_in_view(values, mesh, from).low, 50) << "hidden voxels must not count";
  from.to_clip = {1, 0, 0, -1000, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10};
  EXPECT_GT(range_in_view(values, mesh, from).high, 190) << "all voxels must count if none is visible";
}

TEST(HiddenRows, ACoarseVoxelIsHiddenIfAllItsFineVoxelsAreHidden) {
  EXPECT_EQ(hidden_coarse({true, true, false, true}, {0, 0, 1, 1}, 2), (std::vector<bool>{true, false}));
  EXPECT_TRUE(hidden_coarse({}, {0, 0, 1, 1}, 2).empty());
}

/// Returns true if `colour` has an eighth of the brightness of `plain`. Small differences are allowed,
/// because rounded colours were averaged.
bool is_faded(const Rgb& colour, const Rgb& plain) {
  for (std::size_t c = 0; c < 3; ++c)
    if (std::abs(colour[c] - (plain[c] / 8)) > 2) return false;
  return true;
}

TEST_F(WindowTest, AHighlightOfMovingPointsEqualsThatOfTheirVoxels) {
  open("street");
  const auto& scene = app.workspace().scene().voxels();
  auto mesh = std::make_shared<VoxelMesh>(build_voxel_mesh(*scene, 1, {}, {}));
  mesh->moving = level_of_detail(*mesh, *scene, 4'000, {});
  ColourRequest request;
  request.key = {scene, 1, ColourBy::height, {nullptr, app.workspace().shownMap(-1).map}};
  request.mesh = mesh;
  EXPECT_TRUE(colour_moving(request).empty()) << "no colour must be known before the first colouring";
  const SceneColours plain = colour_scene(request, {});
  request.known = plain.colouring;
  request.known_moving = plain.moving_colouring;
  EXPECT_EQ(colour_moving(request), plain.moving);
  for (const auto& columns : {std::vector{14}, std::vector{0, 26}, std::vector{4, 10, 12}}) {
    request.columns = columns;
    const SceneColours exact = colour_scene(request, {});
    const std::vector<Rgb> quick = colour_moving(request);
    ASSERT_EQ(quick.size(), exact.moving.size());
    std::size_t faded = 0, same = 0;
    for (std::size_t at = 0; at < quick.size(); ++at) {
      const bool fades = is_faded(quick[at], plain.moving[at]);
      faded += fades ? 1 : 0;
      same += fades == is_faded(exact.moving[at], plain.moving[at]) ? 1 : 0;
    }
    EXPECT_GT(faded, 0U);
    EXPECT_LT(faded, quick.size());
    EXPECT_EQ(same, quick.size());
  }
  request.look.map = ColourMap::cividis;
  EXPECT_TRUE(colour_moving(request).empty()) << "another colour map must discard the known colours";
}

TEST_F(WindowTest, AnotherMapChangesOnlyColoursThatUseIt) {
  open("street");
  const auto& scene = app.workspace().scene().voxels();
  ColourRequest shown;
  shown.key = {scene, 1, ColourBy::height, {nullptr, app.workspace().shownMap(-1).map}};
  shown.mesh = std::make_shared<VoxelMesh>(build_voxel_mesh(*scene, 1, {}, {}));
  ColourRequest wanted = shown;
  wanted.key.sources.map = std::make_shared<const KernelMap>();
  EXPECT_TRUE(gives_same_colours(wanted, shown)) << "the height of a voxel does not depend on a map";
  wanted.known = colour_scene(shown, {}).colouring;
  EXPECT_EQ(colour_scene(wanted, {}).colouring, wanted.known);
  wanted.columns = shown.columns = {14};
  EXPECT_FALSE(gives_same_colours(wanted, shown)) << "the pairs at an offset belong to the map";
  wanted.columns = shown.columns = {};
  wanted.key.colour_by = shown.key.colour_by = ColourBy::match_count;
  EXPECT_FALSE(gives_same_colours(wanted, shown));
  wanted = shown;
  EXPECT_TRUE(gives_same_colours(wanted, shown));
  wanted.hidden_labels = {1};
  EXPECT_FALSE(gives_same_colours(wanted, shown));
}

TEST_F(WindowTest, AHiddenClassIsNeitherDrawnNorPickedAndItsNeighboursGetFaces) {
  open("street");
  const auto& scene = *app.workspace().scene().voxels();
  constexpr std::uint32_t road = 40;
  const auto hidden = hidden_rows(scene, 1, Hiding{{road}, {}});
  const VoxelMesh all = build_voxel_mesh(scene, 1, {}, {}), rest = build_voxel_mesh(scene, 1, hidden, {});
  const auto gone = std::count(hidden.begin(), hidden.end(), true);
  ASSERT_GT(gone, 0);
  EXPECT_EQ(rest.visible, all.voxels - gone);
  std::size_t more_faces = 0;
  for (std::size_t row = 0; row < hidden.size(); ++row) {
    if (hidden[row]) {
      EXPECT_EQ(rest.open[row], 0);
    } else {
      EXPECT_EQ(rest.open[row] & all.open[row], all.open[row]);
      more_faces += rest.open[row] != all.open[row] ? 1 : 0;
    }
  }
  EXPECT_GT(more_faces, 0U) << "the neighbours of the road must get the faces that the road covered";
  const auto row = static_cast<std::int64_t>(std::find(hidden.begin(), hidden.end(), true) - hidden.begin());
  const Point centre = scene.centre_m(voxel_at(scene.level(1), row), 1);
  const Ray down{{centre[0], centre[1], centre[2] + 50}, {0, 0, -1}};
  const auto hit = pick_voxel(scene, 1, down, hidden);
  EXPECT_TRUE(!hit || !hidden[static_cast<std::size_t>(*hit)]);
}

TEST_F(WindowTest, ClassesAreCheckedInTheTabAndStayForTheNextScene) {
  open("street");
  app.selection().look().setColourBy(ColourBy::label);
  QTreeWidget* list = child<ColourPanel>(window).findChild<QTreeWidget*>("classes");
  ASSERT_GT(list->topLevelItemCount(), 3);
  QTreeWidgetItem* road = nullptr;
  for (int row = 0; row < list->topLevelItemCount(); ++row) {
    if (list->topLevelItem(row)->text(0) == "40 road") road = list->topLevelItem(row);
  }
  ASSERT_NE(road, nullptr);
  EXPECT_FALSE(app.commands().trigger("colour.show_classes"))
      << "the command must be disabled if no class is hidden";
  road->setCheckState(0, Qt::Unchecked);
  EXPECT_EQ(app.selection().look().hiddenLabels(), (std::set<std::uint32_t>{40}));
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  emit list->itemActivated(list->topLevelItem(0), 0);
  EXPECT_EQ(app.selection().look().hiddenLabels().size(),
            static_cast<std::size_t>(list->topLevelItemCount()) - 1);
  emit list->itemActivated(list->topLevelItem(1), 0);
  EXPECT_FALSE(
      app.selection().look().hiddenLabels().contains(list->topLevelItem(1)->data(0, Qt::UserRole).toUInt()))
      << "the second class must be visible alone";
  emit list->itemActivated(list->topLevelItem(1), 0);
  EXPECT_EQ(app.selection().look().hiddenLabels(), (std::set<std::uint32_t>{40}))
      << "the previously hidden class must be restored";
  ASSERT_TRUE(app.commands().trigger("colour.show_classes"));
  EXPECT_TRUE(app.selection().look().hiddenLabels().empty());
  for (int row = 0; row < list->topLevelItemCount(); ++row)
    EXPECT_EQ(list->topLevelItem(row)->checkState(0), Qt::Checked);
}

TEST_F(WindowTest, ASlabShowsOnlyTheVoxelsBetweenTwoHeights) {
  open("street");
  const auto& scene = *app.workspace().scene().voxels();
  const auto hidden = hidden_rows(scene, 2, Hiding{{}, std::pair{-1.0, 0.5}});
  for (std::size_t row = 0; row < hidden.size(); ++row) {
    const double z = scene.centre_m(voxel_at(scene.level(2), static_cast<std::int64_t>(row)), 2)[2];
    ASSERT_EQ(hidden[row], z < -1.0 || z > 0.5) << z;
  }
  ASSERT_TRUE(waitFor([&] { return app.cropBox().extents().has_value(); }));
  ASSERT_TRUE(app.commands().trigger("view.slab"));
  ASSERT_TRUE(app.selection().look().slab());
  EXPECT_TRUE(child<PointsPanel>(window).isVisible());
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  auto* middle = window.findChild<QSlider*>("slabMiddle");
  const auto before = app.selection().look().slab();
  QTest::keyClick(middle, Qt::Key_Right);
  EXPECT_GT(app.selection().look().slab()->first, before->first);
  EXPECT_NEAR(app.selection().look().slab()->second - app.selection().look().slab()->first,
              before->second - before->first, 1e-4);
  ASSERT_TRUE(app.commands().trigger("view.slab"));
  EXPECT_FALSE(app.selection().look().slab());
}

TEST_F(WindowTest, RangesAreAutomaticOrTypedForOneColouring) {
  open("street");
  ColourLegend legend;
  QObject::connect(&app.sceneView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { legend = now; });
  ASSERT_TRUE(app.commands().trigger("colour.bands"));
  EXPECT_EQ(legend.map, ColourMap::bands);
  EXPECT_EQ(legend.range_text, text_of(RangeMode::all));
  const ValueRange all = legend.range;
  child<ColourPanel>(window).findChild<QDoubleSpinBox*>("low")->setValue(0.5);
  EXPECT_EQ(legend.range.low, 0.5);
  EXPECT_EQ(legend.range_text, text_of(RangeMode::typed));
  app.selection().look().setColourBy(ColourBy::intensity);
  EXPECT_EQ(legend.range_text, text_of(RangeMode::all)) << "the typed range must apply only to the height";
  app.selection().look().setColourBy(ColourBy::height);
  EXPECT_EQ(legend.range.low, 0.5);
  ASSERT_TRUE(app.commands().trigger("colour.range_view"));
  EXPECT_EQ(legend.range_text, text_of(RangeMode::view));
  ASSERT_TRUE(app.commands().trigger("view.top"));
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  EXPECT_EQ(legend.range_text, text_of(RangeMode::view));
  ASSERT_TRUE(app.commands().trigger("colour.range_all"));
  EXPECT_EQ(legend.range.low, all.low);
  EXPECT_EQ(legend.range.high, all.high);
}

TEST_F(WindowTest, ADarkThemeOmitsTheDarkColoursOfTheMap) {
  open("street");
  ColourLegend legend;
  QObject::connect(&app.sceneView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { legend = now; });
  for (const auto& [theme, map] :
       {std::pair{"dark", ColourMap::viridis_on_dark}, {"light", ColourMap::viridis}}) {
    app.theme().choose(theme_choice(theme));
    ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
    EXPECT_EQ(legend.map, map) << theme;
    EXPECT_EQ(app.selection().look().colours().map, ColourMap::viridis) << "the choice of the user must stay";
  }
}

TEST_F(WindowTest, ScenesStartWithTheColourMapOfTheSettings) {
  EXPECT_EQ(app.selection().look().colours().map, ColourMap::viridis);
  app.settings().set("look.colour_map", "bands");
  EXPECT_EQ(app.selection().look().colours().map, ColourMap::bands);
  open("street");
  EXPECT_EQ(app.selection().look().colours().map, ColourMap::bands);
  ASSERT_TRUE(app.commands().trigger("colour.cividis"));
  app.settings().set("look.text_percent", 110);
  EXPECT_EQ(app.selection().look().colours().map, ColourMap::cividis)
      << "another setting must not change the colour map";
}

TEST_F(WindowTest, DraggingTheHistogramSetsTheRangeAndADoubleClickResetsIt) {
  open("street");
  ASSERT_TRUE(app.commands().trigger("window.show_colour"));
  auto& histogram = child<RangeHistogram>(window);
  ASSERT_TRUE(histogram.isVisible());
  const QImage before = app.sceneView().grab3d();
  const QPoint from = histogram.handle(false), to(histogram.width() / 2, from.y());
  QTest::mousePress(&histogram, Qt::LeftButton, {}, from);
  move_mouse(histogram, (from + to) / 2, Qt::LeftButton);
  move_mouse(histogram, to, Qt::LeftButton);
  EXPECT_EQ(app.selection().look().colours().range, RangeMode::typed)
      << "the view must follow while dragging";
  QTest::mouseRelease(&histogram, Qt::LeftButton, {}, to);
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  const auto typed = app.selection().look().colours().typed.at(ColourBy::height);
  EXPECT_LT(typed.first, typed.second);
  EXPECT_NEAR(histogram.handle(false).x(), to.x(), 1);
  EXPECT_NE(app.sceneView().grab3d(), before);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(app.selection().look().colours().range, RangeMode::all) << "one drag must be one undo step";
  ASSERT_TRUE(app.commands().trigger("edit.redo"));
  QTest::mouseDClick(&histogram, Qt::LeftButton, {}, QPoint(histogram.width() / 2, 10));
  EXPECT_EQ(app.selection().look().colours().range, RangeMode::all);
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.sceneView().grab3d(), before);
}

TEST_F(WindowTest, ThePointSizeChangesThePictureAndIsASetting) {
  open("street");
  ASSERT_TRUE(app.commands().trigger("view.points"));
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  const QImage before = app.sceneView().grab3d();
  auto* size = window.findChild<QSlider*>("pointSize");
  size->setValue(300);
  EXPECT_EQ(app.settings().whole("look.point_percent"), 300);
  EXPECT_NE(app.sceneView().grab3d(), before);
  app.settings().set("look.point_percent", 100);
  EXPECT_EQ(size->value(), 100);
  EXPECT_EQ(app.sceneView().grab3d(), before);
}

}  // namespace
}  // namespace spira::ui

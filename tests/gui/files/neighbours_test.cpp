// Tests the choice of the neighbours of all layers, and the views of native layers.
#include "ui/model/neighbours.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/session.hpp"
#include "ui/model/tables/map_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/panels/scene/neighbour_cube.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NeighboursTest : public WindowTest {
 protected:
  /// Opens a small room with a network of a few layers.
  void openRoom() {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(6000), file.toStdString());
    openWith(file, 0.15);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    ASSERT_TRUE(waitFor([&] { return ready(); }));
  }
  [[nodiscard]] bool ready() { return idle() && app.workspace().shownMap(-1).map; }
  void choose(const char* command) {
    ASSERT_TRUE(app.commands().trigger(command)) << command;
    ASSERT_TRUE(waitFor([&] {
      return ready() && app.workspace().shownMap(-1).densities->kernel == scene_kernel(app.workspace());
    }));
  }
  [[nodiscard]] Neighbourhood neighbourhood() {
    return common_neighbourhood(*app.workspace().network()).value();
  }
  [[nodiscard]] QToolButton& button() { return *window.findChild<QToolButton*>("neighbours"); }
  [[nodiscard]] std::string whyNot(const char* command) {
    return app.commands().unavailableReason(command).toStdString();
  }
  [[nodiscard]] DensityChart& chart() { return *child<DensityPanel>(window).chart(); }
  /// Returns true if the chart shows the densities of the voxel map.
  [[nodiscard]] bool showsVoxels() { return chart().table().header.contains("Density of voxels, %"); }

  QTemporaryDir folder;
};

TEST_F(NeighboursTest, TheChoiceChangesTheNetworkAndTheMapOfTheSceneInOneUndoStep) {
  openRoom();
  app.selection().setLayer(2);
  const int steps = app.history().stack()->count();
  EXPECT_EQ(button().text().toStdString(), "Voxels");
  EXPECT_TRUE(app.workspace().scene().voxels()->positions.empty()) << "voxels need no positions";
  choose("neighbours.ball");
  EXPECT_EQ(neighbourhood().shape, NeighbourShape::ball);
  EXPECT_EQ(button().text().toStdString(), "Ball");
  EXPECT_EQ(app.selection().layer(), 2) << "the layers are the same";
  EXPECT_TRUE(app.workspace().scene().voxels()->positions.contains(1));
  EXPECT_TRUE(app.workspace().shownMap(-1).map->many());
  EXPECT_EQ(app.history().stack()->count(), steps + 1);
  EXPECT_EQ(app.history().stack()->undoText().toStdString(), "neighbours");
  app.history().stack()->undo();
  ASSERT_TRUE(waitFor([&] { return ready() && !app.workspace().shownMap(-1).map->many(); }));
  EXPECT_EQ(neighbourhood(), Neighbourhood{});
  EXPECT_EQ(app.selection().layer(), 2);
}

/// The choice arrives while the job that opened the scene still builds the map of the former choice.
TEST_F(NeighboursTest, AChoiceDuringTheMapOfANewSceneReplacesThisMap) {
  openRoom();
  choose("neighbours.ball");
  const auto before = app.workspace().scene().cloud();
  bool chosen = false;
  const auto choose_cube = [&] {
    if (std::exchange(chosen, true)) return;
    EXPECT_EQ(app.workspace().shownMap(-1).map, nullptr) << "the map must still be missing";
    app.jobs().runs().setNeighbourhood({NeighbourShape::cube, 1, 0});
  };
  const QObject until_the_end;
  QObject::connect(&app.workspace().scene(), &OpenScene::voxelsChanged, &until_the_end, choose_cube);
  app.jobs().scenes().open(folder.filePath("room.ply"));
  ASSERT_TRUE(waitFor([&] { return chosen && app.workspace().scene().cloud() != before && ready(); }));
  EXPECT_EQ(app.workspace().shownMap(-1).densities->kernel, scene_kernel(app.workspace()));
  EXPECT_EQ(app.workspace().shownMap(-1).densities->kernel.neighbourhood.shape, NeighbourShape::cube);
}

TEST_F(NeighboursTest, AChoiceThatIsTakenBackDuringItsMapKeepsTheFormerMap) {
  openRoom();
  choose("neighbours.ball");
  const auto map = app.workspace().shownMap(-1).map;
  app.jobs().runs().setNeighbourhood({NeighbourShape::cube, 1, 0});
  ASSERT_EQ(app.jobs().lane().doing(), EngineLane::Doing::scene_map);
  app.jobs().runs().setNeighbourhood({NeighbourShape::ball, 1, 0});
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  EXPECT_EQ(app.workspace().shownMap(-1).map, map);
}

TEST_F(NeighboursTest, AnotherNetworkKeepsTheChoice) {
  openRoom();
  choose("neighbours.cube");
  choose("network.resn21");
  EXPECT_EQ(app.workspace().network()->name, "resn21");
  EXPECT_EQ(neighbourhood().shape, NeighbourShape::cube);
}

TEST_F(NeighboursTest, ANetworkThatCannotHaveTheChoiceOpensWithVoxels) {
  openRoom();
  app.jobs().runs().setNeighbourhood({NeighbourShape::cube, 7, 0});
  ASSERT_TRUE(app.commands().trigger("network.fcgf"));  // Its kernel size 5 needs inputs 18 cells away.
  EXPECT_EQ(app.workspace().network()->name, "fcgf");
  EXPECT_EQ(neighbourhood(), Neighbourhood{});
  EXPECT_THAT(banner_of(app).text().toStdString(), HasSubstr("cannot have the chosen neighbours"));
  ASSERT_TRUE(waitFor([&] { return ready(); }));
}

TEST_F(NeighboursTest, CellAndRadiusApplyToAllLayersAndARefusedCellIsRestored) {
  openRoom();
  auto& cell = *window.findChild<QSpinBox*>("neighbourCell");
  auto& radius = *window.findChild<QLineEdit*>("neighbourRadius");
  EXPECT_FALSE(cell.isEnabled()) << "voxels have no cell";
  EXPECT_EQ(cell.text().toStdString(), "1 voxel");
  choose("neighbours.cube");
  EXPECT_TRUE(cell.isEnabled());
  EXPECT_FALSE(radius.isEnabled()) << "a cube has no radius";
  choose("neighbours.ball");
  EXPECT_EQ(radius.placeholderText().toStdString(), "1.861");
  EXPECT_FALSE(cell.keyboardTracking()) << "the first digit of 12 is not a cell";
  cell.setValue(2);
  EXPECT_EQ(cell.text().toStdString(), "2 voxels");
  const auto type = [&](const char* text) {
    radius.setText(text);
    radius.setModified(true);
    emit radius.editingFinished();
  };
  type("1.5");
  EXPECT_EQ(neighbourhood(), (Neighbourhood{NeighbourShape::ball, 2, 1.5}));
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  cell.setValue(most_window_cells);  // Needs a window of 24 cells.
  EXPECT_EQ(neighbourhood().cell, 2);
  EXPECT_EQ(cell.value(), 2);
  EXPECT_THAT(banner_of(app).text().toStdString(), HasSubstr("more than 16 cells away"));
  type("wide");
  EXPECT_EQ(neighbourhood().radius, 1.5);
  EXPECT_THAT(banner_of(app).text().toStdString(), HasSubstr("wide&quot; is not a radius"));
  type("1.23456789");
  EXPECT_EQ(radius.text().toStdString(), "1.23457");
  emit radius.editingFinished();
  EXPECT_EQ(neighbourhood().radius, 1.23456789) << "the field was not edited";
  type("");
  EXPECT_EQ(neighbourhood().radius, 0);
  ASSERT_TRUE(waitFor([&] { return ready(); }));
}

TEST_F(NeighboursTest, CommandsThatCannotRunNameTheReason) {
  EXPECT_THAT(whyNot("neighbours.grid"), HasSubstr("choose Cube or Ball first"));
  openRoom();
  EXPECT_EQ(whyNot("neighbours.ball"), "");
  Network flat = test::little_unet();
  for (Layer& layer : flat.layers) {
    if (layer.kernel_size == PerAxis(3)) layer.kernel_size = 1;
  }
  app.jobs().runs().useNetwork(std::make_shared<const Network>(flat));
  EXPECT_THAT(whyNot("neighbours.ball"), HasSubstr("no convolution has the kernel size 3, 5 or 7"));
  const QString file = folder.filePath("far.spira.json");
  write_report(file.toStdString(), test::recorded_report());
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  EXPECT_THAT(whyNot("neighbours.ball"), HasSubstr("recorded run"));
}

TEST_F(NeighboursTest, NativeLayersHaveNoThresholdAndSaySo) {
  openRoom();
  app.selection().setLayer(0);
  EXPECT_EQ(whyNot("t.up"), "");
  choose("neighbours.ball");
  EXPECT_THAT(whyNot("t.up"), HasSubstr("weight-stationary only"));
  EXPECT_THAT(whyNot("sweep.thresholds"), HasSubstr("no t to sweep"));
  EXPECT_EQ(whyNot("sweep.network"), "") << "strided layers still have a t";
  EXPECT_EQ(whyNot("sweep.packings"), "");
}

TEST_F(NeighboursTest, TheFitMeterNamesTheCellsOfTheSearch) {
  openRoom();
  const auto& meter = child<FitMeter>(window);
  EXPECT_THAT(meter.headline().toStdString(), HasSubstr("kernel size 3"));
  choose("neighbours.ball");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_THAT(meter.headline().toStdString(), HasSubstr("neighbours up to 2 cells away"));
}

TEST_F(NeighboursTest, TheDensitiesCountGroupsAndTheFanInStandsBesideThem) {
  openRoom();
  choose("neighbours.ball");
  const Densities& native = *app.workspace().shownMap(-1).densities;
  const auto triplets =
      std::accumulate(native.columns.begin(), native.columns.end(), std::int64_t{0},
                      [](std::int64_t sum, const ColumnDensity& column) { return sum + column.triplets; });
  EXPECT_EQ(triplets, native.triplets);
  EXPECT_GT(native.triplets, native.pairs) << "some columns have several inputs";
  for (const ColumnDensity& column : native.columns)
    EXPECT_LE(column.density, 1.0);
  const KernelMap& map = *app.workspace().shownMap(-1).map;
  const auto shares = density_values(map).amount;
  EXPECT_LE(*std::max_element(shares.begin(), shares.end()), 100.0F);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0) * 27 / 100,
              static_cast<double>(native.pairs), 0.5);
  for (const std::int32_t output : rows_of_map(map, MapRows::dense, {}))
    EXPECT_GE(shares[static_cast<std::size_t>(output)], 50.0F);
  ASSERT_TRUE(waitFor([&] { return showsVoxels(); }));
  const ChartTable table = chart().table();
  EXPECT_THAT(table.header, AllOf(testing::Contains("Triplets"), testing::Contains("Fan-in")));
  const auto column = table.header.indexOf("Density of voxels, %");
  EXPECT_EQ(table.rows.at(13).at(column).toDouble(), 100.0) << "the centre of voxels is the voxel itself";
  const auto entries = chart().legendEntries();
  EXPECT_TRUE(std::any_of(entries.begin(), entries.end(),
                          [](const LegendEntry& one) { return one.icon == LegendIcon::line; }));
  choose("neighbours.voxels");
  EXPECT_FALSE(showsVoxels());
}

TEST_F(NeighboursTest, PositionsOnTheGridGiveTheMapOfVoxels) {
  openRoom();
  choose("neighbours.ball");
  EXPECT_EQ(whyNot("neighbours.grid"), "");
  ASSERT_TRUE(app.commands().trigger("neighbours.grid"));
  ASSERT_TRUE(waitFor(
      [&] { return ready() && app.workspace().scene().voxels()->grid.positions == PositionKind::grid; }));
  EXPECT_EQ(app.history().stack()->undoText().toStdString(), "positions");
  const Densities& native = *app.workspace().shownMap(-1).densities;
  EXPECT_EQ(native.triplets, native.pairs);
  ASSERT_TRUE(waitFor([&] { return showsVoxels(); }));
  const ChartTable table = chart().table();
  const auto of_voxels = table.header.indexOf("Density of voxels, %"),
             own = table.header.indexOf("Density, %");
  for (const QVariantList& row : table.rows)
    EXPECT_EQ(row.at(of_voxels), row.at(own)) << row.front().toString().toStdString();
  const auto values =
      changed_neighbour_values(*app.workspace().scene().voxels(), 1, *app.workspace().shownMap(-1).map);
  EXPECT_EQ(*std::max_element(values.amount.begin(), values.amount.end()), 0.0F);
}

TEST_F(NeighboursTest, AnotherVoxelSizeAndAnotherSceneKeepThePositions) {
  openRoom();
  choose("neighbours.ball");
  ASSERT_TRUE(app.commands().trigger("neighbours.grid"));
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  auto& size = *window.findChild<QLineEdit*>("grid");
  size.setText("0.2");
  size.setModified(true);
  emit size.editingFinished();
  ASSERT_TRUE(waitFor([&] { return ready() && app.workspace().scene().voxels()->grid.voxel_m[0] == 0.2; }));
  EXPECT_EQ(app.workspace().scene().voxels()->positions.at(1)->kind, PositionKind::grid);
  app.jobs().scenes().options().keep_grid = false;
  open(folder.filePath("room.ply"));
  EXPECT_EQ(neighbourhood().shape, NeighbourShape::ball);
  EXPECT_EQ(app.workspace().scene().voxels()->positions.at(1)->kind, PositionKind::grid);
}

TEST_F(NeighboursTest, ASceneWithoutPositionsIsVoxelisedAgainForItsMap) {
  openRoom();
  choose("neighbours.ball");
  auto without = std::make_shared<VoxelScene>(*app.workspace().scene().voxels());
  without->positions.clear();
  app.workspace().setVoxels(without);
  app.jobs().scenes().rebuildSceneMap();
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  EXPECT_TRUE(app.workspace().scene().voxels()->positions.contains(1));
  EXPECT_TRUE(app.workspace().shownMap(-1).map->many());
}

TEST_F(NeighboursTest, TheColouringsShowDistancesAndChangedNeighbours) {
  openRoom();
  for (const ColourBy by : {ColourBy::centre_distance, ColourBy::changed_neighbours})
    EXPECT_THAT(colouring_unavailable_reason(by, app.workspace(), app.selection()).toStdString(),
                HasSubstr("choose Cube or Ball"));
  choose("neighbours.ball");
  for (const ColourBy by : {ColourBy::centre_distance, ColourBy::changed_neighbours})
    EXPECT_EQ(colouring_unavailable_reason(by, app.workspace(), app.selection()).toStdString(), "");
  const VoxelScene& scene = *app.workspace().scene().voxels();
  const double half_diagonal = 0.15 * std::sqrt(3.0) / 2;
  const auto distances = centre_distance_values(scene, 1).amount;
  ASSERT_EQ(std::ssize(distances), size_of(scene.level(1)));
  EXPECT_LE(*std::max_element(distances.begin(), distances.end()), half_diagonal + 1e-6);
  EXPECT_GT(*std::max_element(distances.begin(), distances.end()), 0.15 / 2);
  const KernelMap& map = *app.workspace().shownMap(-1).map;
  const auto changed = changed_neighbour_values(scene, 1, map).amount;
  const MapKey key{map.offsets->kernel(), 1, 1};
  const NeighbourCounts counts = neighbour_counts(scene, key, map);
  const auto triplets = matches_per_output(map);
  double sum = 0;
  for (std::size_t row = 0; row < changed.size(); ++row)
    sum += changed[row] / 100.0 * triplets[row];
  EXPECT_NEAR(sum, static_cast<double>(counts.triplets - counts.same_column), 0.5)
      << "the engine counts the same triplets in another way";
}

TEST_F(NeighboursTest, TheVoxelPanelShowsThePositionAndAllInputsOfAColumn) {
  openRoom();
  choose("neighbours.ball");
  const VoxelScene& scene = *app.workspace().scene().voxels();
  const KernelMap& map = *app.workspace().shownMap(-1).map;
  // Select an output with several inputs in one column.
  std::int32_t output = -1;
  int several = 0;
  for (std::int32_t row = 0; row < map.outputs && several < 2; ++row) {
    for (int column = 0; column < map.offsets->columns() && several < 2; ++column) {
      several = static_cast<int>(inputs_of(map, row, column).size());
      output = row;
    }
  }
  ASSERT_GT(several, 1);
  app.docks().show("voxel");
  app.selection().setVoxel(ChosenVoxel{voxel_at(scene.level(1), output), 1});
  auto& panel = child<VoxelPanel>(window);
  const std::string facts = panel.findChild<QLabel*>("facts")->text().toStdString();
  EXPECT_THAT(facts, AllOf(HasSubstr("in the cell"), HasSubstr("mm")));
  EXPECT_EQ(panel.findChild<QTableWidget*>()->rowCount(),
            matches_per_output(map)[static_cast<std::size_t>(output)]);
}

TEST_F(NeighboursTest, TheTableOfTheMapShowsHowManyInputsACellHas) {
  openRoom();
  choose("neighbours.ball");
  const auto map = app.workspace().shownMap(-1).map;
  MapTableModel table;
  table.setMap(map, app.workspace().scene().voxels()->levels.front());
  EXPECT_EQ(
      table.headerData(MapTableModel::matches, Qt::Horizontal, Qt::DisplayRole).toString().toStdString(),
      "triplets");
  const auto triplets = matches_per_output(*map);
  int several = 0;
  for (std::int32_t output = 0; output < map->outputs && several < 5; ++output) {
    EXPECT_EQ(table.index(output, MapTableModel::matches).data().toInt(),
              triplets[static_cast<std::size_t>(output)]);
    for (int column = 0; column < map->offsets->columns(); ++column) {
      const auto inputs = inputs_of(*map, output, column);
      if (inputs.size() < 2) continue;
      ++several;
      EXPECT_EQ(table.index(output, MapTableModel::first_offset + column).data().toString(),
                QString("%1 +%2").arg(inputs.front()).arg(inputs.size() - 1));
    }
  }
  EXPECT_GT(several, 0);
}

TEST_F(NeighboursTest, TheStatisticsDescribeThePositions) {
  openRoom();
  const auto text = [&] {
    return child<PointsPanel>(window).findChild<QLabel*>("statistics")->text().toStdString();
  };
  EXPECT_THAT(text(), Not(HasSubstr("distance to centre")));
  choose("neighbours.ball");
  ASSERT_TRUE(waitFor([&] { return text().find("distance to centre") != std::string::npos; }));
  EXPECT_THAT(text(), AllOf(HasSubstr("rms"), HasSubstr("mm"), HasSubstr("points merged")));
}

TEST_F(NeighboursTest, ALessonExplainsVoxelsAndTheChoiceReturnsAfterIt) {
  openRoom();
  choose("neighbours.ball");
  ASSERT_TRUE(app.commands().trigger("lesson.voxelize"));
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  EXPECT_EQ(neighbourhood(), Neighbourhood{});
  app.lessons().leave();
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  EXPECT_EQ(neighbourhood().shape, NeighbourShape::ball);
  EXPECT_TRUE(app.workspace().shownMap(-1).map->many());
}

TEST_F(NeighboursTest, ALessonChangesNoRecordedRun) {
  Network native = test::little_unet();
  set_neighbourhood(native, {NeighbourShape::ball, 1, 0});
  test::SmallSession recorded(std::move(native));
  Job job;
  recorded.load();
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  const QString file = folder.filePath("native.spira.json");
  write_report(
      file.toStdString(),
      make_report(recorded.session, *recorded.session.measure(recorded.plan, how, job), {"spira", "run"}));
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  const auto network = app.workspace().network();
  ASSERT_TRUE(app.commands().trigger("lesson.voxelize"));
  EXPECT_EQ(app.workspace().network(), network) << "the recorded run is still open";
  ASSERT_TRUE(waitFor([&] { return ready() && app.workspace().scene().voxels(); }));
  EXPECT_EQ(app.workspace().results().report(), nullptr);
  EXPECT_EQ(neighbourhood(), Neighbourhood{});
  EXPECT_FALSE(app.workspace().shownMap(-1).map->many());
  app.lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_NE(app.workspace().results().report(), nullptr);
  EXPECT_EQ(app.workspace().network(), network);
}

TEST_F(NeighboursTest, ASessionKeepsTheNetworkAndThePositions) {
  openRoom();
  choose("neighbours.ball");
  ASSERT_TRUE(app.commands().trigger("neighbours.grid"));
  ASSERT_TRUE(waitFor([&] { return ready(); }));
  const std::string json = session_json(app.sessions().state(), {});
  const SessionState read = parse_session(json, "s", {});
  EXPECT_EQ(read.parameters.grid.positions, PositionKind::grid);
  EXPECT_EQ(network_identity(*read.parameters.network), network_identity(*app.workspace().network()));
}

}  // namespace
}  // namespace spira::ui

#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/temp_folder.hpp"
#include "ui/charts/graph/graph_chart.hpp"
#include "ui/charts/roofline_chart.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/graph_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/roofline_panel.hpp"

#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>

#include <gmock/gmock.h>

#include <algorithm>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using LayersTest = WindowTest;

TEST_F(LayersTest, TheNameOfTheChosenLayerIsCopied) {
  open("room");
  EXPECT_FALSE(app.commands().trigger("layer.copy_name")) << "no layer is chosen";
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("layer.copy_name"));
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(), app.workspace().network()->layers[1].name);
}

TEST_F(LayersTest, ANetworkThatVoxelisesScansItselfRunsOnlyOnVoxelFiles) {
  open("room");
  const test::TempFolder folder;
  const auto file = folder.write("gridded.json", R"({"schema": "spira.network 2", "name": "gridded",
      "input": {"grid": {"voxel_m": 0.1, "low_m": [0.03, 0, 0]}}, "origin": "spconv 2.3.8",
      "layers": [{"name": "a", "out_channels": 8}]})");
  app.jobs().runs().chooseNetwork(QString::fromStdString(file.string()));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().network()->name == "gridded"; }));
  const auto boxes = window.findChildren<QComboBox*>();
  EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), [](const QComboBox* box) {
    return box->accessibleName() == "Network" && box->toolTip().contains("Origin: spconv 2.3.8");
  }));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(),
              HasSubstr("open a voxel file (spira run --save-voxels)"));
}

/// Opens a recorded run and shows the views of its layers.
class LayerViews : public WindowTest {
 protected:
  void openReport(const Report& report) {
    const QString file = folder.filePath("far.spira.json");
    write_report(file.toStdString(), report);
    app.opening().open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().report(); }));
    app.docks().show("roofline");
    ASSERT_TRUE(waitFor([&] { return idle() && roofline().chart()->hasContent(); }));
    replot_charts(*roofline().chart());
  }
  [[nodiscard]] RooflinePanel& roofline() { return child<RooflinePanel>(window); }
  [[nodiscard]] NetworkPanel& list() { return child<NetworkPanel>(window); }
  [[nodiscard]] bool shows(int column) { return !list().table()->isColumnHidden(column); }
  /// Triggers the entry of the header menu with this text.
  void choose(const QString& text) {
    QMenu menu;
    list().fillHeaderMenu(menu);
    const auto actions = menu.actions();
    const auto found = std::find_if(actions.begin(), actions.end(),
                                    [&](const QAction* action) { return action->text() == text; });
    ASSERT_NE(found, actions.end()) << text.toStdString();
    (*found)->trigger();
  }

  QTemporaryDir folder;
};

TEST_F(LayerViews, TheListShowsWhatADecisionNeedsInTheDefaultWindow) {
  openReport(test::recorded_report());
  using Model = LayerTableModel;
  // The kernel size includes the factor of the stride.
  for (const int column :
       {Model::kernel, Model::channels, Model::pairs, Model::voxels, Model::time, Model::threshold})
    EXPECT_TRUE(shows(column)) << Model::titleOf(column).toStdString();
  EXPECT_FALSE(shows(Model::flop_rate));
  EXPECT_FALSE(list().table()->horizontalScrollBar()->isVisible());
}

TEST_F(LayerViews, TheListHasRoomForItsColumnsInAWindowOf1366Pixels) {
  window.resize(1366, 768);
  app.docks().arrange("profile");
  openReport(test::recorded_report());
  constexpr int needed = 360;  // the columns of a run of SparseResNet-21 and the scroll bar
  EXPECT_GE(app.docks().leftDock().width(), needed);
  EXPECT_TRUE(shows(LayerTableModel::voxels));
}

TEST_F(LayerViews, TheHeaderMenuChoosesColumnsAndTheSettingsRememberThem) {
  openReport(test::recorded_report());
  choose("Work and efficiency");
  EXPECT_TRUE(shows(LayerTableModel::flop_rate) && shows(LayerTableModel::over_floor));
  EXPECT_FALSE(shows(LayerTableModel::voxels));
  choose(LayerTableModel::titleOf(LayerTableModel::voxels));
  EXPECT_TRUE(shows(LayerTableModel::voxels) && shows(LayerTableModel::flop_rate));
  choose(LayerTableModel::titleOf(LayerTableModel::flop_rate));
  EXPECT_FALSE(shows(LayerTableModel::flop_rate));
  EXPECT_NE(app.settings().whole("layers.columns"), 0);
  choose("Columns that fit");
  EXPECT_EQ(app.settings().whole("layers.columns"), 0);
  EXPECT_TRUE(shows(LayerTableModel::kernel) && !shows(LayerTableModel::over_floor));
}

TEST_F(LayerViews, FullNamesAreNeverShortened) {
  Report report = test::recorded_report();
  const std::string name = "a.very.long.name.of.a.layer.that.does.not.fit.into.any.list";
  LayerMeasurement& first = report.measurement.layers.at(0);
  for (StageNode& node : first.stages.nodes) {
    if (const auto at = node.name.find("[" + first.name + "]"); at != std::string::npos)
      node.name.replace(at + 1, first.name.size(), name);
  }
  for (Layer& layer : report.network.layers) {
    for (std::string& input : layer.inputs)
      if (input == first.name) input = name;
    if (layer.residual == first.name) layer.residual = name;
  }
  report.network.layers.at(0).name = first.name = name;
  openReport(report);
  const auto& table = *list().table();
  const auto needed = [&] { return table.fontMetrics().horizontalAdvance(QString::fromStdString(name)); };
  EXPECT_LT(table.columnWidth(LayerTableModel::name), needed());
  EXPECT_TRUE(table.model()->index(0, 0).data(Qt::ToolTipRole).toString().startsWith(name.c_str()));
  ASSERT_TRUE(app.commands().trigger("layer.full_names"));
  EXPECT_TRUE(app.settings().truth("layers.full_names"));
  EXPECT_GE(table.columnWidth(LayerTableModel::name), needed());
  choose("Full names");
  EXPECT_FALSE(app.settings().truth("layers.full_names"));
  EXPECT_LT(table.columnWidth(LayerTableModel::name), needed());
}

TEST_F(LayerViews, APointOfTheRooflineIsLinkedWithTheOtherViews) {
  openReport(test::recorded_report());
  RooflineChart* chart = roofline().chart();
  ASSERT_EQ(chart->points().size(), 7U);
  std::size_t point = 0;  // A point that no other point covers.
  while (point < 7 && chart->rowAt(chart->positionOf(point)) != static_cast<int>(point))
    ++point;
  ASSERT_LT(point, 7U);
  const int layer = chart->points()[point].layer;
  app.selection().setLayer(-1);
  QTest::mouseClick(chart, Qt::LeftButton, {}, chart->positionOf(point).toPoint());
  EXPECT_EQ(app.selection().layer(), layer);
  EXPECT_EQ(list().table()->currentIndex().data(LayerTableModel::layer_role).toInt(), layer);
  const QImage before = chart->grab().toImage();
  Hover hover;
  hover.layer = layer == 0 ? 1 : 0;
  app.selection().setHover(hover);
  replot_charts(*chart);
  EXPECT_NE(chart->grab().toImage(), before) << "a layer under the pointer in another view has a ring";
}

TEST_F(LayerViews, ARecordedRunWithoutRatesSaysWhatIsMissing) {
  openReport(test::recorded_report());
  EXPECT_THAT(roofline().headline().toStdString(),
              HasSubstr("does not contain the maximum rates of A far GPU. Record the run again with"));
  EXPECT_TRUE(roofline().measureRates()->isHidden()) << "the device of the recording is not here";
  EXPECT_FALSE(app.commands().trigger("run.rates"));
}

TEST_F(LayerViews, TheRoofsOfARecordedRunNameTheirDeviceAndMethod) {
  Report report = test::recorded_report();
  report.measurement.rates = DeviceRates{{4.22e12, "copy of 1.07 GB", {1, 1, 1}}, {759e12, "a product", {1}}};
  openReport(report);
  EXPECT_THAT(roofline().headline().toStdString(),
              testing::AllOf(HasSubstr("Roofs measured on A far GPU"), HasSubstr("4.22 TB/s"),
                             HasSubstr("copy of 1.07 GB, median of 3"), HasSubstr("759 TFLOP/s")));
  EXPECT_TRUE(roofline().chart()->roofAt(1));
}

TEST_F(LayerViews, RatesThatWereMeasuredBelongToThisAndLaterRuns) {
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  EXPECT_FALSE(app.commands().trigger("run.rates")) << "nothing was measured";
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().measurement(); }));
  app.docks().show("roofline");
  ASSERT_TRUE(waitFor([&] { return idle() && roofline().measureRates()->isVisible(); }));
  const std::string id = report_id(*app.openRun().report());
  QTest::mouseClick(roofline().measureRates(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().measurement()->rates; }));
  EXPECT_GT(app.workspace().measurement()->rates->bytes.per_second.value(), 1e6);
  EXPECT_EQ(report_id(*app.openRun().report()), id) << "the rates must not make another run";
  ASSERT_TRUE(waitFor([&] { return idle() && roofline().measureRates()->isHidden(); }));
  EXPECT_THAT(roofline().headline().toStdString(), HasSubstr("Roofs measured on"));
  const auto first = app.workspace().measurement();
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().measurement() != first; }));
  EXPECT_TRUE(app.workspace().measurement()->rates) << "the device is the same";
}

class GraphView : public LayerViews {
 protected:
  GraphView() { app.docks().show("graph"); }
  [[nodiscard]] GraphPanel& panel() { return child<GraphPanel>(window); }
  [[nodiscard]] GraphChart& graph() { return *panel().chart(); }
  [[nodiscard]] const GraphValue& value(int layer) {
    return graph().graph().values.at(static_cast<std::size_t>(layer) + 1);
  }
};

TEST_F(GraphView, AClickSelectsTheLayerInAllViewsAndTheGraphFollowsTheSelection) {
  app.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  QTest::mouseClick(&graph(), Qt::LeftButton, {}, graph().rectOf(1).center().toPoint());
  EXPECT_EQ(app.selection().layer(), 1);
  const QModelIndex row = list().table()->currentIndex();
  EXPECT_EQ(row.data(LayerTableModel::layer_role).toInt(), 1);
  EXPECT_FALSE(graph().canvas().contains(graph().rectOf(40)));
  app.selection().setLayer(40);
  EXPECT_TRUE(graph().canvas().contains(graph().rectOf(40)));
}

TEST_F(GraphView, TheStructureIsThereBeforeARunAndTheResultsAfterIt) {
  open("street");
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle() && graph().graph().nodes.size() == 22; }));
  EXPECT_LT(value(0).ms, 0);
  EXPECT_GT(value(-1).voxels, 0) << "the voxels of the scene are known";
  runNetwork("resn21");
  ASSERT_TRUE(app.docks().shows("graph")) << "this tab shows the new run";
  for (int layer = 0; layer < 21; ++layer) {
    EXPECT_GE(value(layer).ms, 0) << layer;
    EXPECT_GT(value(layer).voxels, 0) << layer;
  }
}

TEST_F(GraphView, AReportHasItsTimesAndConnections) {
  openReport(test::recorded_report());
  app.docks().show("graph");
  ASSERT_TRUE(waitFor([&] { return idle() && !graph().graph().values.empty(); }));
  EXPECT_GT(value(0).ms, 0);
  EXPECT_GT(value(0).voxels, 0);
  EXPECT_GE(graph().graph().shape.links.size(), app.workspace().network()->layers.size());
  EXPECT_EQ(graph().text().statistic.toStdString(), "median");
}

TEST_F(GraphView, EnterInTheSearchFieldVisitsTheMatches) {
  app.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  auto* field = panel().findChild<QLineEdit*>();
  QTest::keyClicks(field, "decoder4");
  const std::vector<int> matches = graph().matches();
  ASSERT_GE(matches.size(), 3U);
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(app.selection().layer(), matches[0]);
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(app.selection().layer(), matches[1]);
  EXPECT_TRUE(graph().canvas().contains(graph().rectOf(matches[1])));
  QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(app.selection().layer(), matches[0]);
  QTest::keyClick(field, Qt::Key_Escape);
  EXPECT_TRUE(graph().matches().empty());
}

}  // namespace
}  // namespace spira::ui

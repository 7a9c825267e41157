#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/graph/graph_chart.hpp"
#include "ui/charts/roofline_chart.hpp"
#include "ui/charts/threshold_bars.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/graph_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/roofline_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"

#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolTip>

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

/// Opens a recorded run and shows the views of its layers.
class LayerViews : public WindowTest {
 protected:
  void openReport(const Report& report) {
    const QString file = folder.filePath("far.spira.json");
    write_report(file.toStdString(), report);
    app.opening().open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
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
  // The column of the kernel size also shows the factor of the stride.
  for (const int column :
       {Model::kernel, Model::channels, Model::pairs, Model::voxels, Model::time, Model::dataflow})
    EXPECT_TRUE(shows(column)) << Model::titleOf(column).toStdString();
  EXPECT_FALSE(shows(Model::flop_rate));
  EXPECT_FALSE(list().table()->horizontalScrollBar()->isVisible());
}

TEST_F(LayerViews, TheListHasRoomForItsColumnsInAWindowOf1366Pixels) {
  window.resize(1366, 768);
  app.docks().arrange("profile");
  openReport(test::recorded_report());
  constexpr int needed = 360;  // Width of the columns for a run of SparseResNet-21, and of the scroll bar.
  EXPECT_GE(app.docks().leftDock().width(), needed);
  EXPECT_TRUE(shows(LayerTableModel::voxels));
}

/// Measures the text of a cell with the font of the list, because a column can be visible and still too
/// narrow for its texts.
TEST_F(LayerViews, TheListShowsWhatADecisionNeedsInAWindowOf1024Pixels) {
  using Model = LayerTableModel;
  window.resize(1024, 640);
  app.docks().arrange("profile");
  open("street");
  for (const char* network : {"resn21", "minkunet42"}) {
    runNetwork(network);
    const QTableView& table = *list().table();
    ASSERT_TRUE(waitFor([&] { return idle() && !table.model()->index(0, Model::voxels).data().isNull(); }));
    QApplication::processEvents();
    EXPECT_FALSE(table.horizontalScrollBar()->isVisible()) << network;
    const QFontMetrics small(table.font());
    constexpr double font_scale = 0.89;  // The compact form has a smaller font.
    for (const int column :
         {Model::kernel, Model::channels, Model::pairs, Model::voxels, Model::time, Model::dataflow}) {
      ASSERT_TRUE(shows(column)) << network << ": " << Model::titleOf(column).toStdString();
      for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QString text = table.model()->index(row, column).data().toString();
        EXPECT_GE(table.columnWidth(column), small.horizontalAdvance(text) * font_scale)
            << network << " " << text.toStdString();
        EXPECT_LE(table.columnViewportPosition(column) + table.columnWidth(column),
                  table.viewport()->width());
      }
    }
    EXPECT_GE(app.sceneView().width(), 360) << "the 3D view needs space too";
  }
}

/// The same layer has different times in the list and in the density panel. Both must name their contents
/// and how they were measured.
TEST_F(LayerViews, TimesOfLayersNameHowTheyWereMeasured) {
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  const auto title = [&] {
    QStringList texts;
    for (const QLabel* label : list().findChildren<QLabel*>())
      texts += label->text();
    return texts.join('\n').toStdString();
  };
  const auto slowest = [&] {
    for (const QLabel* label : child<SummaryPanel>(window).overview()->findChildren<QLabel*>())
      if (label->text().contains("Slowest layers")) return label->text().toStdString();
    return std::string();
  };
  app.selection().setLayer(0);
  const auto& bars = child<ThresholdBars>(child<DensityPanel>(window));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && !slowest().empty(); }));
  EXPECT_THAT(title(), HasSubstr("ms: map and features, last run, n\u00a0=\u00a01"));
  EXPECT_THAT(slowest(), HasSubstr("single run: the order may change"));
  EXPECT_EQ(bars.shownCaption(), "Features without map, last run");
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  QApplication::processEvents();
  const std::int64_t repetitions = app.workspace().results().measurement()->repetitions();
  const std::string kind = "median of\u00a0" + std::to_string(repetitions) + " isolated runs";
  EXPECT_THAT(title(), HasSubstr("ms: map and features, " + kind));
  EXPECT_THAT(slowest(), HasSubstr("median of " + std::to_string(repetitions)));
  EXPECT_EQ(bars.shownCaption(), "Features without map, isolated runs");
}

TEST_F(LayerViews, TheDataflowIsChangedInTheListAndTheRunUsesIt) {
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  app.selection().setLayer(0);
  QTableView& table = *list().table();
  const QModelIndex cell = table.model()->index(0, LayerTableModel::dataflow);
  table.setCurrentIndex(cell);
  table.edit(cell);
  auto* editor = table.findChild<QComboBox*>();
  ASSERT_NE(editor, nullptr);
  const int impossible = editor->findText("mask-sorted, 8 splits"),
            sorted = editor->findText("mask-sorted, 2 splits");
  ASSERT_GE(impossible, 0);
  ASSERT_GE(sorted, 0);
  EXPECT_FALSE(editor->model()->flags(editor->model()->index(impossible, 0)).testFlag(Qt::ItemIsEnabled));
  EXPECT_THAT(editor->itemData(impossible, Qt::ToolTipRole).toString().toStdString(),
              HasSubstr("cannot be divided into 8 splits"));
  editor->setCurrentIndex(sorted);
  QTest::keyClick(editor, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return app.workspace().requested().plan().layers[0].splits == 2; }));
  EXPECT_FALSE(app.commands().trigger("t.down"));
  EXPECT_THAT(app.commands().unavailableReason("t.down").toStdString(), HasSubstr("mask-sorted, 2 splits"));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  EXPECT_EQ(app.workspace().results().layer(0)->plan.splits, 2);
  // The Density panel shows the dataflow instead of a divider.
  const auto& density = child<DensityPanel>(window);
  const auto keys = density.chart()->legendEntries();
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys.front().text, "all offsets: mask-sorted, 2 splits (no threshold t)");
  EXPECT_EQ(child<ThresholdBars>(density).times().front().name, "mask-sorted, 2 splits");
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(app.workspace().requested().plan().layers[0].splits, 0);
  ASSERT_GT(density.chart()->legendEntries().size(), 0U);
  EXPECT_FALSE(density.chart()->legendEntries().front().text.contains("(no threshold t)"));
  const QString time = list().layers()->index(0, LayerTableModel::time).data().toString();
  EXPECT_TRUE(time.startsWith("*")) << "the layer ran with another dataflow: " << time.toStdString();
}

TEST_F(LayerViews, TheListSpellsOutTheDataflows) {
  openReport(test::recorded_report());
  const QLabel* legend = nullptr;
  for (const QLabel* label : list().findChildren<QLabel*>())
    if (label->text() == "OS: output-stationary, WS: weight-stationary") legend = label;
  ASSERT_NE(legend, nullptr);
  for (const QSize size : {QSize(1440, 900), QSize(1024, 640)}) {
    window.resize(size);
    QApplication::processEvents();
    EXPECT_TRUE(legend->isVisible());
    EXPECT_GE(legend->contentsRect().width(), legend->fontMetrics().horizontalAdvance(legend->text()))
        << "the legend must fit into one line";
  }
  list().setColumns((1 << LayerTableModel::name) | (1 << LayerTableModel::time));
  EXPECT_FALSE(legend->isVisible()) << "no column shows the dataflows";
  list().setColumns(0);
  EXPECT_TRUE(legend->isVisible());
}

TEST_F(LayerViews, ACountIsShortInTheCompactFormOnly) {
  openReport(test::recorded_report());
  const auto text = [&] {
    return list().table()->model()->index(0, LayerTableModel::pairs).data().toString();
  };
  const QString full = text();
  window.resize(1024, 640);
  app.docks().arrange("profile");
  ASSERT_TRUE(waitFor([&] { return text() != full; })) << full.toStdString();
  EXPECT_LE(text().size(), 4);
  EXPECT_TRUE(shows(LayerTableModel::pairs));
  window.resize(1440, 900);
  app.docks().arrange("profile");
  EXPECT_TRUE(waitFor([&] { return text() == full; })) << text().toStdString();
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
  std::size_t point = 0;  // Index of a point that no other point covers.
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

TEST_F(LayerViews, ASingleRunHasWorkAndRatesButNoRoofs) {
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  app.docks().show("roofline");
  ASSERT_TRUE(waitFor([&] { return roofline().chart()->points().size() == 7; }));
  EXPECT_THAT(roofline().headline().toStdString(), HasSubstr("n = 1"));
  EXPECT_FALSE(roofline().chart()->roofAt(1));
  EXPECT_TRUE(roofline().measureRates()->isHidden());
  choose("Work and efficiency");
  const auto& model = *list().table()->model();
  EXPECT_FALSE(model.index(0, LayerTableModel::flop_rate).data().toString().isEmpty());
  EXPECT_TRUE(model.index(0, LayerTableModel::over_floor).data().toString().isEmpty());
}

TEST_F(LayerViews, RatesThatWereMeasuredBelongToThisAndLaterRuns) {
  const QString file = folder.filePath("room.ply");
  write_scene(*test::small_room(2000), file.toStdString());
  open(file);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  EXPECT_FALSE(app.commands().trigger("run.rates")) << "nothing was measured";
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  app.docks().show("roofline");
  ASSERT_TRUE(waitFor([&] { return idle() && roofline().measureRates()->isVisible(); }));
  const std::string id = report_id(*app.openRun().report());
  QTest::mouseClick(roofline().measureRates(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement()->rates; }));
  EXPECT_GT(app.workspace().results().measurement()->rates->bytes.per_second.value(), 1e6);
  EXPECT_EQ(report_id(*app.openRun().report()), id) << "the rates must not make another run";
  ASSERT_TRUE(waitFor([&] { return idle() && roofline().measureRates()->isHidden(); }));
  EXPECT_THAT(roofline().headline().toStdString(), HasSubstr("Roofs measured on"));
  const auto first = app.workspace().results().measurement();
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement() != first; }));
  EXPECT_TRUE(app.workspace().results().measurement()->rates) << "the device is the same";
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

TEST_F(GraphView, TheTooltipNamesTheOperationAndTheStepsAfterIt) {
  app.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  const auto& layers = app.workspace().network()->layers;
  const auto with_residual =
      std::find_if(layers.begin(), layers.end(), [](const Layer& layer) { return !layer.residual.empty(); });
  ASSERT_NE(with_residual, layers.end());
  app.selection().setLayer(static_cast<int>(with_residual - layers.begin()));
  const QPoint at = graph().rectOf(app.selection().layer()).center().toPoint();
  QHelpEvent event(QEvent::ToolTip, at, graph().mapToGlobal(at));
  QApplication::sendEvent(&graph(), &event);
  EXPECT_THAT(
      QToolTip::text().toStdString(),
      testing::AllOf(HasSubstr("Operation: 3x3x3\n"), HasSubstr("Batch norm: folded into the weights\n"),
                     HasSubstr("Followed by: residual, relu\n")));
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

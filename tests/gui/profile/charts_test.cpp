// Tests charts without a window. Their labels must fit, and a picture of a chart must show its current
// content.
#include "tests/gui/mouse.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/chart.hpp"
#include "ui/charts/histogram_chart.hpp"
#include "ui/charts/roofline_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QPointer>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>

namespace spira::ui {
namespace {

std::vector<StageBar> bars_of(double ms, int count) {
  std::vector<StageBar> bars;
  for (int bar = 0; bar < count; ++bar)
    bars.push_back({QString("s%1.c").arg(bar), {}, bar, {{StageGroup::search, ms + bar}}});
  return bars;
}

TEST(StageChartTest, APictureShowsTheCurrentBars) {
  Theme theme;
  StageChart chart(&theme);
  chart.resize(600, 240);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  chart.setBars(bars_of(1, 10), {});
  replot_charts(chart);
  const QImage first = chart.grab().toImage();
  chart.setBars(bars_of(50, 6), {});
  replot_charts(chart);
  const QImage second = chart.grab().toImage();
  EXPECT_NE(second, first) << "the second picture must show the new bars";
  QApplication::processEvents();
  EXPECT_EQ(chart.grab().toImage(), second) << "processing further events must not change the picture";
}

TEST(StageChartTest, HasANameForEveryBarWithEnoughSpaceFromTheStart) {
  Theme theme;
  StageChart chart(&theme);
  chart.setBars(bars_of(1, 22), {});  // The chart has no size yet.
  chart.resize(900, 240);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  EXPECT_EQ(chart.labelsShown(), 22);
  chart.resize(260, 240);
  QApplication::processEvents();
  EXPECT_LT(chart.labelsShown(), 22);
  EXPECT_GT(chart.labelsShown(), 5);
  EXPECT_EQ(chart.axisHint(), "Point at a bar to see its name");
}

TEST(StageChartTest, TheLegendHasShortNamesInANarrowChart) {
  Theme theme;
  StageChart chart(&theme);
  std::vector<StageBar> bars = bars_of(1, 4);
  bars.front().parts[StageGroup::residual] = 0.1;
  chart.setBars(bars, {});
  chart.resize(1400, 240);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  EXPECT_EQ(chart.legendNames().at(StageGroup::residual), "outside timed steps");
  chart.resize(200, 240);
  QApplication::processEvents();
  EXPECT_EQ(chart.legendNames().at(StageGroup::residual), "outside steps");
  EXPECT_EQ(chart.legendEntries().back().text, "outside timed steps") << "pictures have their own legend";
}

TEST(StageChartTest, AllLayersOfALargeNetworkHaveANameInAWideWindow) {
  Theme theme;
  StageChart chart(&theme);
  chart.setBars(bars_of(1, 62), {});
  chart.resize(970, 200);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  EXPECT_EQ(chart.labelsShown(), 62);
  EXPECT_EQ(chart.axisHint(), "");
}

QPointer<QObject> drawn_bars(const StageChart& chart) {
  const auto all = chart.findChildren<QObject*>();
  const auto found =
      std::find_if(all.begin(), all.end(), [](const QObject* one) { return one->inherits("QCPBars"); });
  return found == all.end() ? nullptr : *found;
}

/// For a network of 1,000 layers, creating the bars takes longer than one frame.
TEST(StageChartTest, SelectingTheSameLayerAgainMakesNoNewBars) {
  Theme theme;
  StageChart chart(&theme);
  chart.setBars(bars_of(1, 10), {});
  const auto before = drawn_bars(chart);
  ASSERT_TRUE(before);
  chart.setChosenLayer(2);
  const auto chosen = drawn_bars(chart);
  ASSERT_TRUE(chosen);
  EXPECT_FALSE(before) << "selecting another layer must make new bars";
  chart.setChosenLayer(2);
  EXPECT_TRUE(chosen) << "selecting the same layer must keep the bars";
}

TEST(StageChartTest, TheTooltipOfABarListsItsStagesBetweenHeadAndNotes) {
  StageBar bar{"s1", "stage1.conv"};
  bar.samples = {{"map/search", {2.0}, 3'000'000}, {"features", {4.0}}};
  bar.notes = "\nbaseline";
  const QStringList lines = bar.tip().split('\n');
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(lines[0], "stage1.conv");
  EXPECT_TRUE(lines[1].startsWith("map/search: 2")) << lines[1].toStdString();
  EXPECT_TRUE(lines[1].contains("n = 1") && lines[1].contains("peak memory 3")) << lines[1].toStdString();
  EXPECT_TRUE(lines[2].startsWith("features: 4") && !lines[2].contains("peak")) << lines[2].toStdString();
  EXPECT_EQ(lines[3], "baseline");
}

/// Returns a point with an intensity of 2 FLOP per byte. Its work takes 10 ms at `gflops` GFLOP/s.
RooflinePoint point_of(int layer, double gflops, double share) {
  RooflinePoint point;
  point.name = QString("stage.conv%1").arg(layer);
  point.short_name = QString("s.c%1").arg(layer);
  point.layer = layer;
  point.dataflow_text = "OS";
  const double flops = gflops * 1e9 * 10e-3;
  point.features = {"features", {flops / 2, flops}, {9, 10, 11}};
  point.share = share;
  return point;
}

class RooflineTest : public testing::Test {
 protected:
  RooflineTest() : chart(&theme) {
    chart.resize(700, 300);
    chart.show();
    static_cast<void>(QTest::qWaitForWindowExposed(&chart));
  }
  void setPoints(std::optional<DeviceRates> rates) {
    chart.setPoints({point_of(4, 20, 0.5), point_of(7, 100, 0.1)}, std::move(rates), "n = 3");
    replot_charts(chart);
  }
  static DeviceRates rates() { return {{100e9, "copy", {1}}, {400e9, "product", {1}}}; }

  Theme theme;
  RooflineChart chart;
};

TEST_F(RooflineTest, TheRoofIsTheLowerOfBothRates) {
  setPoints(rates());
  EXPECT_DOUBLE_EQ(chart.roofAt(1).value(), 100e9);
  EXPECT_DOUBLE_EQ(chart.roofAt(4).value(), 400e9);
  EXPECT_DOUBLE_EQ(chart.roofAt(50).value(), 400e9);
  setPoints(DeviceRates{{100e9, "copy", {1}}, {std::nullopt, "no library", {}}});
  EXPECT_DOUBLE_EQ(chart.roofAt(50).value(), 5000e9) << "a missing rate must not limit the layers";
  setPoints(std::nullopt);
  EXPECT_FALSE(chart.roofAt(1));
  EXPECT_EQ(chart.named().size(), 2U) << "a chart without roofs must show its layers";
}

TEST_F(RooflineTest, ThePositionsHaveTheDistancesOfALogarithmicChart) {
  setPoints(rates());
  const QPointF low = chart.positionOf(0), high = chart.positionOf(1);
  EXPECT_NEAR(low.x(), high.x(), 0.01) << "equal intensities";
  EXPECT_GT(low.y(), high.y());
  chart.setPoints({point_of(0, 10, 0.1), point_of(1, 100, 0.1), point_of(2, 1000, 0.1)}, {}, {});
  replot_charts(chart);
  EXPECT_NEAR(chart.positionOf(0).y() - chart.positionOf(1).y(),
              chart.positionOf(1).y() - chart.positionOf(2).y(), 0.5);
}

TEST_F(RooflineTest, EachAxisHasThreeLabelsOrMore) {
  const auto expect_labels = [&](const std::string& what) {
    for (const Qt::Orientation axis : {Qt::Horizontal, Qt::Vertical}) {
      const auto labels = chart.labelsOf(axis);
      EXPECT_GE(labels.size(), 3U) << what << ", axis " << axis;
      EXPECT_LE(labels.size(), 12U) << what << ", axis " << axis;
    }
  };
  setPoints(rates());
  expect_labels("two decades");
  chart.setPoints({point_of(0, 40, 0.5)}, {}, {});
  replot_charts(chart);
  expect_labels("less than one decade");
  chart.setPoints({point_of(0, 0.001, 0.5), point_of(1, 100'000, 0.5)}, {}, {});
  replot_charts(chart);
  expect_labels("eight decades");
  chart.resize(260, 120);
  replot_charts(chart);
  expect_labels("a small chart");
}

TEST_F(RooflineTest, APointIsFoundClickedAndHovered) {
  setPoints(rates());
  EXPECT_EQ(chart.rowAt(chart.positionOf(0)), 0);
  EXPECT_EQ(chart.rowAt(chart.positionOf(1)), 1);
  EXPECT_EQ(chart.rowAt({2, 2}), -1);
  QSignalSpy clicked(&chart, &RooflineChart::layerClicked), hovered(&chart, &RooflineChart::layerHovered);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.positionOf(1).toPoint());
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked.at(0).at(0).toInt(), 7);
  move_mouse(chart, chart.positionOf(0));
  ASSERT_FALSE(hovered.isEmpty());
  EXPECT_EQ(hovered.back().at(0).toInt(), 4);
}

TEST_F(RooflineTest, TheSelectedLayerHasARing) {
  setPoints(rates());
  const QImage plain = chart.grab().toImage();
  chart.setChosenLayer(7);
  replot_charts(chart);
  const QImage chosen = chart.grab().toImage();
  EXPECT_NE(chosen, plain);
  chart.setHoveredLayer(4);
  replot_charts(chart);
  EXPECT_NE(chart.grab().toImage(), chosen);
}

TEST_F(RooflineTest, TheSelectedAndTheHoveredLayerAlwaysHaveAName) {
  // Nine layers are at almost the same position, so there is not enough space for all names.
  std::vector<RooflinePoint> crowded;
  for (int layer = 0; layer < 9; ++layer)
    crowded.push_back(point_of(layer, 100 + layer, layer == 8 ? 0.001 : 0.1));
  chart.setPoints(crowded, rates(), "n = 3");
  replot_charts(chart);
  const auto is_named = [&](std::size_t point) {
    return std::count(chart.named().begin(), chart.named().end(), point) == 1;
  };
  EXPECT_FALSE(is_named(8)) << "the layer with the shortest time must have no name yet";
  chart.setChosenLayer(8);
  replot_charts(chart);
  EXPECT_TRUE(is_named(8));
  chart.setHoveredLayer(5);
  replot_charts(chart);
  EXPECT_TRUE(is_named(5) && is_named(8));
}

TEST_F(RooflineTest, TheAxisTheTooltipAndTheTableHaveTheUnitOfTheRoof) {
  setPoints(DeviceRates{{4e12, "copy", {1}}, {737e12, "product", {1}}});
  EXPECT_EQ(chart.unit().name, "TFLOP/s");
  EXPECT_TRUE(chart.text().unit.startsWith("TFLOP/s"));
  const ChartTable table = chart.table();
  EXPECT_DOUBLE_EQ(table.rows[1][table.header.indexOf("TFLOP/s")].toDouble(), 0.1);
  EXPECT_EQ(table.header.indexOf("GFLOP/s"), -1);
  EXPECT_TRUE(chart.points()[1].tip(chart.rates(), chart.unit()).contains("0.10 TFLOP/s at"));
  EXPECT_LT(chart.labelsOf(Qt::Vertical).back(), 2000) << "the axis must have the unit of the roof";
}

TEST_F(RooflineTest, ALowChartHasALegend) {
  chart.resize(700, 150);
  setPoints(rates());
  const QImage picture = chart.grab().toImage();
  const int row = chart.fontMetrics().height();  // The legend is the first row of the chart.
  bool has_icon = false;
  for (int x = 0; x < 40; ++x) {
    for (int y = 0; y < row; ++y)
      has_icon = has_icon || picture.pixelColor(x, y).hsvSaturation() > 100;  // Texts are grey.
  }
  EXPECT_TRUE(has_icon) << "a window of 1024 x 640 pixels must have a legend";
}

TEST_F(RooflineTest, TheTableAndTheTooltipHaveTheNumbers) {
  setPoints(rates());
  const ChartTable table = chart.table();
  ASSERT_EQ(table.rows.size(), 2U);
  const auto number = [&](const QString& column) {
    return table.rows[0][table.header.indexOf(column)].toDouble();
  };
  EXPECT_DOUBLE_EQ(number("Share of the time, %"), 50);
  EXPECT_DOUBLE_EQ(number("Median, ms"), 10);
  EXPECT_EQ(number("n"), 3);
  EXPECT_DOUBLE_EQ(number("GFLOP"), 0.2);
  EXPECT_DOUBLE_EQ(number("MB moved"), 100);
  EXPECT_DOUBLE_EQ(number("GFLOP/s"), 20);
  EXPECT_DOUBLE_EQ(number("GB/s"), 10);
  EXPECT_DOUBLE_EQ(number("Time / minimum time"), 10) << "100 MB need 1 ms at 100 GB/s";
  const QString tip = chart.points()[0].tip(rates(), chart.unit());
  for (const char* words : {"stage.conv4 (OS)", "20.0 GFLOP/s at 2.00 FLOP per byte", "n = 3, IQR",
                            "50.0 % of the total time of all stages",
                            "10.00 times the minimum time of 1.000 ms (set by the memory rate)"})
    EXPECT_TRUE(tip.contains(words)) << words << "\n" << tip.toStdString();
}

TEST(SweepPartsTest, SplitTheStagesOfASetting) {
  StageTree stages;
  const auto add = [&](const std::string& name, int parent, double ms) {
    StageNode node;
    node.name = name;
    node.parent = parent;
    node.samples_ms = {ms};
    stages.nodes.push_back(node);
  };
  add("voxelize", -1, 1);
  add("map[a]", -1, 2);
  add("search", 1, 1.5);
  add("features[a]", -1, 5);
  add("os", 3, 3);
  add("ws", 3, 1.25);
  add("gemm", 5, 1);
  const SweepParts parts = sweep_parts(stages);
  EXPECT_EQ(parts, (SweepParts{1, 2, 0, 3, 1.25, 0.75}))
      << "the time of a nested part must count only in its parent";
  add("order", 3, 0.5);
  EXPECT_EQ(sweep_parts(stages), (SweepParts{1, 2, 0.5, 3, 1.25, 0.25}))
      << "the order stage of a layer must be a separate part";
  EXPECT_EQ(sweep_parts(StageTree{}), SweepParts{});
}

TEST(SweepPartsTest, HaveTheirOwnSampleCount) {
  Sweep sweep;
  const auto add = [&](std::size_t samples, std::size_t passes) {
    SweepRow row;
    row.wall.ms.assign(samples, 1.0);
    if (passes > 0) row.stages.nodes.push_back({"map[a]", -1, std::vector<double>(passes, 1.0)});
    sweep.rows.push_back(row);
  };
  add(30, 0);
  EXPECT_EQ(sweepSamplesText(sweep), "n = 30 each");
  add(30, 1);
  EXPECT_EQ(sweepSamplesText(sweep), "n = 30 each; parts of the bars: one isolated pass");
  add(28, 3);
  add(0, 0);  // An invalid row, which must be ignored.
  EXPECT_EQ(sweepSamplesText(sweep), "n = 28 to 30; parts of the bars: medians of 1 to 3 isolated passes");
}

TEST(SweepChartTest, HasPartsAndMarksTheCurrentTAndTheTunedOne) {
  Theme theme;
  SweepChart chart(&theme);
  const auto sweep = test::recorded_report().threshold_sweep;
  const auto plain = chart.legendEntries();
  EXPECT_TRUE(plain.empty());
  chart.setSweep(sweep, 1);
  chart.setTuned(3);
  const ChartTable table = chart.table();
  const auto mark = table.header.indexOf("Mark");
  ASSERT_GT(mark, 0);
  EXPECT_TRUE(table.header.contains("maps, ms"));
  EXPECT_TRUE(table.header.contains("output-stationary, ms"));
  EXPECT_TRUE(table.header.contains("weight-stationary, ms"));
  for (int row = 0; row < static_cast<int>(table.rows.size()); ++row)
    EXPECT_EQ(table.rows[static_cast<std::size_t>(row)][mark], row == 1   ? "in use"
                                                               : row == 3 ? "tuned"
                                                                          : "")
        << row;
  chart.setTuned(1);
  EXPECT_EQ(chart.table().rows[1][mark], "in use, tuned");
  EXPECT_FALSE(chart.legendEntries().empty());
}

TEST(ChartTableTest, TheBreakdownHasAColumnForEachStageAndTheirSum) {
  Theme theme;
  StageChart chart(&theme);
  auto bars = bars_of(1, 3);
  bars[2].parts[StageGroup::epilogue] = 0.5;
  chart.setBars(bars, "median");
  const ChartTable table = chart.table();
  EXPECT_EQ(table.header.size(), 4) << "the columns must be layer, two stages and their sum";
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[2], (QVariantList{"s2.c", 3.0, 0.5, 3.5}));
  EXPECT_EQ(table.rows[3], (QVariantList{"total", 6.0, 0.5, 6.5}));
}

TEST(StageChartTest, ALogarithmicAxisHasThePartsSideBySide) {
  Theme theme;
  StageChart chart(&theme);
  chart.resize(600, 300);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  chart.setBars({{"map", {}, 0, {{StageGroup::search, 10}, {StageGroup::filter, 0.1}}}}, {});
  replot_charts(chart);
  const auto groups_along = [&](int y) {
    std::vector<StageGroup> groups;
    for (int x = 0; x < chart.width(); ++x) {
      const auto group = chart.partAt(QPointF(x, y));
      if (group && (groups.empty() || groups.back() != *group)) groups.push_back(*group);
    }
    return groups;
  };
  int foot = chart.height();
  while (foot > 0 && groups_along(foot).empty())
    --foot;
  EXPECT_EQ(groups_along(foot), std::vector{StageGroup::search})
      << "the parts must be stacked on a linear axis";
  chart.setLogarithmic(true);
  replot_charts(chart);
  EXPECT_EQ(groups_along(foot), (std::vector{StageGroup::search, StageGroup::filter}));
  chart.setLogarithmic(false);
  EXPECT_EQ(groups_along(foot), std::vector{StageGroup::search});
}

TEST(ChartTableTest, ANegativeResidualIsANumberOfTheTable) {
  Theme theme;
  StageChart chart(&theme);
  chart.setBars({{"a", {}, 0, {{StageGroup::search, 2}, {StageGroup::residual, -0.5}}}}, {});
  EXPECT_EQ(chart.table().rows[0], (QVariantList{"a", 2.0, -0.5, 1.5}))
      << "the sum must be the time of the layer";
}

TEST(ChartTableTest, TheHistogramHasARowForEachBin) {
  Theme theme;
  HistogramChart chart(&theme);
  EXPECT_FALSE(chart.hasContent());
  chart.setSeries({{"before", {1, 1, 2}}, {"now", {2, 3, 5}}});
  double before = 0, now = 0;
  for (const QVariantList& row : chart.table().rows) {
    before += row[2].toDouble();
    now += row[3].toDouble();
  }
  EXPECT_EQ(before, 3);
  EXPECT_EQ(now, 3);
}

TEST(ChartTableTest, SortsNumbersByValueAndKeepsTheirDigits) {
  ChartTableView view(nullptr);
  view.setTable({{"Name", "ms"}, {{"a", 10.0}, {"b", 0.1234567891}, {"c", 9.0}}});
  view.sortByColumn(1, Qt::AscendingOrder);
  view.selectRow(0);
  EXPECT_EQ(view.currentRow(), 1);
  EXPECT_EQ(view.model()->index(0, 1).data().toString(), "0.123457");
  EXPECT_EQ(view.copyText(), "Name\tms\nb\t0.1234567891\nc\t9\na\t10\n");
  view.selectRow(1);
  view.selectionModel()->select(view.model()->index(2, 0),
                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  EXPECT_EQ(view.copyText(), "Name\tms\nc\t9\na\t10\n") << "the copied text must be the selected rows";
}

TEST(ChartTableTest, FollowsTheChartAndSelectsTheLayerOfItsRow) {
  Theme theme;
  StageChart chart(&theme);
  chart.setBars(bars_of(1, 3), {});
  chart.showTable(true);
  chart.setBars(bars_of(1, 5), {});
  EXPECT_EQ(chart.findChild<ChartTableView*>()->model()->rowCount(), 6)
      << "the table must have five bars and their sum";
  int chosen = -1;
  QObject::connect(&chart, &StageChart::layerClicked, [&](int layer) { chosen = layer; });
  chart.findChild<ChartTableView*>()->sortByColumn(1, Qt::DescendingOrder);
  emit chart.findChild<ChartTableView*>()->activated(
      chart.findChild<ChartTableView*>()->model()->index(0, 0));
  EXPECT_EQ(chosen, -1) << "the row of the sum must select no layer";
  emit chart.findChild<ChartTableView*>()->activated(
      chart.findChild<ChartTableView*>()->model()->index(1, 0));
  EXPECT_EQ(chosen, 4);
}

}  // namespace
}  // namespace spira::ui

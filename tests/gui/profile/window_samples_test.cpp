// Tests that clicking a number shows its samples in every view, and that lists can be sorted and reset to the
// order of the network.
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class SamplesWindow : public WindowTest {
 protected:
  void SetUp() override {
    Report report = test::recorded_report();
    write_report(folder.filePath("far.spira.json").toStdString(), report);
    app.opening().open(folder.filePath("far.spira.json"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  }
  [[nodiscard]] const Measurement& run() { return *app.workspace().results().measurement(); }

  QTemporaryDir folder;
};

TEST_F(SamplesWindow, ARowOfATimelineAreaShowsTheSamplesOfItsSpans) {
  TimelinePanel& panel = child<TimelinePanel>(window);
  app.docks().tabs(DockLayout::Side::bottom).setCurrentWidget(&panel);
  panel.chart()->setFocus();
  QTest::keyClick(panel.chart(), Qt::Key_R);
  QTest::keyClick(panel.chart(), Qt::Key_R);
  ASSERT_GT(panel.sums()->rowCount(), 0);
  EXPECT_TRUE(panel.samples()->isHidden());
  emit panel.findChild<QTableView*>("sums")->clicked(panel.sums()->index(0, TimelineAreaModel::total));
  ASSERT_FALSE(panel.samples()->isHidden());
  const AreaRow& row = panel.sums()->row(0);
  ASSERT_EQ(panel.samples()->stages()->count(), static_cast<int>(row.spans.size()));
  const TimelineSpan& first = run().timeline.spans[static_cast<std::size_t>(row.spans[0])];
  EXPECT_EQ(panel.samples()->stages()->itemText(0).toStdString(), first.stage);
}

TEST_F(SamplesWindow, TheTimeOfALayerShowsTheSamplesOfItsStages) {
  auto* panel = window.findChild<NetworkPanel*>();
  const auto click = [&](int column) {
    emit panel->table()->clicked(panel->table()->model()->index(1, column));
  };
  click(LayerTableModel::name);
  EXPECT_TRUE(panel->samples()->isHidden()) << "the name of a layer must not show samples";
  click(LayerTableModel::time);
  ASSERT_FALSE(panel->samples()->isHidden());
  EXPECT_EQ(panel->samples()->stages()->count(), static_cast<int>(samples_of(run().layers[1].stages).size()));
  EXPECT_THAT(panel->samples()->text().toStdString(), HasSubstr("median "));
}

TEST_F(SamplesWindow, LinesOfSummaryShowTheirSamples) {
  SummaryPanel& panel = child<SummaryPanel>(window);
  emit panel.overview()->total()->linkActivated("wall");
  ASSERT_FALSE(panel.samples()->isHidden());
  EXPECT_THAT(panel.samples()->text().toStdString(),
              HasSubstr("n = " + std::to_string(run().wall.ms.size())));
  QTableWidget& slowest = *panel.overview()->slowest();
  constexpr int time_column = 2;
  QTest::mouseClick(slowest.viewport(), Qt::LeftButton, {},
                    slowest.visualItemRect(slowest.item(0, time_column)).center());
  EXPECT_GT(panel.samples()->stages()->count(), 0);
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && !app.workspace().results().report(); }));
  EXPECT_TRUE(panel.samples()->isHidden()) << "the samples of the previous run must be hidden";
}

TEST_F(SamplesWindow, TheFiveSlowestLayersAreSortedByTime) {
  const RunOverview& overview = *child<SummaryPanel>(window).overview();
  std::vector<double> times;
  for (const LayerMeasurement& layer : run().layers)
    times.push_back(layer.stages.sum_of_tops_ms());
  std::sort(times.begin(), times.end(), std::greater<>());
  ASSERT_EQ(overview.slowest()->rowCount(), std::min(5, static_cast<int>(times.size())));
  for (int row = 0; row < overview.slowest()->rowCount(); ++row) {
    const LayerMeasurement& layer = run().layers.at(static_cast<std::size_t>(overview.layerAt(row)));
    EXPECT_EQ(layer.stages.sum_of_tops_ms(), times.at(static_cast<std::size_t>(row)));
    EXPECT_EQ(overview.lineAt(row)->name.toStdString(), layer.name);
  }
  EXPECT_FALSE(overview.lineAt(overview.slowest()->rowCount()));
}

TEST_F(SamplesWindow, TheListOfLayersIsSortedByAColumnAndReset) {
  auto* table = window.findChild<NetworkPanel*>()->table();
  const auto layers = [&] {
    std::vector<int> order;
    for (int row = 0; row < table->model()->rowCount(); ++row)
      order.push_back(table->model()->index(row, 0).data(LayerTableModel::layer_role).toInt());
    return order;
  };
  const std::vector<int> network = layers();
  EXPECT_TRUE(std::is_sorted(network.begin(), network.end()));
  QHeaderView& header = *table->horizontalHeader();
  const auto click = [&] {
    const int x =
        header.sectionViewportPosition(LayerTableModel::time) + header.sectionSize(LayerTableModel::time) / 2;
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(x, header.height() / 2));
  };
  const auto ms = [&](int layer) {
    return run().layers[static_cast<std::size_t>(layer)].stages.sum_of_tops_ms();
  };
  click();
  const std::vector<int> falling = layers();
  EXPECT_TRUE(std::is_sorted(falling.begin(), falling.end(), [&](int a, int b) { return ms(a) > ms(b); }));
  EXPECT_NE(falling, network);
  table->selectRow(0);
  EXPECT_EQ(app.selection().layer(), falling[0]) << "the selected layer must be that of the row";
  app.selection().setLayer(falling[2]);
  EXPECT_EQ(table->currentIndex().row(), 2);
  click();
  EXPECT_EQ(layers().front(), falling.back());
  click();
  EXPECT_EQ(layers(), network) << "the third click must restore the order of the network";
}

}  // namespace
}  // namespace spira::ui

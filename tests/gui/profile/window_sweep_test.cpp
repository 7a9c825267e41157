// Tests sweeps in the window: the threshold t that the button applies, and the advice for the same rows.
#include "engine/backend/dataflow.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/advice_list.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class SweepWindow : public WindowTest {
 protected:
  static constexpr int layer = 2;

  void SetUp() override {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    use(2);
  }
  void use(int t) {
    Plan plan = app.workspace().requested().plan();
    plan.layers[layer].threshold = t;
    app.workspace().setPlan(plan);
  }
  /// Sets a sweep in which t = 0 is slow, and t = 2 and t = 4 differ by less than the spread of their
  /// samples.
  void sweep(int samples) {
    Sweep sweep;
    sweep.layer = layer;
    sweep.t_max = 4;
    for (const auto& [t, ms] : {std::pair{0, 5.0}, {2, 1.0}, {4, 1.001}}) {
      SweepRow row;
      row.label = "t = " + std::to_string(t);
      row.threshold = t;
      for (int at = 0; at < samples; ++at)
        row.wall.ms.push_back(ms + (0.02 * (at % 5)));
      sweep.rows.push_back(row);
    }
    judge(sweep);
    app.workspace().results().setThresholdSweep(std::make_shared<const Sweep>(sweep));
  }
  [[nodiscard]] QPushButton& button() { return useButton("sweep.thresholds"); }
  /// Returns the button of a page that applies the fastest setting. `command` starts the sweep of the page.
  [[nodiscard]] QPushButton& useButton(const QString& command) {
    const auto all =
        child<SweepPanel>(window).findChild<QPushButton*>(command)->parent()->findChildren<QPushButton*>();
    return **std::find_if(all.begin(), all.end(),
                          [](const QPushButton* one) { return one->text().startsWith("Use "); });
  }

  QTemporaryDir folder;
};

TEST_F(SweepWindow, TheButtonAppliesTheSimplestTiedSetting) {
  EXPECT_FALSE(button().isEnabled());
  sweep(15);
  EXPECT_EQ(button().text(), "Use t = max (4) (tied)");
  ASSERT_TRUE(button().isEnabled());
  EXPECT_THAT(button().toolTip().toStdString(), HasSubstr("simplest"));
  button().click();
  EXPECT_EQ(app.workspace().requested().plan().layers[layer].threshold, 4);
  EXPECT_FALSE(button().isEnabled());
  EXPECT_THAT(button().toolTip().toStdString(), HasSubstr("already in use"));
  use(0);
  EXPECT_TRUE(button().isEnabled());
}

TEST_F(SweepWindow, EachBarEndsAtTheMedian) {
  Sweep sweep;
  sweep.layer = layer;
  SweepRow row;
  row.label = "t = 0";
  row.threshold = 0;
  row.wall.ms = {2, 3, 4};
  for (const char* name : {"map[conv]", "features[conv]"}) {
    StageNode node;
    node.name = name;
    node.samples_ms = {5};
    row.stages.nodes.push_back(node);
  }
  sweep.rows.push_back(row);
  SweepChart chart(&app.theme());
  chart.setSweep(std::make_shared<const Sweep>(sweep), -1);
  const SweepParts& parts = chart.parts(0);
  EXPECT_DOUBLE_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), 3.0)
      << "the parts must add up to the median of 3 ms and not to the isolated passes of 10 ms";
}

TEST_F(SweepWindow, TheChartIsReadableInTheSmallestWindow) {
  window.resize(1024, 640);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  ASSERT_TRUE(app.commands().trigger("window.show_sweeps"));
  sweep(15);
  const auto charts = child<SweepPanel>(window).findChildren<SweepChart*>();
  const auto height = [&charts] {
    int visible = 0;
    for (const SweepChart* chart : charts)
      visible += chart->isVisible() ? chart->height() : 0;
    return visible;
  };
  EXPECT_TRUE(waitFor([&] { return height() >= 200; })) << height();
}

TEST_F(SweepWindow, TheButtonIsUnavailableIfSamplesAreTooFew) {
  sweep(3);
  EXPECT_EQ(button().text(), "Use the fastest t");
  EXPECT_FALSE(button().isEnabled());
  EXPECT_THAT(button().toolTip().toStdString(), HasSubstr("Too few samples"));
}

TEST_F(SweepWindow, DataflowsAreSweptWithTheirRedundancyAndReasons) {
  measureBriefly();
  app.selection().setLayer(layer);
  ASSERT_TRUE(app.commands().trigger("sweep.dataflows"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().dataflowSweep(); }));
  const auto sweep = app.workspace().results().dataflowSweep();
  const Layer& facts = app.workspace().network()->layers[layer];
  const auto choices = dataflow_choices(facts);
  ASSERT_EQ(sweep->rows.size(), choices.size());
  const auto& chart = *child<SweepPanel>(window).findChild<SweepChart*>("sweep.dataflows.chart");
  const auto& table = *chart.parentWidget()->findChild<QTableWidget*>("rows");
  const ChartTable numbers = chart.table();
  const auto slots_column = numbers.header.indexOf("Slots per pair");
  ASSERT_GE(slots_column, 0);
  double unsorted = 0, sorted = 0;
  for (std::size_t at = 0; at < choices.size(); ++at) {
    const SweepRow& row = sweep->rows[at];
    const int line = static_cast<int>(at);
    EXPECT_EQ(table.item(line, 0)->text(), dataflowText(row.label));
    EXPECT_EQ(row.why_not, choices[at].why_not);
    EXPECT_EQ(row.wall.ms.empty(), !row.why_not.empty()) << row.label;
    if (!row.why_not.empty()) {
      EXPECT_EQ(table.item(line, 1)->text().toStdString(), row.why_not);
    }
    if (!row.slots_per_pair) continue;
    EXPECT_DOUBLE_EQ(numbers.rows[at][slots_column].toDouble(), *row.slots_per_pair);
    EXPECT_EQ(table.item(line, 4)->text(), onScreen(*row.slots_per_pair, 'f', 2));
    (row.label == "unsorted" ? unsorted : sorted) = *row.slots_per_pair;
  }
  EXPECT_GT(unsorted, sorted) << "sorting by mask must remove slots";
  EXPECT_GE(sorted, 1);
  // The button applies the fastest dataflow.
  Sweep judged = *sweep;
  for (SweepRow& row : judged.rows) {
    if (row.why_not.empty()) row.wall.ms.assign(15, row.label == "mask-sorted:2" ? 1.0 : 2.0);
  }
  judge(judged);
  app.workspace().results().setDataflowSweep(std::make_shared<const Sweep>(judged));
  QPushButton& use = useButton("sweep.dataflows");
  EXPECT_EQ(use.text(), "Use mask-sorted, 2 splits (fastest)");
  use.click();
  EXPECT_EQ(app.workspace().requested().plan().layers[layer].splits, 2);
  EXPECT_FALSE(use.isEnabled());
}

TEST_F(SweepWindow, ASweepOfDataflowsCanBeStopped) {
  ASSERT_TRUE(app.commands().trigger("sweep.dataflows"));
  ASSERT_TRUE(waitFor([&] { return app.jobs().lane().busy(); }));
  ASSERT_TRUE(app.commands().trigger("run.stop"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(app.workspace().requested().plan().layers[layer].threshold, 2) << "the plan does not change";
}

TEST_F(SweepWindow, AdviceWritesSymbolsUnescaped) {
  sweep(15);
  AdviceList& list = *child<SummaryPanel>(window).advice();
  ASSERT_TRUE(waitFor([&] { return list.findChild<QLabel*>("advice_0") != nullptr; }));
  const std::string text = list.findChild<QLabel*>("advice_0")->text().toStdString();
  EXPECT_THAT(text, HasSubstr("Use t = 4 for deep"));
  EXPECT_THAT(text, HasSubstr("t = 4 takes"));
  EXPECT_THAT(text, testing::Not(HasSubstr("T = 4")));
}

}  // namespace
}  // namespace spira::ui

// The charts alone: what they show fits them, and a picture shows what they show now.
#include "ui/charts/replot.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QTest>

#include <gtest/gtest.h>

namespace spira::ui {
namespace {

std::vector<StageBar> bars_of(double ms, int count) {
  std::vector<StageBar> bars;
  for (int bar = 0; bar < count; ++bar)
    bars.push_back({QString("s%1.c").arg(bar), {}, bar, {{StageGroup::search, ms + bar}}});
  return bars;
}

TEST(StageChartTest, APictureShowsTheBarsOfNow) {
  Theme theme;
  StageChart chart(&theme);
  chart.resize(600, 240);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  chart.setBars(bars_of(1, 10), "ms");
  replot_charts(chart);
  const QImage first = chart.grab().toImage();
  chart.setBars(bars_of(50, 6), "ms");
  replot_charts(chart);
  const QImage second = chart.grab().toImage();
  EXPECT_NE(second, first) << "the picture is the former one";
  QApplication::processEvents();
  EXPECT_EQ(chart.grab().toImage(), second) << "the picture was taken before the chart was drawn";
}

TEST(StageChartTest, HasANameForEveryBarThatThereIsRoomForFromTheStart) {
  Theme theme;
  StageChart chart(&theme);
  chart.setBars(bars_of(1, 22), "ms");  // before it has a size
  chart.resize(900, 240);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  EXPECT_EQ(chart.labelsShown(), 22);
  chart.resize(260, 240);
  QApplication::processEvents();
  EXPECT_LT(chart.labelsShown(), 22);
  EXPECT_GT(chart.labelsShown(), 5);
}

}  // namespace
}  // namespace spira::ui

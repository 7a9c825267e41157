// Tests the timeline chart without a window, with real key and mouse events.
#include "tests/gui/mouse.hpp"
#include "tests/support/made_timeline.hpp"
#include "ui/charts/chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TimelineChartTest : public testing::Test {
 protected:
  void SetUp() override {
    chart.resize(900, 240);
    chart.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
    chart.setTimeline(std::make_shared<const Timeline>(test::in_situ_timeline()), {-1, 0, 1, -1, 0, 1});
    replot_charts(chart);
    chart.setFocus();
  }
  void key(Qt::Key which, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&chart, which, with); }
  [[nodiscard]] bool keysShown() const { return !chart.findChild<QLabel*>("timeline-keys")->isHidden(); }
  [[nodiscard]] double shown() const { return chart.scale().high() - chart.scale().low(); }
  [[nodiscard]] QPoint centre(int span) const { return chart.rectOf(span).center().toPoint(); }
  void wheel(const QPoint& at, int turned) {
    QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&chart, &event);
  }
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers with = {}) {
    QTest::mousePress(&chart, Qt::LeftButton, with, from);
    move_mouse(chart, (from + to) / 2, Qt::LeftButton);
    move_mouse(chart, to, Qt::LeftButton);
    QTest::mouseRelease(&chart, Qt::LeftButton, with, to);
  }

  Theme theme;
  TimelineChart chart{&theme};
};

TEST_F(TimelineChartTest, DrawsSpansOfATrackInARowInOrder) {
  EXPECT_EQ(chart.rectOf(0).top(), chart.rectOf(5).top());
  EXPECT_LT(chart.rectOf(0).right(), chart.rectOf(3).right());
  EXPECT_LT(chart.rectOf(0).bottom(), chart.rectOf(1).top());
  EXPECT_LT(chart.rectOf(4).right() + 10, chart.rectOf(5).left()) << "a gap between spans must be visible";
  const QImage picture = chart.grab().toImage();
  const auto colour_at = [&](const QPointF& at) { return picture.pixelColor(at.toPoint()); };
  const QPointF inside = chart.rectOf(5).topLeft() + QPointF(40, 4);
  const QPointF between(chart.rectOf(5).left() - 8, inside.y());
  EXPECT_NE(colour_at(inside), colour_at(between));
}

TEST_F(TimelineChartTest, ALongerBaselineExtendsTheTimelineUntilItIsRemoved) {
  const double own = chart.scale().wall();
  auto longer = std::make_shared<Timeline>(test::in_situ_timeline());
  for (TimelineSpan& span : longer->spans)
    span.end_ms += own;
  chart.setBaseline(longer);
  EXPECT_GT(chart.scale().wall(), own);
  const auto other_stages = std::make_shared<Timeline>(*longer);
  for (TimelineSpan& span : other_stages->spans)
    span.stage.phase += "?";
  chart.setBaseline(other_stages);
  EXPECT_EQ(chart.scale().wall(), own) << "a baseline without matching stages must not extend the timeline";
  chart.setBaseline(longer);
  chart.setBaseline(nullptr);
  EXPECT_EQ(chart.scale().wall(), own);
}

TEST_F(TimelineChartTest, KeysZoomPanAndFocus) {
  const double all = shown();
  key(Qt::Key_W);
  EXPECT_NEAR(shown(), all / 1.5, 1e-9);
  const double low = chart.scale().low();
  key(Qt::Key_D);
  EXPECT_GT(chart.scale().low(), low);
  key(Qt::Key_A);
  EXPECT_NEAR(chart.scale().low(), low, 1e-9);
  key(Qt::Key_S);
  EXPECT_NEAR(shown(), all, 1e-9);
  key(Qt::Key_Period);
  EXPECT_EQ(chart.view().current, 0);
  key(Qt::Key_Period);
  key(Qt::Key_Period);
  EXPECT_EQ(chart.view().current, 4);
  EXPECT_THAT(chart.accessibleDescription().toStdString(), HasSubstr("features[stem]"));
  key(Qt::Key_Comma);
  EXPECT_EQ(chart.view().current, 3);
  key(Qt::Key_Down);
  EXPECT_EQ(chart.view().current, 1);
  key(Qt::Key_F);
  EXPECT_LT(shown(), 3) << "the range must fit map[stem], which takes 2 ms";
  EXPECT_LT(chart.scale().low(), 2);
  EXPECT_GT(chart.scale().high(), 4);
  key(Qt::Key_F);
  EXPECT_NEAR(shown(), all, 1e-9) << "the second key press must show the whole timeline";
  key(Qt::Key_Escape);
  EXPECT_EQ(chart.view().current, -1);
}

TEST_F(TimelineChartTest, TheWheelZoomsAroundThePointer) {
  const QPoint at = centre(5);
  const double before = 8;  // The middle of the span from 6 to 10 ms.
  wheel(at, 240);
  EXPECT_LT(shown(), 6);
  EXPECT_NEAR(chart.scale().ms(at.x()), before, 0.02);
  const double low = chart.scale().low();
  drag(at, at + QPoint(100, 0));
  EXPECT_LT(chart.scale().low(), low) << "dragging to the right must show earlier times";
  EXPECT_EQ(chart.view().current, -1) << "a drag must not select a span";
  wheel(at, -1200);
  EXPECT_NEAR(shown(), 10.2, 0.01);
}

TEST_F(TimelineChartTest, AClickSelectsTheLayerAndOutlinesIt) {
  const QSignalSpy clicked(&chart, &TimelineChart::layerClicked);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, centre(2));
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked.at(0).at(0).toInt(), 1);
  EXPECT_EQ(chart.view().current, 2);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, centre(0));
  EXPECT_EQ(clicked.count(), 1) << "a click on voxelize must select no layer";
  EXPECT_EQ(chart.view().current, 0);
  key(Qt::Key_Down);
  key(Qt::Key_Return);
  ASSERT_EQ(clicked.count(), 2);
  EXPECT_EQ(clicked.at(1).at(0).toInt(), 0);
  key(Qt::Key_Escape);
  replot_charts(chart);
  const QImage before = chart.grab().toImage();
  chart.setChosenLayer(1);
  replot_charts(chart);
  EXPECT_NE(chart.grab().toImage(), before);
  key(Qt::Key_F);
  EXPECT_GT(chart.scale().low(), 0.4) << "F must show the selected layer";
}

TEST_F(TimelineChartTest, SpansOfOtherLayersFade) {
  const auto colour_of_span = [&](int span) {
    replot_charts(chart);
    const QRectF rect = chart.rectOf(span);
    return chart.grab().toImage().pixelColor((rect.bottomRight() - QPointF(4, 3)).toPoint());
  };
  const QColor own = colour_of_span(5), other = colour_of_span(4), none = colour_of_span(0);
  chart.setChosenLayer(1);
  EXPECT_EQ(colour_of_span(5), own);
  EXPECT_NE(colour_of_span(4), other);
  EXPECT_NE(colour_of_span(0), none) << "a span without a layer must fade";
  chart.setChosenLayer(7);
  EXPECT_EQ(colour_of_span(4), other) << "a selected layer without spans must fade no span";
}

TEST_F(TimelineChartTest, PAndAClickOnTheNamePinATrack) {
  const auto top_of = [&](int span) {
    replot_charts(chart);
    return chart.rectOf(span).top();
  };
  EXPECT_LT(top_of(0), top_of(2));
  QTest::mouseClick(&chart, Qt::LeftButton, {}, centre(2));
  key(Qt::Key_P);
  EXPECT_GT(top_of(0), top_of(2));
  EXPECT_EQ(chart.view().lanes.pinned, 1);
  key(Qt::Key_P);
  EXPECT_LT(top_of(0), top_of(2)) << "unpinning must restore the position of the track";

  const QPoint name(chart.rect().left() + 4, static_cast<int>(chart.rectOf(1).center().y()));
  EXPECT_EQ(chart.trackNamedAt(name), 1);
  EXPECT_EQ(chart.trackNamedAt(centre(1)), -1)
      << "the position of a span must not count as the name of its track";
  QTest::mouseClick(&chart, Qt::LeftButton, {}, name);
  EXPECT_GT(top_of(0), top_of(1));
  chart.setTimeline(nullptr, {});
  chart.setTimeline(std::make_shared<const Timeline>(test::in_situ_timeline()), {-1, 0, 1, -1, 0, 1});
  EXPECT_GT(top_of(0), top_of(1)) << "the track must stay pinned for the next measurement";
}

TEST_F(TimelineChartTest, RSelectsTheAreaOfTheNextDragOrAllVisibleSpans) {
  const QSignalSpy changed(&chart, &TimelineChart::areaChanged);
  key(Qt::Key_R);
  EXPECT_TRUE(chart.takesArea());
  drag(centre(1), centre(2));
  EXPECT_FALSE(chart.takesArea());
  ASSERT_TRUE(chart.view().area);
  EXPECT_NEAR(chart.view().area->low_ms, 3, 0.1);
  EXPECT_NEAR(chart.view().area->high_ms, 4, 0.1);
  EXPECT_EQ(chart.view().area->first_lane, 1);
  EXPECT_EQ(chart.view().area->last_lane, 2);
  EXPECT_GE(changed.count(), 2);
  const double low = chart.scale().low();
  drag(centre(1), centre(2));
  EXPECT_NEAR(chart.scale().low(), low, 1e-9) << "a drag must not pan if the whole timeline is visible";
  EXPECT_TRUE(chart.view().area) << "a drag without R must keep the area";
  key(Qt::Key_Escape);
  EXPECT_FALSE(chart.view().area);
  key(Qt::Key_R);
  key(Qt::Key_R);
  ASSERT_TRUE(chart.view().area);
  EXPECT_EQ(chart.view().area->low_ms, 0);
  EXPECT_EQ(chart.view().area->last_lane, 2);
  drag(centre(0), centre(3), Qt::ShiftModifier);
  EXPECT_NEAR(chart.view().area->low_ms, 1, 0.1) << "a drag with Shift must select an area";
}

TEST_F(TimelineChartTest, AQuestionMarkShowsTheKeysAndEscapeHidesThem) {
  EXPECT_FALSE(keysShown());
  key(Qt::Key_Question, Qt::ShiftModifier);
  EXPECT_TRUE(keysShown());
  key(Qt::Key_Question, Qt::ShiftModifier);
  EXPECT_FALSE(keysShown());
  key(Qt::Key_Question);
  key(Qt::Key_Escape);
  EXPECT_FALSE(keysShown());
}

TEST_F(TimelineChartTest, TooltipsHaveTheStageItsTimesAndItsSpread) {
  const QPoint at = centre(5);
  QHelpEvent help(QEvent::ToolTip, at, chart.mapToGlobal(at));
  QApplication::sendEvent(&chart, &help);
  EXPECT_THAT(QToolTip::text().toStdString(),
              AllOf(HasSubstr("features[down]"), HasSubstr("starts at 6.00"), HasSubstr("takes 4.00"),
                    HasSubstr("on track main branch"), HasSubstr("median 4.00"), HasSubstr("n = 3")));
}

TEST_F(TimelineChartTest, HandlesKeysAndMouseWithoutATimeline) {
  chart.setTimeline(nullptr, {});
  replot_charts(chart);
  for (const Qt::Key which : {Qt::Key_W, Qt::Key_F, Qt::Key_R, Qt::Key_Period, Qt::Key_Escape})
    key(which);
  drag({300, 60}, {500, 90});
  wheel({300, 60}, 120);
  EXPECT_FALSE(chart.view().area);
  EXPECT_EQ(chart.view().current, -1);
  EXPECT_EQ(chart.view().tipOf(0), QString());
}

}  // namespace
}  // namespace spira::ui

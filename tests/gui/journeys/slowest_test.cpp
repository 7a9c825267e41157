// Journey J2: finds the slowest part of a network, in three gestures and two keys.
#include "tests/gui/journeys/journey.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QToolBar>

namespace spira::ui {
namespace {

class SlowestJourney : public Journey {
 protected:
  void pickNetwork(const QString& name) {
    auto* box = window.findChild<QToolBar*>("toolbar")->findChild<QComboBox*>();
    hands.click(*box);
    ASSERT_TRUE(waitFor([&] { return box->view()->isVisible(); }));
    const QModelIndex row = box->model()->index(box->findData(name), 0);
    hands.click(*box->view()->viewport(), box->view()->visualRect(row).center());
    ASSERT_EQ(app.workspace().network()->name, name.toStdString());
  }
  /// Returns the position of the link in a label. Finds it by moving the pointer.
  [[nodiscard]] static std::optional<QPoint> linkIn(QLabel& label) {
    const QSignalSpy over(&label, &QLabel::linkHovered);
    for (int x = 4; x < label.width(); x += 6) {
      const QPoint at(x, label.height() / 2);
      Hands::move(label, at);
      if (!over.isEmpty() && !over.last()[0].toString().isEmpty()) return at;
    }
    return std::nullopt;
  }
  /// Does not check the duration, because one layer can use most of a run on a busy machine.
  static void expectFillsTheView(const TimelineChart& chart, const Timeline& timeline,
                                 const std::string& layer) {
    double start_ms = timeline.shown_wall_ms(), end_ms = 0;
    for (const TimelineSpan& span : timeline.spans) {
      if (span.stage.layer() != layer) continue;
      start_ms = std::min(start_ms, span.start_ms);
      end_ms = std::max(end_ms, span.end_ms);
    }
    ASSERT_LT(start_ms, end_ms);
    EXPECT_LE(chart.scale().low(), start_ms);
    EXPECT_GE(chart.scale().high(), end_ms);
    EXPECT_LE(chart.scale().high() - chart.scale().low(), 1.3 * (end_ms - start_ms));
  }
};

TEST_F(SlowestJourney, APickARunALinkAndF) {
  openWith(file("room", 30'000, "room.ply"), "0.06");
  pickNetwork("resn21");
  hands.key(window, Qt::Key_M, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().measurement(); }));
  const Measurement& measured = *app.workspace().measurement();
  QLabel& lead = *child<SummaryPanel>(window).findChild<QLabel*>("lead");
  ASSERT_TRUE(lead.isVisible()) << "Summary must be visible";
  picture(app, "slowest-summary");
  const auto link = linkIn(lead);
  ASSERT_TRUE(link);
  hands.click(lead, *link);
  const int layer = app.selection().layer();
  ASSERT_GE(layer, 0);
  for (const auto& other : measured.layers)
    EXPECT_LE(other.stages.sum_of_tops_ms(),
              measured.layers[static_cast<std::size_t>(layer)].stages.sum_of_tops_ms());
  const TimelineChart& chart = *child<TimelinePanel>(window).chart();
  ASSERT_TRUE(chart.isVisible());
  hands.key(window, Qt::Key_F);
  expectFillsTheView(chart, measured.timeline, measured.layers[static_cast<std::size_t>(layer)].name);
  EXPECT_EQ(hands.count(), (Count{3, 2}));
  picture(app, "slowest-timeline");
}

TEST_F(SlowestJourney, ASingleRunShowsNoSlowestStage) {
  open(file("room", 2000, "room.ply"));
  runNetwork("resn21");
  EXPECT_FALSE(child<SummaryPanel>(window).findChild<QLabel*>("lead")->isVisible())
      << "a single run must not show a slowest stage, because it has no spread";
}

}  // namespace
}  // namespace spira::ui

// Tests views that follow the selection, views that are pinned to their content, phases as selected items,
// and the tint of highlighted items.
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/tables/map_table_model.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

namespace spira::ui {
namespace {

class PinsTest : public WindowTest {
 protected:
  void SetUp() override {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    ASSERT_TRUE(app.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
    app.selection().setLayer(2);
    QTest::qWait(0);
  }
  template <class PanelKind> [[nodiscard]] FollowHead& headOf() {
    return *window.findChild<PanelKind*>()->template findChild<FollowHead*>();
  }
  template <class PanelKind> void pin() {
    headOf<PanelKind>().template findChild<QToolButton*>("pin")->click();
  }
  [[nodiscard]] QStringList chips() {
    QStringList texts;
    for (const auto* chip : app.sceneView().findChildren<QToolButton*>("chip"))
      texts << chip->text();
    return texts;
  }

  QTemporaryDir folder;
};

TEST_F(PinsTest, TheChipOfOffsetsNamesTheirL1Norm) {
  app.selection().setLayer(-1);
  app.selection().setStride(1);
  const auto densities = app.workspace().shownMap(-1).densities;
  ASSERT_EQ(densities->kernel.size[0], 3);
  const auto with_norm = [&](int low, int high) {
    std::vector<int> columns;
    for (const ColumnDensity& column : densities->columns) {
      if (column.l1 >= low && column.l1 <= high) columns.push_back(column.column);
    }
    return columns;
  };
  app.selection().setColumns(with_norm(2, 2));
  EXPECT_FALSE(chips().filter("L1 = 2 (12 offsets)").isEmpty()) << chips().join("; ").toStdString();
  app.selection().setColumns(with_norm(0, 1));
  EXPECT_FALSE(chips().filter("L1 = 0 to 1 (7 offsets)").isEmpty()) << chips().join("; ").toStdString();
  std::vector<int> some = with_norm(2, 2);
  some.pop_back();
  app.selection().setColumns(some);
  EXPECT_TRUE(chips().contains(QString::fromUtf8("11 offsets  \u00d7"))) << "not all offsets with the norm 2";
}

TEST_F(PinsTest, EveryFollowingViewNamesItsContentAndKeepsItWhenPinned) {
  const auto texts = [&] {
    return QStringList{headOf<BreakdownPanel>().text(), headOf<SweepPanel>().text(),
                       headOf<TimelinePanel>().text(), headOf<MapPanel>().text()};
  };
  const QStringList names = shortLayerNames(*app.workspace().network());
  const QString two = names[2], zero = names[0];
  EXPECT_EQ(texts(), QStringList(4, "follows " + two));
  app.selection().setLayer(-1);
  EXPECT_EQ(texts(), QStringList(4, "follows the selected layer"));
  app.selection().setLayer(2);
  pin<MapPanel>();
  pin<SweepPanel>();
  const auto* model = static_cast<MapTableModel*>(window.findChild<MapPanel*>()->table()->model());
  const auto map = model->map();
  app.selection().setLayer(0);
  EXPECT_EQ(texts(), (QStringList{"follows " + zero, "pinned: " + two, "follows " + zero, "pinned: " + two}));
  EXPECT_EQ(model->map(), map);
  EXPECT_NE(map, app.workspace().shownMap(0).map);
  pin<MapPanel>();
  EXPECT_EQ(model->map(), app.workspace().shownMap(0).map) << "a second click must unpin the view";
}

TEST_F(PinsTest, AHoveredOffsetMarksItsColumnAndItsDataflow) {
  auto* panel = window.findChild<MapPanel*>();
  auto* model = static_cast<MapTableModel*>(panel->table()->model());
  const auto header = [&](int column) {
    return model->headerData(MapTableModel::first_offset + column, Qt::Horizontal, Qt::DisplayRole)
        .toString();
  };
  const QString plain = header(4);
  Hover hover;
  hover.columns = {4};
  app.selection().setHover(hover);
  EXPECT_EQ(header(4), QString("\u25cb ") + plain);
  EXPECT_NE(model->data(model->index(0, MapTableModel::first_offset + 4), Qt::BackgroundRole),
            model->data(model->index(0, MapTableModel::first_offset + 5), Qt::BackgroundRole));
  const std::set<StageGroup> dense{StageGroup::output_stationary};
  EXPECT_EQ(window.findChild<BreakdownPanel*>()->chart()->tintedParts(), dense);
  EXPECT_EQ(window.findChild<TimelineChart*>()->view().tinted, dense);
  app.selection().setHover({});
  EXPECT_EQ(header(4), plain);
  EXPECT_TRUE(window.findChild<TimelineChart*>()->view().tinted.empty());
}

TEST_F(PinsTest, APhaseIsSelectedInTheTimelineAndClearedBeforeTheLayer) {
  app.selection().setVoxel(std::nullopt);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  auto* timeline = window.findChild<TimelineChart*>();
  const auto& spans = app.workspace().results().measurement()->timeline.spans;
  int search = -1;
  for (std::size_t at = 0; at < spans.size() && search < 0; ++at) {
    if (spans[at].stage.group() == StageGroup::search && spans[at].parent >= 0) search = static_cast<int>(at);
  }
  ASSERT_GE(search, 0);
  emit timeline->phaseClicked(StageGroup::search);
  EXPECT_EQ(app.selection().phase(), StageGroup::search);
  EXPECT_EQ(window.findChild<BreakdownPanel*>()->chart()->chosenPhase(), StageGroup::search);
  EXPECT_FALSE(chips().filter("phase").isEmpty());
  EXPECT_TRUE(headOf<TimelinePanel>().text().contains(", "));
  QTest::qWait(0);
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_FALSE(app.selection().phase());
  EXPECT_EQ(app.selection().layer(), 2) << "Escape must clear one level at a time";
  QTest::qWait(0);
  ASSERT_TRUE(app.commands().trigger("select.back"));
  EXPECT_EQ(app.selection().phase(), StageGroup::search);
}

TEST_F(PinsTest, APartOfABarIsAPhase) {
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  auto* panel = window.findChild<BreakdownPanel*>();
  for (QWidget* page = panel; page != nullptr; page = page->parentWidget())
    page->show();
  StageChart& chart = *panel->chart();
  chart.resize(600, 240);
  QTest::qWait(50);
  for (int y = chart.height() - 1; y > 0; --y) {
    const auto part = chart.partAt({chart.width() / 2.0, static_cast<double>(y)});
    if (!part) continue;
    QTest::mouseClick(&chart, Qt::LeftButton, {}, QPoint(chart.width() / 2, y));
    EXPECT_EQ(app.selection().phase(), part);
    return;
  }
  FAIL() << "the middle of the chart contains no part of a bar";
}

}  // namespace
}  // namespace spira::ui

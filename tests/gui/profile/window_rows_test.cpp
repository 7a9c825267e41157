// Tests the Rows tab: its pictures and counts, the choice of the splits, and its links with other views.
#include "engine/base/text.hpp"
#include "engine/map/redundancy.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/rows_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QComboBox>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class RowsWindow : public WindowTest {
 protected:
  void SetUp() override {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    ASSERT_TRUE(app.commands().trigger("window.show_rows"));
    ASSERT_TRUE(counted());
  }
  [[nodiscard]] RowsPanel& panel() { return child<RowsPanel>(window); }
  [[nodiscard]] const RowsFacts& facts() { return *panel().chart()->facts(); }
  /// Waits until the pictures show the chosen settings.
  [[nodiscard]] bool counted() {
    return waitFor([this] { return idle() && !panel().busy() && panel().chart()->facts(); });
  }

  QTemporaryDir folder;
};

TEST_F(RowsWindow, ShowsTheSlotsOfEachNumberOfSplits) {
  const auto map = app.workspace().shownMap(-1).map;
  EXPECT_EQ(facts().sorted.sorting, (RowSorting{2, 16}));
  for (const int rows : {16, 64, 128}) {
    panel().tile()->setCurrentIndex(panel().tile()->findData(rows));
    ASSERT_TRUE(counted());
    const ChartTable table = panel().chart()->table();
    for (std::size_t at = 0; at < splits_to_choose.size(); ++at) {
      const int splits = splits_to_choose.at(at);
      if (splits == 8) {
        EXPECT_THAT(table.rows[at].back().toString().toStdString(), HasSubstr("cannot be divided"));
        continue;
      }
      const Redundancy expected = redundancy(*map, std::array{RowSorting{splits, rows}}).front();
      EXPECT_DOUBLE_EQ(table.rows[at][1].toDouble(), expected.slots_per_pair());
    }
  }
  const Redundancy two = redundancy(*map, std::array{RowSorting{2, 128}}).front();
  EXPECT_THAT(panel().headline().toStdString(),
              HasSubstr(onScreen(two.slots_per_pair(), 'f', 2).toStdString() + " slots per pair"));
}

TEST_F(RowsWindow, SplitsThatAreNotPossibleAreDisabledWithTheReason) {
  const QAbstractButton& eight = *panel().splits()->button(8);
  EXPECT_FALSE(eight.isEnabled());
  EXPECT_THAT(eight.toolTip().toStdString(), HasSubstr("cannot be divided into 8 splits"));
  panel().splits()->button(3)->click();
  ASSERT_TRUE(counted());
  EXPECT_EQ(facts().sorted.sorting.splits, 3);
  const int place = panel().splits()->button(3)->x();
  panel().splits()->button(0)->click();
  ASSERT_TRUE(counted());
  QApplication::processEvents();
  EXPECT_EQ(panel().splits()->button(3)->x(), place) << "a choice must not move under the pointer";
  app.workspace().requested().setSceneKernelSize(5);
  ASSERT_TRUE(waitFor([&] { return idle() && panel().chart()->facts() && facts().natural.columns == 125; }));
  EXPECT_FALSE(panel().splits()->button(1)->isEnabled()) << "125 offsets do not fit one mask";
  EXPECT_TRUE(panel().splits()->button(8)->isEnabled());
}

TEST_F(RowsWindow, NativeLayersHaveNoSortedRows) {
  ASSERT_TRUE(panel().chart()->isVisible());
  ASSERT_TRUE(app.commands().trigger("neighbours.ball"));
  ASSERT_TRUE(waitFor([this] { return idle() && !panel().chart()->isVisible(); }));
  const auto map = app.workspace().shownMap(-1).map;
  ASSERT_TRUE(map && map->many());
  ASSERT_TRUE(app.commands().trigger("neighbours.voxels"));
  ASSERT_TRUE(waitFor([this] { return idle() && panel().chart()->isVisible(); }));
  ASSERT_TRUE(counted());
}

TEST_F(RowsWindow, ALineChoosesItsVoxelsAndTheVoxelIsMarked) {
  const RowsChart& chart = *panel().chart();
  constexpr int column = 20;
  const QSignalSpy clicked(&chart, &RowsChart::lineClicked);
  QTest::mouseClick(panel().chart(), Qt::LeftButton, {},
                    chart.pointAt(true, facts().sorted.bins / 2, column));
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_TRUE(clicked[0][0].toBool());
  EXPECT_EQ(clicked[0][2].toInt(), column);
  const int line = clicked[0][1].toInt();  // A pixel can show several lines.
  EXPECT_NEAR(line, facts().sorted.bins / 2, 8);
  ASSERT_TRUE(waitFor([&] { return app.selection().rows() != nullptr; }));
  EXPECT_EQ(app.selection().rows()->rows, facts().sorted.outputs_of(line, column));
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  const std::int32_t output = app.selection().rows()->rows.front();
  app.selection().setVoxel(ChosenVoxel{voxel_at(level, output), 1});
  ASSERT_TRUE(waitFor([&] { return !chart.markedLines().empty(); }));
  EXPECT_EQ(chart.markedLines(), facts().sorted.bins_of(output));
  EXPECT_EQ(chart.markedLines()[1], line) << "column 20 is in the second split";
}

TEST_F(RowsWindow, AMeasuredSweepShowsWhatSortingCosts) {
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  measureBriefly();
  app.selection().setLayer(0);
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  ASSERT_TRUE(app.commands().trigger("window.show_rows"));
  ASSERT_TRUE(counted());
  EXPECT_THAT(panel().headline().toStdString(), HasSubstr("Not measured"));
  emit panel().commandRequested("sweep.dataflows");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().dataflowSweep(); }));
  EXPECT_THAT(panel().headline().toStdString(), HasSubstr("Measured: map and row order"));
}

}  // namespace
}  // namespace spira::ui

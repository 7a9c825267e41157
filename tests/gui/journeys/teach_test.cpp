// Tests journey J5: the user shows on a scene why one search per column is enough, either with a lesson
// (docs/guide/teach-lessons.md) or by hand (docs/guide/teach-z-delta.md).
#include "engine/map/map_view.hpp"
#include "tests/gui/journeys/journey.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/lessons/lesson_list.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/tables/map_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include <map>
#include <utility>

namespace spira::ui {
namespace {

class TeachJourney : public Journey {
 protected:
  void clickTab(QTabWidget& tabs, const QString& name) {
    for (int at = 0; at < tabs.count(); ++at) {
      if (tabs.tabText(at) == name) return hands.click(*tabs.tabBar(), tabs.tabBar()->tabRect(at).center());
    }
    FAIL() << name.toStdString();
  }
  /// Presses Down and Enter in the list of lessons. This modal list is opened by a click that does not return
  /// until the list closes, so the function uses a timer.
  void chooseSecond(QTimer& chooser) {
    QObject::connect(&chooser, &QTimer::timeout, &window, [this, &chooser] {
      auto* list = qobject_cast<LessonList*>(QApplication::activeModalWidget());
      if (list == nullptr || !list->isVisible()) return;
      chooser.stop();
      hands.key(*list, Qt::Key_Down);
      hands.key(*list, Qt::Key_Return);
    });
    constexpr int often_ms = 20;
    chooser.start(often_ms);
  }
  /// Checks the fact to teach: the matches of one column (dx, dy) are in adjacent rows, beginning with the
  /// lowest dz.
  void expectNeighbouringRows(const Voxel& voxel) {
    const ShownMap shown = app.workspace().shownMap(-1);
    const auto row = row_of_voxel(app.workspace().scene().voxels()->level(1), voxel);
    ASSERT_TRUE(row);
    const auto inputs = row_of(*shown.map, static_cast<std::int32_t>(*row));
    std::map<std::pair<int, int>, std::map<int, std::int32_t>> columns;
    for (const auto& column : shown.densities->columns) {
      const std::int32_t input = inputs[static_cast<std::size_t>(column.column)];
      if (input >= 0) columns[{column.offset[0], column.offset[1]}][column.offset[2]] = input;
    }
    for (const auto& [place, hits] : columns) {
      std::int32_t expected = hits.begin()->second;
      for (const auto& [dz, input] : hits)
        EXPECT_EQ(input, expected++) << "dx " << place.first << ", dy " << place.second << ", dz " << dz;
    }
  }
};

TEST_F(TeachJourney, TheNeighboursOfAVoxelAreInOneRow) {
  openWith(file("room", 100'000, "scan.ply"), 0.05);
  hands.key(window, Qt::Key_4, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_TRUE(app.docks().tabs(DockLayout::Side::right).isVisible());
  EXPECT_FALSE(app.docks().tabs(DockLayout::Side::bottom).isVisible());
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  QWidget& canvas = *app.sceneView().canvas();
  const QPoint middle = canvas.rect().center();
  for (int far = 0; far < 30 && !app.selection().voxel(); ++far) {
    Hands::move(canvas, middle + QPoint(9 * far, 4 * far));
    QTest::qWait(20);
    if (app.selection().hover().voxel) hands.click(canvas, middle + QPoint(9 * far, 4 * far));
  }
  ASSERT_TRUE(app.selection().voxel());
  EXPECT_TRUE(window.findChild<VoxelPanel*>()->isVisible());
  expectNeighbouringRows(app.selection().voxel()->voxel);
  picture(app, "teach-voxel");
  hands.key(window, Qt::Key_2, Qt::ControlModifier | Qt::AltModifier);
  clickTab(app.docks().tabs(DockLayout::Side::bottom), "Kernel map");
  const QTableView& table = *app.profileTools().mapPanel()->table();
  ASSERT_TRUE(table.isVisible());
  EXPECT_TRUE(table.currentIndex().isValid()) << "the current row of the table must be the selected voxel";
  EXPECT_EQ(hands.count(), (Count{2, 2}));
  picture(app, "teach-map");
}

/// A key opens the list, arrow keys select, Enter starts the lesson, and Space plays one step.
TEST_F(TeachJourney, OneKeyPlaysOneStepOfALesson) {
  openWith(file("room", 100'000, "scan.ply"), 0.05);
  app.settings().set("look.reduced_motion", true);
  QTimer chooser;
  chooseSecond(chooser);
  hands.key(window, Qt::Key_L, Qt::ControlModifier);
  LessonPlayer& player = app.lessons().player();
  ASSERT_TRUE(player.lesson());
  EXPECT_EQ(player.lesson()->id, "search");
  const int steps = static_cast<int>(player.lesson()->steps.size());
  for (int step = 0; step < steps; ++step) {
    ASSERT_TRUE(waitFor([&] { return app.lessons().pages().settled(); }));
    EXPECT_EQ(player.page(), step);
    picture(app, QString("teach-lesson-%1").arg(step + 1));
    hands.key(window, Qt::Key_Space);
  }
  EXPECT_EQ(player.page(), steps) << "the last page must be the questions";
  EXPECT_EQ(hands.count(), (Count{0, 3 + steps}));
  app.lessons().leave();
}

}  // namespace
}  // namespace spira::ui

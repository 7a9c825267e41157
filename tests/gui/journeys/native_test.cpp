// Tests the journey of docs/guide/native-points.md: the user counts the neighbours of a scan, runs a network
// with voxels and with points, and then sees in the window where the neighbours differ.
#include "engine/backend/host_read.hpp"
#include "engine/run/native_row.hpp"
#include "tests/gui/journeys/journey.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/run_program.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/scene/scene_marks.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QMenu>
#include <QToolButton>

#include <gmock/gmock.h>

#include <set>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NativeJourney : public Journey {
 protected:
  std::string inTerminal(const std::vector<std::string>& words) {
    const test::Finished done = test::Program(SPIRA_PROGRAM, words, folder.path().toStdString()).finish();
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out + done.err;
  }
  [[nodiscard]] DensityChart& chart() { return *child<DensityPanel>(window).chart(); }
  [[nodiscard]] NativeMarks& native() { return app.sceneView().marks().native(); }
  void take(const QString& name) {
    if (with_pictures_) picture(app, name);
  }

  /// Opens the menu next to the network, and clicks Ball.
  void chooseBall() {
    auto* button = window.findChild<QToolButton*>("neighbours");
    ASSERT_NE(button, nullptr);
    // The menu blocks until it closes, so the test schedules the click in the menu first.
    QTimer::singleShot(200, &window, [this] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      ASSERT_NE(menu, nullptr);
      if (with_pictures_) save_grab(*menu, "native-choice");
      hands.click(*menu, menu->actionGeometry(app.commands().action("neighbours.ball")).center());
    });
    hands.click(*button);
    ASSERT_TRUE(waitFor([&] {
      return idle() && app.workspace().shownMap(-1).map && app.workspace().shownMap(-1).map->many() &&
             chart().table().header.contains("Density of voxels, %") && app.sceneView().settled();
    }));
  }
  void colourByChangedNeighbours() {
    auto* colours = window.findChild<QComboBox*>("colourBy");
    const int row = colours->findText("Changed neighbours");
    ASSERT_GE(row, 0);
    hands.click(*colours);
    QAbstractItemView& list = *colours->view();
    ASSERT_TRUE(waitFor([&] { return list.isVisible(); }));
    const QModelIndex item = colours->model()->index(row, 0);
    list.scrollTo(item);
    hands.click(*list.viewport(), list.visualRect(item).center());
    ASSERT_TRUE(
        waitFor([&] { return app.selection().look().colourBy() == ColourBy::changed_neighbours && idle(); }));
  }
  /// Returns true if the row of the voxel has an input in another column, and a lost or a new input.
  [[nodiscard]] bool hasChanges(const ChosenVoxel& voxel) {
    const VoxelScene& scene = *app.workspace().scene().voxels();
    const auto row = row_of_voxel(scene.level(1), voxel.voxel);
    std::set<NativeInput::Change> changes;
    for (const NativeInput& input :
         native_row(scene, *app.workspace().shownMap(-1).map, 1, 1, static_cast<std::int32_t>(row.value()))
             .inputs)
      changes.insert(input.change());
    return changes.size() >= 3 && changes.contains(NativeInput::Change::other_column);
  }
  void seeWhere(const QString& scan, int points) {
    hands.drop(window, {scan});
    ASSERT_TRUE(opened(points));
    if (with_pictures_) app.commands().trigger("window.bottom");  // The pictures need a large 3D view.
    chooseBall();
    EXPECT_TRUE(chart().isVisible()) << "the densities must be visible without a click";
    EXPECT_TRUE(chart().table().header.contains("Fan-in"));
    take("native-density");
    colourByChangedNeighbours();
    take("native-changed");
    const auto at = placeOfAVoxel([this](const ChosenVoxel& voxel) { return hasChanges(voxel); });
    ASSERT_TRUE(at) << "a voxel with changed neighbours must be near the middle of the view";
    hands.click(*app.sceneView().canvas(), *at);
    ASSERT_TRUE(app.selection().voxel());
    EXPECT_TRUE(window.findChild<VoxelPanel*>()->isVisible());
    hands.key(window, Qt::Key_F);
    ASSERT_TRUE(waitFor([&] { return app.sceneView().settled() && native().marker().has_value(); }));
    EXPECT_EQ(native().share(), 1) << "the cells must be around the point";
    take("native-voxel");
    hands.key(window, Qt::Key_U);
    ASSERT_TRUE(waitFor([&] { return native().settled() && native().share() == 0; }));
    EXPECT_EQ(hands.count(), (Count{6, 2}));
  }

  bool with_pictures_ = false;
};

TEST_F(NativeJourney, ThreeCommandsCountRunAndCompare) {
  const std::string scan = file("street", 8000, "scan.bin").toStdString();
  EXPECT_THAT(
      inTerminal({"neighbours", scan, "--grid", "0.2"}),
      AllOf(HasSubstr("voxel pairs"), HasSubstr("triplets"), HasSubstr("fan-in"), HasSubstr("positions")));
  const auto run = [&](const std::string& report, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"run", scan, "--network", "resn21", "--grid", "0.2", "--repeat", "2", "-o", report});
    static_cast<void>(inTerminal(more));
  };
  run("voxels.spira.json", {});
  run("native.spira.json", {"--neighbours", "ball"});
  EXPECT_THAT(inTerminal({"compare", "voxels.spira.json", "native.spira.json"}),
              HasSubstr("another convolution"));
}

TEST_F(NativeJourney, AClickInTheMenuAColouringAndAVoxelShowWhereNeighboursChange) {
  seeWhere(file("street", 40'000, "scan.bin"), 30'000);
}

TEST_F(NativeJourney, TheGuideShowsAKittiSweep) {
  SPIRA_NEED_REAL_SCENES();
  with_pictures_ = true;
  seeWhere(QString::fromStdString((test::data_folder() / "kitti/semantickitti_00_000000.bin").string()),
           100'000);
}

}  // namespace
}  // namespace spira::ui

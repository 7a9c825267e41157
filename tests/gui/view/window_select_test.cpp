// Tests lasso and box selection in the 3D view: the selected voxels, their densities, and the file in which
// they are saved.
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/select/voxel_commands.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/slab_box.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

class SelectTest : public WindowTest {
 protected:
  void SetUp() override {
    open("street");
    view().camera().look(0, 0, -1);
    ASSERT_TRUE(waitFor([&] { return view().settled(); }));
  }
  [[nodiscard]] SceneView& view() { return app.sceneView(); }
  [[nodiscard]] const std::shared_ptr<const ChosenRows>& rows() { return app.selection().rows(); }
  [[nodiscard]] bool settled() {
    return waitFor([&] { return !app.selectionJobs().busy() && view().settled(); });
  }
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
    VtkWidget* canvas = view().canvas();
    QTest::mousePress(canvas, Qt::LeftButton, modifiers, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
      move_mouse(*canvas, at, Qt::LeftButton, modifiers);
    }
    QTest::mouseRelease(canvas, Qt::LeftButton, modifiers, to);
    ASSERT_TRUE(settled());
  }
  [[nodiscard]] QRect middle() {
    const QRect all = view().canvas()->rect();
    return {all.width() * 2 / 5, all.height() * 2 / 5, all.width() / 5, all.height() / 5};
  }
  /// Returns the number of voxels whose position in the picture is inside `area`. The program may count
  /// voxels at the border differently, so tests allow a small difference.
  [[nodiscard]] std::int64_t inside(const QRect& area) {
    const CoordSet& level = app.workspace().scene().voxels()->level(1);
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < size_of(level); ++row)
      count += area.contains(view().pointer().positionOf(voxel_at(level, row))) ? 1 : 0;
    return count;
  }
  QToolButton* chip(const QString& begin) {
    for (auto* button : window.findChildren<QToolButton*>("chip")) {
      if (button->isVisible() && button->text().startsWith(begin)) return button;
    }
    return nullptr;
  }
};

TEST_F(SelectTest, ARectangleSelectsTheVoxelsInsideAndTheChipClearsThem) {
  ASSERT_TRUE(app.commands().trigger("select.box"));
  EXPECT_TRUE(app.commands().action("select.box")->isChecked());
  const QImage before = view().grab3d();
  drag(middle().topLeft(), middle().bottomRight() + QPoint(1, 1));
  ASSERT_TRUE(rows());
  const auto count = std::ssize(rows()->rows);
  EXPECT_NEAR(static_cast<double>(count), static_cast<double>(inside(middle())),
              0.02 * static_cast<double>(count));
  EXPECT_TRUE(std::is_sorted(rows()->rows.begin(), rows()->rows.end()));
  EXPECT_NE(view().grab3d(), before) << "the other voxels must fade";
  QToolButton* found = chip("Selection: " + QString::fromStdString(count_text(count)));
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(
      child<PointsPanel>(window).selectionBox()->text().contains(QString::fromStdString(count_text(count))));
  QTest::mouseClick(found, Qt::LeftButton);
  EXPECT_FALSE(rows());
  EXPECT_EQ(view().grab3d(), before);
}

TEST_F(SelectTest, KeysAddRemoveGrowInvertAndEscapeGoesBackOneLevelAtATime) {
  ASSERT_TRUE(app.commands().trigger("select.box"));
  const QPoint half(middle().width() / 2, 0);
  drag(middle().topLeft(), middle().bottomRight() - half);
  ASSERT_TRUE(rows());
  const auto left = rows()->rows;
  drag(middle().topLeft() + half, middle().bottomRight(), Qt::ControlModifier);
  const auto both = rows()->rows;
  EXPECT_GT(both.size(), left.size());
  EXPECT_TRUE(std::includes(both.begin(), both.end(), left.begin(), left.end()));
  drag(middle().topLeft() + half, middle().bottomRight(), Qt::ShiftModifier);
  EXPECT_LE(rows()->rows.size(), left.size());
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  const auto small = rows()->rows;
  ASSERT_TRUE(settled());
  EXPECT_GT(rows()->rows.size(), small.size());
  EXPECT_TRUE(std::includes(rows()->rows.begin(), rows()->rows.end(), small.begin(), small.end()));
  const auto grown = rows()->rows.size();
  ASSERT_TRUE(app.commands().trigger("select.invert"));
  ASSERT_TRUE(settled());
  EXPECT_EQ(static_cast<std::int64_t>(grown + rows()->rows.size()),
            size_of(app.workspace().scene().voxels()->level(1)));
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_EQ(view().tools().lasso()->mode(), DrawMode::off);
  EXPECT_TRUE(rows()) << "the first Escape must end the drawing mode and keep the selection";
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_FALSE(rows());
  EXPECT_EQ(app.commands().unavailableReason("select.grow"), "select some voxels or choose one voxel first");
}

TEST_F(SelectTest, GrowingTwiceBeforeTheFirstIsFinishedGrowsTwice) {
  const auto& scene = app.workspace().scene().voxels();
  const auto row = static_cast<std::int32_t>(size_of(scene->level(1)) / 2);
  const auto start = std::make_shared<const ChosenRows>(ChosenRows{scene, 1, {row}, {}});
  app.selection().setRows(start);
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  ASSERT_TRUE(settled());
  const auto once = rows()->rows;
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  ASSERT_TRUE(settled());
  const auto one_by_one = rows()->rows;
  ASSERT_GT(one_by_one.size(), once.size());
  app.selection().setRows(start);
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  ASSERT_TRUE(settled());
  EXPECT_EQ(rows()->rows, one_by_one);
}

TEST_F(SelectTest, VoxelsAreSelectedWithoutAMouse) {
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  const auto row = [&] { return row_of_voxel(level, app.selection().voxel()->voxel).value_or(-1); };
  ASSERT_TRUE(app.commands().trigger("select.voxel"));
  ASSERT_TRUE(app.selection().voxel());
  const auto away = [&](const Voxel& voxel) {
    const QPoint off = view().pointer().positionOf(voxel) - view().canvas()->rect().center();
    return std::hypot(off.x(), off.y());
  };
  double least = 1e9;
  for (std::int64_t at = 0; at < *level.size; ++at)
    least = std::min(least, away(voxel_at(level, at)));
  constexpr double first_reach_px = 6;  // Within this distance, the voxel nearest to the eye is selected.
  EXPECT_LE(away(app.selection().voxel()->voxel), std::max(first_reach_px, 4.5 * least));
  const std::int64_t middle = row();
  ASSERT_TRUE(app.commands().trigger("select.next_voxel"));
  EXPECT_EQ(row(), middle + 1);
  ASSERT_TRUE(app.commands().trigger("select.previous_voxel"));
  ASSERT_TRUE(app.commands().trigger("select.previous_voxel"));
  EXPECT_EQ(row(), middle - 1);
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  ASSERT_TRUE(settled());
  EXPECT_EQ(rows()->rows, (std::vector<std::int32_t>{static_cast<std::int32_t>(middle - 1)}));
  ASSERT_TRUE(app.commands().trigger("select.grow"));
  ASSERT_TRUE(settled());
  EXPECT_GT(rows()->rows.size(), 1U);
  app.selection().setVoxel(ChosenVoxel{voxel_at(level, *level.size - 1), 1});
  ASSERT_TRUE(app.commands().trigger("select.next_voxel"));
  EXPECT_EQ(row(), *level.size - 1) << "the selection must stay at the last voxel";
}

TEST(VoxelFrom, AcceptsThreeIntegersAndNothingElse) {
  EXPECT_EQ(voxel_from(" 3, 14;7 "), (Voxel{3, 14, 7}));
  EXPECT_EQ(voxel_from("-1 0 2"), (Voxel{-1, 0, 2}));
  for (const char* text : {"", "1 2", "1 2 3 4", "1 2 x", "1.5 2 3", "99999999999 1 1"})
    EXPECT_FALSE(voxel_from(text)) << text;
}

TEST_F(SelectTest, AFreehandOutlineIsFollowedAndAClickStillSelectsAVoxel) {
  ASSERT_TRUE(app.commands().trigger("select.lasso"));
  VtkWidget* canvas = view().canvas();
  const QRect area = middle();
  QTest::mousePress(canvas, Qt::LeftButton, {}, area.topLeft());
  for (const QPoint& at : {area.topRight(), area.bottomRight()}) {  // a triangle
    move_mouse(*canvas, at, Qt::LeftButton);
  }
  QTest::mouseRelease(canvas, Qt::LeftButton, {}, area.bottomRight());
  ASSERT_TRUE(settled());
  ASSERT_TRUE(rows());
  EXPECT_LT(std::ssize(rows()->rows), inside(area));
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  for (const std::int32_t row : rows()->rows) {
    const QPoint at = view().pointer().positionOf(voxel_at(level, row)) - area.topLeft();
    EXPECT_GE(static_cast<double>(at.x()) / area.width(),
              (static_cast<double>(at.y()) / area.height()) - 0.03);
  }
  const auto chosen = rows();
  QTest::mouseClick(canvas, Qt::LeftButton, {},
                    view().pointer().positionOf(voxel_at(level, chosen->rows.front())));
  EXPECT_TRUE(app.selection().voxel());
  EXPECT_EQ(rows(), chosen);
}

TEST_F(SelectTest, DensitiesOfTheSelectionAreThoseOfItsOutputs) {
  ASSERT_TRUE(app.commands().trigger("select.box"));
  drag(middle().topLeft(), middle().bottomRight());
  ASSERT_TRUE(rows());
  const Densities* subset = child<DensityPanel>(window).chart()->subset();
  ASSERT_NE(subset, nullptr);
  EXPECT_EQ(subset->outputs, std::ssize(rows()->rows));
  EXPECT_EQ(subset->columns.at(13).density, 1.0) << "each voxel must match itself";
  const auto map = app.workspace().shownMap(-1).map;
  const auto expected = densities(*map, rows()->rows);
  EXPECT_EQ(subset->pairs, expected.pairs);
  EXPECT_TRUE(child<DensityPanel>(window)
                  .findChild<QLabel*>("densityTitle")
                  ->text()
                  .contains(QString::fromStdString(count_text(subset->pairs))));
  // If the map is coarser, the selection consists of the output voxels that contain a selected voxel.
  runNetwork("resn21");
  app.selection().setLayer(5);
  ASSERT_TRUE(settled());
  subset = child<DensityPanel>(window).chart()->subset();
  ASSERT_NE(subset, nullptr);
  EXPECT_EQ(subset->outputs, std::ssize(rows_at(*rows(), 2)));
  app.selection().setRows(nullptr);
  EXPECT_EQ(child<DensityPanel>(window).chart()->subset(), nullptr);
}

TEST_F(SelectTest, TheKernelMapShowsTheOutputsOfTheSelection) {
  MapPanel& map = *app.profileTools().mapPanel();
  const int all = map.table()->model()->rowCount();
  ASSERT_TRUE(app.commands().trigger("select.box"));
  drag(middle().topLeft(), middle().bottomRight());
  ASSERT_TRUE(rows());
  ASSERT_TRUE(waitFor([&] { return !map.busy(); }));
  EXPECT_EQ(map.rows()->currentText(), "in the selection");
  EXPECT_EQ(map.table()->model()->rowCount(), static_cast<int>(rows()->rows.size()));
  EXPECT_EQ(map.table()->model()->index(0, 0).data().toInt(), rows()->rows.front());
  app.selection().setRows(nullptr);
  ASSERT_TRUE(waitFor([&] { return !map.busy(); }));
  EXPECT_EQ(map.table()->model()->rowCount(), all);
  map.rows()->setCurrentIndex(map.rows()->findText("without a neighbour"));
  drag(middle().topLeft(), middle().bottomRight());
  EXPECT_EQ(map.rows()->currentText(), "without a neighbour") << "a selected filter must stay";
}

TEST_F(SelectTest, TheSelectionIsWrittenAndReadBack) {
  ASSERT_TRUE(app.commands().trigger("select.box"));
  drag(middle().topLeft(), middle().bottomRight());
  ASSERT_TRUE(rows());
  const auto& scene = app.workspace().scene().voxels();
  QTemporaryDir folder;
  Job job;
  for (const char* name : {"some.ply", "some.npy", "some.csv"}) {
    SCOPED_TRACE(name);
    const QString file = folder.filePath(name);
    app.selectionJobs().save(file);
    ASSERT_TRUE(waitFor([&] { return !app.selectionJobs().saving().busy(); }));
    const auto cloud = load_scene(file.toStdString(), {}, job);
    const PointCloud& read = *cloud;
    ASSERT_EQ(read.size(), std::ssize(rows()->rows));
    for (std::size_t at = 0; at < read.positions.size(); at += 101) {
      const Point expected = scene->centre_m(voxel_at(scene->level(1), rows()->rows[at]), 1);
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_NEAR(read.positions[at].at(axis), expected.at(axis), 1e-12);
    }
    if (QString(name).endsWith("npy")) continue;  // The columns of this format have no names.
    EXPECT_EQ(read.intensity.size(), scene->cloud->intensity.empty() ? 0U : read.positions.size());
    EXPECT_EQ(read.label.size(), scene->cloud->label.empty() ? 0U : read.positions.size());
  }
  app.selectionJobs().save(folder.filePath("some.txt"));
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible(); }));
  EXPECT_TRUE(banner_of(window).text().contains(".ply"));
}

TEST_F(SelectTest, AnotherSceneClearsTheSelection) {
  ASSERT_TRUE(app.commands().trigger("select.box"));
  drag(middle().topLeft(), middle().bottomRight());
  ASSERT_TRUE(rows());
  open("room");
  EXPECT_FALSE(rows());
  EXPECT_EQ(chip("Selection"), nullptr);
}

TEST_F(SelectTest, APackingThatDoesNotFitShowsTheVoxelsOutsideIt) {
  auto* show = window.findChild<QPushButton*>("showPast");
  auto* box = window.findChild<ScenesPanel*>()->findChild<QComboBox*>("packing");
  ASSERT_NE(show, nullptr);
  EXPECT_FALSE(show->isVisible());
  const QImage before = view().grab3d();
  box->setEditText("9/12/9");
  box->lineEdit()->setModified(true);
  emit box->lineEdit()->editingFinished();
  ASSERT_TRUE(waitFor([&] { return idle() && app.jobs().scenes().refusal().misfit; }));
  ASSERT_TRUE(show->isVisible()) << "the button must be visible if the scene does not fit along x";
  QTest::mouseClick(show, Qt::LeftButton);
  ASSERT_TRUE(settled());
  ASSERT_TRUE(rows());
  EXPECT_EQ(rows()->past, (PackSpec{9, 12, 9}));
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  std::int64_t past = 0;
  for (std::int64_t row = 0; row < size_of(level); ++row)
    past += voxel_at(level, row)[0] >= 512 ? 1 : 0;
  EXPECT_EQ(std::ssize(rows()->rows), past) << "all voxels beyond 2^9 cells must be selected";
  EXPECT_NE(chip(QString::fromStdString(count_text(past)) + " voxels do not fit packing 9/12/9"), nullptr);
  EXPECT_NE(view().grab3d(), before);
}

}  // namespace
}  // namespace spira::ui

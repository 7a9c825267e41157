// Tests the fit meter of the window: its texts for the open scene and for a refused scene, and its repairs.
#include "tests/gui/window_fixture.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

namespace spira::ui {
namespace {

class FitTest : public WindowTest {
 protected:
  [[nodiscard]] FitMeter& meter() { return *window.findChild<FitMeter*>(); }
  [[nodiscard]] QPushButton& button(const char* name) { return *meter().findChild<QPushButton*>(name); }
  void refuse(const char* pack) {
    window.workspace().setPack(parse_pack_spec(pack));
    window.jobs().scenes().voxelize();
    ASSERT_TRUE(waitFor(
        [&] { return idle() && window.jobs().scenes().refusal().misfit && window.banner().isVisible(); }));
  }
  void expectUndone(const std::shared_ptr<const VoxelScene>& before) {
    ASSERT_TRUE(window.commands().trigger("edit.undo"));
    ASSERT_TRUE(waitFor([&] {
      const auto& now = window.workspace().voxels();
      return idle() && now->pack == before->pack && now->grid.voxel_m == before->grid.voxel_m &&
             now->grid.crop_m == before->grid.crop_m;
    }));
  }
};

TEST_F(FitTest, SaysBitsAndGuardCellsForTheNetworkThatIsChosen) {
  EXPECT_FALSE(meter().isVisible()) << "there is nothing to meter";
  open("room");
  ASSERT_TRUE(meter().isVisible());
  const auto& axes = window.workspace().voxels()->fit.axes;
  for (int axis = 0; axis < 3; ++axis) {
    const AxisFit& one = axes.at(static_cast<std::size_t>(axis));
    EXPECT_EQ(meter().cellText(axis, 0), QString("%1 of %2").arg(one.bits_needed).arg(one.bits_given));
    EXPECT_EQ(meter().cellText(axis, 2), "fits");
  }
  EXPECT_TRUE(meter().cellText(0, 1).startsWith("16 of "));
  EXPECT_TRUE(meter().cellText(2, 1).startsWith("1 of "));
  window.jobs().runs().chooseNetwork("resnl20");
  ASSERT_EQ(levels_of(*window.workspace().network()).max_kernel_size, 5);
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(meter().cellText(0, 1).startsWith("32 of ")) << "a kernel of 5 reaches twice as far";
  EXPECT_FALSE(button("repairPacking").isVisible());
}

TEST_F(FitTest, NoRowIsCutInALowWindow) {
  open("room");
  constexpr int too_low = 50;
  meter().setFixedHeight(too_low);
  QApplication::processEvents();
  for (const QLabel* label : meter().findChildren<QLabel*>()) {
    if (!label->isVisible() || label->objectName() == "fit") continue;
    EXPECT_GE(label->height(), label->fontMetrics().height()) << label->text().toStdString();
  }
}

TEST_F(FitTest, WhatIsRefusedIsCountedAndItsVoxelsAreShownByOneClick) {
  open("room");
  const auto before = window.workspace().voxels();
  const QImage picture = window.sceneView().grab3d();
  refuse("8,8,6");
  EXPECT_EQ(window.workspace().voxels(), before);
  const auto misfit = window.jobs().scenes().refusal().misfit;
  EXPECT_TRUE(meter().headline().startsWith("8/8/6")) << meter().headline().toStdString();
  EXPECT_EQ(meter().cellText(0, 2), "over");
  QTest::mouseClick(&button("showPast"), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return !window.selectionJobs().busy() && window.selection().rows(); }));
  EXPECT_EQ(std::ssize(window.selection().rows()->rows), misfit->voxels_past);
  ASSERT_TRUE(waitFor([&] { return window.sceneView().settled(); }));
  EXPECT_NE(window.sceneView().grab3d(), picture);
  QTest::mouseClick(&button("dismissMisfit"), Qt::LeftButton);
  EXPECT_TRUE(meter().headline().startsWith("Fits"));
}

TEST_F(FitTest, EachRepairMakesItFitAndIsUndone) {
  open("room");
  const auto before = window.workspace().voxels();
  for (const char* repair : {"repairCrop", "repairVoxels", "repairPacking"}) {
    refuse("8,8,6");
    const auto misfit = *window.jobs().scenes().refusal().misfit;
    ASSERT_TRUE(button(repair).isVisible()) << repair;
    QTest::mouseClick(&button(repair), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->pack != before->pack; }))
        << repair;
    EXPECT_FALSE(window.jobs().scenes().refusal().misfit);
    EXPECT_FALSE(window.banner().isVisible()) << "what it said is mended: " << repair;
    EXPECT_TRUE(window.workspace().voxels()->fit.fits());
    EXPECT_TRUE(meter().headline().startsWith("Fits"));
    const Grid& grid = window.workspace().voxels()->grid;
    const bool crop = QString(repair) == "repairCrop", voxels = QString(repair) == "repairVoxels";
    EXPECT_EQ(grid.crop_m, crop ? std::optional(misfit.crop->box) : std::nullopt) << repair;
    EXPECT_EQ(grid.voxel_m, voxels ? *misfit.voxel_m : before->grid.voxel_m) << repair;
    EXPECT_EQ(window.workspace().voxels()->pack, crop || voxels ? (PackSpec{8, 8, 6}) : PackSpec::bits64());
    expectUndone(before);
  }
}

/// With 255 cells there is one guard cell, which is enough for K = 3. K = 5 needs two.
TEST_F(FitTest, ANetworkThatReachesFurtherIsOfferedTheSameRepairs) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("tower.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  for (int cell = 0; cell < 255; ++cell)
    file.write(QString("0.05 0.05 %1\n").arg(0.1 * cell + 0.05).toUtf8());
  file.close();
  window.workspace().setGrid(parse_grid("0.1"));
  window.jobs().scenes().options().keep_grid = true;
  open(file.fileName());
  window.workspace().setPack(PackSpec::bits32());
  window.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->pack == PackSpec::bits32(); }));
  ASSERT_EQ(window.workspace().sceneFacts()->fit_extent[2], 255);
  EXPECT_FALSE(window.jobs().scenes().refusal().misfit);
  window.jobs().runs().chooseNetwork("resnl20");
  ASSERT_TRUE(waitFor([&] { return idle() && window.jobs().scenes().refusal().misfit; }));
  EXPECT_EQ(window.jobs().scenes().refusal().misfit->of.max_kernel_size, 5);
  EXPECT_TRUE(window.jobs().scenes().refusal().of_open_scene);
  for (const char* repair : {"repairCrop", "repairVoxels", "repairPacking"})
    EXPECT_TRUE(button(repair).isVisible()) << repair;
  QTest::mouseClick(&button("repairCrop"), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] {
    return idle() && window.workspace().grid().crop_m && !window.jobs().scenes().refusal().misfit;
  }));
  EXPECT_TRUE(meter().headline().startsWith("Fits K = 5")) << meter().headline().toStdString();
  window.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_FALSE(window.jobs().scenes().refusal().misfit);
  EXPECT_TRUE(meter().headline().startsWith("Fits K = 3")) << meter().headline().toStdString();
}

}  // namespace
}  // namespace spira::ui

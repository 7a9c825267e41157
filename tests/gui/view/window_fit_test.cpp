// Tests the fit meter. It shows whether the open scene or the refused scene fits the packing, and suggests
// fixes.
#include "tests/gui/window_fixture.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>

namespace spira::ui {
namespace {

class FitTest : public WindowTest {
 protected:
  [[nodiscard]] FitMeter& meter() { return *window.findChild<FitMeter*>(); }
  [[nodiscard]] QPushButton& button(const char* name) { return *meter().findChild<QPushButton*>(name); }
  void refuse(const char* pack) {
    app.workspace().requested().setPack(parse_pack_spec(pack));
    app.jobs().scenes().voxelize();
    ASSERT_TRUE(waitFor(
        [&] { return idle() && app.jobs().scenes().refusal().misfit && banner_of(window).isVisible(); }));
  }
  [[nodiscard]] QString cellText(int axis, int column) {
    return meter().findChild<QLabel*>(QString("fit %1 %2").arg(axis).arg(column))->text();
  }
  void expectUndone(const std::shared_ptr<const VoxelScene>& before) {
    ASSERT_TRUE(app.commands().trigger("edit.undo"));
    ASSERT_TRUE(waitFor([&] {
      const auto& now = app.workspace().scene().voxels();
      return idle() && now->pack == before->pack && now->grid.voxel_m == before->grid.voxel_m &&
             now->grid.crop_m == before->grid.crop_m;
    }));
  }
};

TEST_F(FitTest, ShowsBitsAndGuardCellsForTheSelectedNetwork) {
  EXPECT_FALSE(meter().isVisible()) << "the meter must be hidden without a scene";
  open("room");
  ASSERT_TRUE(meter().isVisible());
  const auto& axes = app.workspace().scene().voxels()->fit.axes;
  for (int axis = 0; axis < 3; ++axis) {
    const AxisFit& one = axes.at(static_cast<std::size_t>(axis));
    EXPECT_EQ(cellText(axis, 0), QString("%1 of %2").arg(one.bits_needed).arg(one.bits_given));
    EXPECT_EQ(cellText(axis, 2), "fits");
  }
  EXPECT_TRUE(cellText(0, 1).endsWith(", needs 16"));
  const QString free = cellText(0, 1).section(',', 0, -2);
  QString summary;
  for (const QLabel* label : child<SummaryPanel>(window).findChildren<QLabel*>())
    summary += label->text();
  EXPECT_TRUE(summary.contains(QString(" cells, %1 free").arg(free))) << "one basis: " << free.toStdString();
  EXPECT_TRUE(cellText(2, 1).endsWith(", needs 1"));
  app.jobs().runs().chooseNetwork("resnl20");
  ASSERT_EQ(levels_of(*app.workspace().network()).max_kernel_size, 5);
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(cellText(0, 1).endsWith(", needs 32")) << "K = 5 must need twice the guard cells";
  EXPECT_FALSE(button("repairPacking").isVisible());
}

TEST_F(FitTest, NoRowIsCutOffInALowWindow) {
  open("room");
  constexpr int too_low = 50;
  meter().setFixedHeight(too_low);
  QApplication::processEvents();
  for (const QLabel* label : meter().findChildren<QLabel*>()) {
    if (!label->isVisible() || label->objectName() == "fit") continue;
    EXPECT_GE(label->height(), label->fontMetrics().height()) << label->text().toStdString();
  }
}

TEST_F(FitTest, VoxelsThatDoNotFitAreCountedAndShownByOneClick) {
  open("room");
  const auto before = app.workspace().scene().voxels();
  const QImage picture = app.sceneView().grab3d();
  refuse("8,8,6");
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  const auto misfit = app.jobs().scenes().refusal().misfit;
  EXPECT_TRUE(meter().headline().startsWith("8/8/6")) << meter().headline().toStdString();
  EXPECT_EQ(cellText(0, 2), "no fit");
  QTest::mouseClick(&button("showPast"), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return !app.selectionJobs().busy() && app.selection().rows(); }));
  EXPECT_EQ(std::ssize(app.selection().rows()->rows), misfit->voxels_past);
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  EXPECT_NE(app.sceneView().grab3d(), picture);
  QTest::mouseClick(&button("dismissMisfit"), Qt::LeftButton);
  EXPECT_TRUE(meter().headline().startsWith("The scene fits"));
}

TEST_F(FitTest, EachFixMakesTheSceneFitAndCanBeUndone) {
  app.workspace().requested().setPack(PackSpec::bits64());
  app.jobs().scenes().options().keep_pack = true;
  open("room");
  const auto before = app.workspace().scene().voxels();
  for (const char* repair : {"repairCrop", "repairVoxels", "repairPacking"}) {
    refuse("8,8,6");
    const auto misfit = *app.jobs().scenes().refusal().misfit;
    ASSERT_TRUE(button(repair).isVisible()) << repair;
    QTest::mouseClick(&button(repair), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->pack != before->pack; }))
        << repair;
    EXPECT_FALSE(app.jobs().scenes().refusal().misfit);
    EXPECT_FALSE(banner_of(window).isVisible()) << "the banner must be hidden after the fix: " << repair;
    EXPECT_TRUE(app.workspace().scene().voxels()->fit.fits());
    EXPECT_TRUE(meter().headline().startsWith("The scene fits"));
    const Grid& grid = app.workspace().scene().voxels()->grid;
    const bool crop = QString(repair) == "repairCrop", voxels = QString(repair) == "repairVoxels";
    EXPECT_EQ(grid.crop_m, crop ? std::optional(misfit.crop->box) : std::nullopt) << repair;
    EXPECT_EQ(grid.voxel_m, voxels ? *misfit.voxel_m : before->grid.voxel_m) << repair;
    EXPECT_EQ(app.workspace().scene().voxels()->pack,
              crop || voxels ? (PackSpec{8, 8, 6}) : PackSpec::bits32());
    expectUndone(before);
  }
}

/// With 255 cells, there is one guard cell. This is enough for K = 3, but K = 5 needs two.
TEST_F(FitTest, ANetworkWithALargerKernelOffersTheSameFixes) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("tower.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  for (int cell = 0; cell < 255; ++cell)
    file.write(QString("0.05 0.05 %1\n").arg(0.1 * cell + 0.05).toUtf8());
  file.close();
  app.workspace().requested().setGrid(parse_grid("0.1"));
  app.jobs().scenes().options().keep_grid = true;
  open(file.fileName());
  app.workspace().requested().setPack(PackSpec::bits32());
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(
      waitFor([&] { return idle() && app.workspace().scene().voxels()->pack == PackSpec::bits32(); }));
  ASSERT_EQ(app.workspace().scene().facts()->fit_extent[2], 255);
  EXPECT_FALSE(app.jobs().scenes().refusal().misfit);
  app.jobs().runs().chooseNetwork("resnl20");
  ASSERT_TRUE(waitFor([&] { return idle() && app.jobs().scenes().refusal().misfit; }));
  EXPECT_EQ(app.jobs().scenes().refusal().misfit->of.needs.guard, guard_cells(5, 16));
  EXPECT_TRUE(app.jobs().scenes().refusal().of_open_scene);
  for (const char* repair : {"repairCrop", "repairVoxels", "repairPacking"})
    EXPECT_TRUE(button(repair).isVisible()) << repair;
  QTest::mouseClick(&button("repairCrop"), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] {
    return idle() && app.workspace().requested().grid().crop_m && !app.jobs().scenes().refusal().misfit;
  }));
  EXPECT_TRUE(meter().headline().startsWith("The scene fits with kernel size 5"))
      << meter().headline().toStdString();
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_FALSE(app.jobs().scenes().refusal().misfit);
  EXPECT_TRUE(meter().headline().startsWith("The scene fits with kernel size 3"))
      << meter().headline().toStdString();
}

class AutomaticPackTest : public FitTest {
 protected:
  [[nodiscard]] QComboBox& packing() { return *window.findChild<QComboBox*>("packing"); }
  [[nodiscard]] QLineEdit& grid() { return *window.findChild<QLineEdit*>("grid"); }
  void type(QLineEdit& field, const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
    QTest::keyClick(&field, Qt::Key_Return);
  }
  /// Writes a column of voxels along z and opens it with voxels of 0.1 m.
  void openTower(int cells) {
    QFile file(folder.filePath(QString("tower%1.xyz").arg(cells)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    for (int cell = 0; cell < cells; ++cell)
      file.write(QString("0.05 0.05 %1\n").arg(0.1 * cell + 0.05).toUtf8());
    file.close();
    app.workspace().requested().setGrid(parse_grid("0.1"));
    app.jobs().scenes().options().keep_grid = true;
    open(file.fileName());
  }
  QTemporaryDir folder;
};

TEST_F(AutomaticPackTest, KeepsTheDefaultIfItFitsAndShowsTheChosenPacking) {
  open("room");
  EXPECT_TRUE(app.workspace().requested().packAutomatic());
  EXPECT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  EXPECT_EQ(packing().currentText(), "Automatic (12/12/8)");
  EXPECT_EQ(packing().lineEdit()->cursorPosition(), 0) << "a narrow field must show the beginning";
  EXPECT_TRUE(packing().toolTip().contains("12/12/8"));
  openTower(400);
  const auto fitting = packings_that_fit(app.workspace().scene().facts()->fit_extent, {5, 16});
  ASSERT_NE(fitting.front(), PackSpec::bits32()) << "400 cells need 9 bits";
  EXPECT_EQ(app.workspace().scene().voxels()->pack, fitting.front());
  EXPECT_EQ(packing().currentText(),
            QString("Automatic (%1)").arg(QString::fromStdString(fitting.front().text())));
}

TEST_F(AutomaticPackTest, ATypedPackingIsKeptUntilAutomaticIsChosenAgain) {
  open("room");
  type(*packing().lineEdit(), "24/24/16");
  ASSERT_TRUE(
      waitFor([&] { return idle() && app.workspace().scene().voxels()->pack == PackSpec::bits64(); }));
  EXPECT_FALSE(app.workspace().requested().packAutomatic());
  EXPECT_EQ(packing().currentText(), "24/24/16");
  emit packing().activated(0);
  ASSERT_TRUE(
      waitFor([&] { return idle() && app.workspace().scene().voxels()->pack == PackSpec::bits32(); }));
  EXPECT_EQ(packing().currentText(), "Automatic (12/12/8)");
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  ASSERT_TRUE(
      waitFor([&] { return idle() && app.workspace().scene().voxels()->pack == PackSpec::bits64(); }));
  EXPECT_FALSE(app.workspace().requested().packAutomatic());
}

TEST_F(AutomaticPackTest, SmallerVoxelsAndALargerKernelGetAPackingThatFits) {
  openTower(200);
  ASSERT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  type(grid(), "0.05");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.voxel_m[2] == 0.05; }));
  EXPECT_FALSE(app.jobs().scenes().refusal().misfit);
  EXPECT_NE(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  EXPECT_TRUE(app.workspace().requested().packAutomatic());
  openTower(254);  // This fits K = 5 with two guard cells, but it does not fit K = 7.
  ASSERT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  app.workspace().requested().setSceneKernelSize(7);
  ASSERT_TRUE(waitFor([&] {
    const auto densities = app.workspace().shownMap(-1).densities;
    return idle() && densities && densities->kernel.size[0] == 7;
  }));
  EXPECT_NE(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  EXPECT_FALSE(banner_of(window).isVisible());
}

TEST_F(AutomaticPackTest, RefusedValuesStayInTheFieldsAndFixesDoNotMoveThem) {
  open("room");
  const QPoint packing_at = packing().mapTo(&window, QPoint()), grid_at = grid().mapTo(&window, QPoint());
  const int banner = banner_of(window).height();
  type(*packing().lineEdit(), "8/8/6");
  ASSERT_TRUE(waitFor([&] { return idle() && app.jobs().scenes().refusal().misfit; }));
  QApplication::processEvents();
  ASSERT_TRUE(button("repairPacking").isVisible());
  EXPECT_EQ(packing().currentText(), "8/8/6");
  const QPoint moved = packing().mapTo(&window, QPoint()) - packing_at;
  EXPECT_EQ(grid().mapTo(&window, QPoint()) - grid_at, moved);
  EXPECT_EQ(moved, QPoint()) << "banner: " << banner;
  const QString size = grid().text();
  type(grid(), "2");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.voxel_m[0] == 2; }));
  EXPECT_EQ(app.workspace().scene().voxels()->pack, (PackSpec{8, 8, 6}))
      << "the refused packing must be kept";
  EXPECT_NE(size, "2");
}

}  // namespace
}  // namespace spira::ui

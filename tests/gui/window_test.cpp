// Tests real commands in a real window: open, run, stop, step and sweep. Some tests use invalid files or
// sequences.
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/features/open/drop_target.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/model/notices.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QDragEnterEvent>
#include <QDragLeaveEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>

#include <gmock/gmock.h>

#include <filesystem>

namespace spira::ui {
namespace {

using testing::HasSubstr;

std::string bannerText(MainWindow& window) {
  return banner_of(window).text().toStdString();
}

QString writeFile(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
  QFile file(folder.filePath(name));
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(bytes);
  return file.fileName();
}

TEST_F(WindowTest, EveryCommandOfAnEmptyWindowIsEnabledOrGivesAReason) {
  for (QAction* action : app.commands().all()) {
    const QString id = action->objectName();
    app.commands().refresh();
    EXPECT_FALSE(action->toolTip().isEmpty()) << id.toStdString();
    EXPECT_EQ(action->isEnabled(), app.commands().unavailableReason(id).isEmpty()) << id.toStdString();
    const bool dialog = action->text().endsWith("...") || id == "help.about" || id == "file.quit";
    if (dialog || !action->isEnabled()) continue;
    EXPECT_TRUE(app.commands().trigger(id)) << id.toStdString();
  }
  EXPECT_FALSE(app.commands().trigger("no.such.command"));
  app.jobs().lane().cancel();
}

TEST_F(WindowTest, BuiltInSceneOpensFromItsCard) {
  auto* card = window.findChild<QPushButton*>("card_room");
  ASSERT_NE(card, nullptr);
  QTest::mouseClick(card, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() != nullptr && idle(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->name, "room");
  EXPECT_EQ(app.workspace().requested().grid().voxel_m[0], 0.02);
}

TEST_F(WindowTest, DroppedFileOpens) {
  QTemporaryDir folder;
  const QString file = writeFile(folder, "few.xyz", "0 0 0\n1 0 0\n1 1 0\n1 1 1\n");
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  QDragEnterEvent enter(QPoint(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  EXPECT_TRUE(enter.isAccepted());
  auto* overlay = window.findChild<DropOverlay*>();
  EXPECT_TRUE(overlay->isVisible());
  EXPECT_EQ(overlay->text(), "Drop to open few.xyz");
  QDragLeaveEvent leave;
  QApplication::sendEvent(&window, &leave);
  EXPECT_FALSE(overlay->isVisible());
  QApplication::sendEvent(&window, &enter);
  QDropEvent drop(QPointF(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  EXPECT_FALSE(overlay->isVisible());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() != nullptr && idle(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 4);
}

TEST_F(WindowTest, DraggedItemsThatAreNotFilesAreRefused) {
  QMimeData page;
  page.setUrls({QUrl("https://example.org/scan.bin")});
  QDragEnterEvent enter(QPoint(700, 300), Qt::CopyAction, &page, Qt::LeftButton, Qt::NoModifier);
  enter.ignore();
  QApplication::sendEvent(&window, &enter);
  EXPECT_FALSE(enter.isAccepted());
  EXPECT_FALSE(window.findChild<DropOverlay*>()->isVisible());
}

TEST_F(WindowTest, AnInvalidFileIsNamedAndTheSceneStaysOpen) {
  open("street");
  const auto before = app.workspace().scene().voxels();
  QTemporaryDir folder;
  const std::vector<std::pair<QString, QByteArray>> bad{
      {"empty.bin", ""},
      {"torn.ply", "ply\nformat ascii 1.0\nelement vertex 9\n"},
      {"junk.pcd", "VERSION 0.7\nFIELDS x\n"},
      {"scan.las", "LASF"}};
  for (const auto& [name, bytes] : bad) {
    QSignalSpy failed(&app.jobs().lane(), &EngineLane::failed);
    app.opening().open(writeFile(folder, name, bytes));
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1 && idle(); })) << name.toStdString();
    EXPECT_TRUE(banner_of(window).isVisible());
    EXPECT_THAT(bannerText(window), HasSubstr(name.toStdString()));
    EXPECT_EQ(app.workspace().scene().voxels(), before);
    EXPECT_FALSE(banner_of(window).findChildren<QPushButton*>().isEmpty()) << "the banner must suggest a fix";
  }
  app.opening().open(folder.filePath("missing.ply"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_THAT(bannerText(window), HasSubstr("file not found"));
}

TEST_F(WindowTest, PackingThatDoesNotFitKeepsTheSceneAndSuggestsAFix) {
  open("street");
  const auto before = app.workspace().scene().voxels();
  app.workspace().requested().setPack(parse_pack_spec("6,6,6"));
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(bannerText(window), HasSubstr("needed"));
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  QTest::mouseClick(banner_of(window).findChildren<QPushButton*>().front(),
                    Qt::LeftButton);  // This click accepts the packing that fits.
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels() != before; }));
  EXPECT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
}

TEST_F(WindowTest, RunDeliversEveryLayerAndStepsDeliverOneLayerEach) {
  open("street");
  runNetwork("resn21");
  EXPECT_GT(app.workspace().results().layer(20)->features->rows, 0);
  app.selection().setLayer(-1);
  ASSERT_TRUE(app.commands().trigger("run.step_forward"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.selection().layer() == 0; }));
  ASSERT_TRUE(app.commands().trigger("run.step_forward"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.selection().layer() == 1; }));
  ASSERT_TRUE(app.commands().trigger("run.step_back"));
  EXPECT_EQ(app.selection().layer(), 0);
}

TEST_F(WindowTest, StopKeepsTheFinishedLayers) {
  open("room");
  app.jobs().runs().chooseNetwork("minkunet42");
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().layersRun() >= 2; }));
  ASSERT_TRUE(app.commands().trigger("run.stop"));
  EXPECT_FALSE(app.jobs().lane().busy());
  const int done = app.workspace().results().layersRun();
  EXPECT_LT(done, 49);
  open("street");  // The worker thread is free again.
  EXPECT_EQ(app.workspace().scene().cloud()->name, "street");
}

TEST_F(WindowTest, SweepMeasuresEverySettingAndNamesThoseThatDoNotFit) {
  measureBriefly();
  open("street");
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  app.selection().setLayer(2);
  ASSERT_TRUE(app.commands().trigger("sweep.thresholds"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().thresholdSweep(); }));
  const auto sweep = app.workspace().results().thresholdSweep();
  ASSERT_EQ(sweep->rows.size(), 5U);
  for (const auto& row : sweep->rows)
    EXPECT_GE(row.wall.ms.size(), 5U) << row.label;
  child<SweepPanel>(window).findChild<QLineEdit*>("customBits")->setText("5,5,5");
  ASSERT_TRUE(app.commands().trigger("sweep.packings"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().packSweep(); }));
  const auto packs = app.workspace().results().packSweep();
  ASSERT_EQ(packs->rows.size(), 3U);
  EXPECT_TRUE(packs->rows[0].why_not.empty());
  EXPECT_THAT(packs->rows[2].why_not, HasSubstr("needed"));
  EXPECT_TRUE(packs->rows[2].wall.ms.empty());
  const QObject* page = child<SweepPanel>(window).findChild<QPushButton*>("sweep.packings")->parent();
  const auto& table = *page->findChild<QTableWidget*>("rows");
  EXPECT_EQ(table.columnSpan(0, 1), 1);
  EXPECT_EQ(table.columnSpan(2, 1), 3) << "the reason must span the row";
  EXPECT_GT(table.rowHeight(2), table.rowHeight(0)) << "the reason must show all its lines";
}

TEST_F(WindowTest, FolderOpensAsASequenceAndKeepsTheSelection) {
  QTemporaryDir folder;
  for (const int frame : {1, 2, 10}) {
    QByteArray text;
    for (int at = 0; at < 50 * frame; ++at)
      text += QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1();
    writeFile(folder, QString("frame%1.xyz").arg(frame), text);
  }
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  ASSERT_EQ(app.workspace().scene().frames().size(), 3U);
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 50);
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->size() == 100; }));
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->size() == 500; }));
  EXPECT_EQ(app.workspace().scene().frame(), 2);
  EXPECT_EQ(app.selection().look().colourBy(), ColourBy::points_per_voxel);
}

/// Returns the widgets that are cut off by their page. Widgets in scroll areas are allowed.
std::string cut_by(const QWidget& page) {
  std::string cut;
  for (const QWidget* widget : page.findChildren<QWidget*>()) {
    bool scrolls = false;
    for (const QWidget* at = widget; at != &page; at = at->parentWidget())
      scrolls = scrolls || at->inherits("QAbstractScrollArea") || at->inherits("QTabBar");
    if (!widget->isVisible() || scrolls) continue;
    const QRect area(widget->mapTo(&page, QPoint(0, 0)), widget->size());
    const QSize least = widget->minimumSizeHint();
    constexpr int slack = 2;  // The style sheet makes bars and fields thinner than Qt assumes.
    const bool thin = widget->height() < least.height() - slack && !widget->inherits("QProgressBar");
    if (!page.rect().contains(area) || widget->width() < least.width() || thin)
      cut += QString("%1 %2 %3,%4 %5x%6 of at least %7x%8; ")
                 .arg(widget->metaObject()->className(), widget->objectName())
                 .arg(area.x())
                 .arg(area.y())
                 .arg(area.width())
                 .arg(area.height())
                 .arg(least.width())
                 .arg(least.height())
                 .toStdString();
  }
  return cut;
}

TEST_F(WindowTest, EveryTabFitsTheSmallestWindow) {
  window.resize(1024, 640);
  app.jobs().runs().chooseNetwork("resn21");
  open("street");
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  runNetwork("resn21");
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  app.selection().setLayer(1);
  app.selection().setColumns({0, 1, 2});
  app.selection().setVoxel(ChosenVoxel{voxel_at(level, size_of(level) / 2), 1});
  child<SweepPanel>(window).showKind(SweepPanel::Kind::packings);
  child<SweepPanel>(window)
      .findChild<QLineEdit*>("customBits")
      ->setText("this text is much too long for a field of three bits");
  for (auto* log : window.findChildren<LogPanel*>())
    log->engine()->setActivity(QString("Opening /a/folder/with/a/long/name").repeated(5), 1, 3);
  for (QTabWidget* tabs :
       {&app.docks().tabs(DockLayout::Side::bottom), &app.docks().tabs(DockLayout::Side::right)}) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      QApplication::processEvents();
      EXPECT_EQ(window.size(), QSize(1024, 640)) << tabs->tabText(tab).toStdString();
      // The left side becomes narrower for a wide tab. The window applies this in a later event-loop
      // iteration.
      static_cast<void>(QTest::qWaitFor([&] { return cut_by(window).empty(); }, 1000));
      EXPECT_EQ(cut_by(window), "") << tabs->tabText(tab).toStdString();
    }
  }
  auto* bar = window.findChild<QToolBar*>("toolbar");
  EXPECT_TRUE(bar->widgetForAction(app.commands().action("help.palette"))->isVisible());
  const auto* device = bar->findChild<QToolButton*>("device");
  const auto labels = bar->findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
    return label->text().trimmed() == "Device" && label->geometry().right() < device->x() + 1 &&
           device->x() - label->geometry().right() < 10;
  })) << "the list of devices must have a label";
  EXPECT_TRUE(window.findChild<QToolButton*>("stride16")->isVisible());
  EXPECT_GE(app.sceneView().width(), 360);
  const auto* modes = app.sceneView().topBar()->findChild<QToolButton*>("modeMenu");
  EXPECT_TRUE(modes->isVisible()) << "the modes must be available in a narrow view";
  EXPECT_TRUE(modes->menu()->actions().contains(app.commands().action("select.lasso")));
  window.resize(1440, 900);
  ASSERT_TRUE(waitFor([&] { return window.width() == 1440; }));
  EXPECT_TRUE(waitFor([&] { return modes->isHidden(); })) << "a wide view has buttons";
}

TEST_F(WindowTest, TheToolBarOfTheViewKeepsItsLabelsAt1366Pixels) {
  window.resize(1366, 768);
  open("street");
  QStringList shown;
  for (const QLabel* label : app.sceneView().topBar()->findChildren<QLabel*>()) {
    if (label->isVisible()) shown += label->text();
  }
  EXPECT_EQ(shown, QStringList({"Stride", "Colour by"}));
  EXPECT_EQ(window.findChild<QToolButton*>("stride16")->accessibleName(), "Stride 16");
  EXPECT_EQ(window.findChild<QComboBox*>("colourBy")->toolTip(), "Colour voxels by: Height");
}

TEST_F(WindowTest, AMessageThatIsTooLongForTheViewIsElidedAndItsTooltipHasTheRest) {
  window.resize(1024, 640);
  open("room");
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  window.resizeDocks({&app.docks().dock(DockLayout::Side::bottom)}, {400}, Qt::Vertical);
  const QString message = QString("A long message. ").repeated(60);
  app.notices().showNote("Title", message);
  const auto fits = [&] {
    const QWidget& centre = *window.centralWidget();
    const QRect banner(banner_of(window).mapTo(&window, QPoint()), banner_of(window).size());
    const QWidget& bar = *app.sceneView().topBar();
    return banner.bottom() <= centre.mapTo(&window, QPoint(0, centre.height())).y() &&
           banner.top() >= bar.mapTo(&window, QPoint(0, bar.height())).y();
  };
  EXPECT_TRUE(waitFor([&] { return banner_of(window).isVisible() && fits(); }));
  const QLabel& label = *banner_of(window).findChild<QLabel*>();
  EXPECT_TRUE(waitFor([&] { return label.text().endsWith(QChar(0x2026)); }));
  EXPECT_TRUE(label.toolTip().contains(message));
  EXPECT_TRUE(banner_of(window).text().contains(message));
  app.docks().hideAll();
  EXPECT_TRUE(waitFor([&] { return label.text().endsWith("message. "); })) << label.text().toStdString();
}

TEST_F(WindowTest, AMessageDoesNotMoveTheViewOrCoverItsToolBar) {
  for (const QSize& size : {QSize(1440, 900), QSize(1024, 640)}) {
    window.resize(size);
    open("room");
    QWidget& canvas = *app.sceneView().canvas();
    QWidget& bar = *app.sceneView().topBar();
    const auto in_window = [&](const QWidget& widget) {
      return QRect(widget.mapTo(&window, QPoint()), widget.size());
    };
    const QRect view = in_window(canvas), tools = in_window(bar);
    app.notices().showNote("Title", QString("A long message. ").repeated(20), {{"Repair", [] {}}});
    ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible(); }));
    QApplication::processEvents();
    EXPECT_EQ(in_window(canvas), view);
    EXPECT_EQ(in_window(bar), tools);
    const QRect banner = in_window(banner_of(window));
    EXPECT_TRUE(view.contains(banner)) << "the message must be over the view";
    EXPECT_FALSE(tools.intersects(banner)) << "the message must not cover the toolbar of the view";
    const auto* button = banner_of(window).findChild<QPushButton*>();
    EXPECT_EQ(window.childAt(in_window(*button).center()), button) << "nothing may cover the message";
    app.notices().dismiss();
    QApplication::processEvents();
    EXPECT_FALSE(banner_of(window).isVisible());
    EXPECT_EQ(in_window(canvas), view);
    app.notices().showNote("Title", "The message follows the view.");
    app.docks().hideAll();
    ASSERT_TRUE(waitFor([&] { return canvas.width() > view.width(); }));
    ASSERT_TRUE(waitFor([&] { return banner_of(window).width() == canvas.width() - 16; }));
    app.commands().trigger("layout.profile");
    app.notices().dismiss();
  }
}

TEST_F(WindowTest, LayoutsFitASmallWindow) {
  window.resize(1024, 700);
  open("street");
  ASSERT_TRUE(app.commands().trigger("layout.explore"));
  EXPECT_FALSE(app.docks().tabs(DockLayout::Side::bottom).isVisible());
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  EXPECT_TRUE(app.docks().tabs(DockLayout::Side::bottom).isVisible());
  EXPECT_EQ(window.width(), 1024);
  EXPECT_GE(app.sceneView().width(), 300);
}

}  // namespace
}  // namespace spira::ui

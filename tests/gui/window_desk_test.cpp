// Tests undo, layouts, settings, recent files, help and diagnostics of a real window.
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/help/diagnostics_dialog.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/settings/settings_dialog.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QAccessible>
#include <QCheckBox>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include <set>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class WindowDeskTest : public WindowTest {
 protected:
  [[nodiscard]] QUndoStack& undo() { return *window.history().stack(); }
  [[nodiscard]] bool voxelised() {
    return waitFor([&] { return idle() && window.sceneView().settled(); });
  }
};

TEST_F(WindowDeskTest, EveryParameterIsTakenBackAndMadeAgain) {
  open("street");
  EXPECT_EQ(undo().count(), 0) << "opening is no step";
  const auto network = window.workspace().network();
  const Grid grid = window.workspace().grid();
  window.selection().setColourBy(ColourBy::points_per_voxel);
  ASSERT_TRUE(window.commands().trigger("colour.cividis"));
  window.selection().setHiddenLabels({4});
  window.selection().setSlab(std::pair{-1.0, 1.0});
  window.workspace().setSceneKernelSize(5);
  ASSERT_TRUE(voxelised());
  window.selection().setLayer(1);
  ASSERT_TRUE(window.commands().trigger("t.down"));
  ASSERT_TRUE(window.commands().trigger("t.down"));
  window.jobs().runs().chooseNetwork("resn21");
  window.workspace().setPack(PackSpec::bits64());
  window.jobs().scenes().voxelize();
  ASSERT_TRUE(voxelised());
  window.workspace().setGrid(Grid{{0.2, 0.2, 0.2}, {}});
  window.jobs().scenes().voxelize();
  ASSERT_TRUE(voxelised());
  window.jobs().scenes().crop(Bounds{{-5, -5, -5}, {5, 5, 5}});
  ASSERT_TRUE(voxelised());
  QStringList names;
  for (int step = 0; step < undo().count(); ++step)
    names.append(undo().text(step));
  EXPECT_EQ(names.join(", ").toStdString(),
            "colouring, colour map, hidden classes, z slab, scene kernel, t of " + network->layers[1].name +
                ", t of " + network->layers[1].name + ", network, packing, voxel size, crop");
  EXPECT_EQ(window.commands().action("edit.undo")->text(), "Undo crop");
  while (undo().canUndo()) {
    ASSERT_TRUE(window.commands().trigger("edit.undo"));
    ASSERT_TRUE(voxelised());
  }
  EXPECT_EQ(window.workspace().network(), network);
  EXPECT_EQ(window.workspace().plan().layers, default_plan(*network).layers);
  EXPECT_EQ(window.workspace().voxels()->grid.voxel_m, grid.voxel_m);
  EXPECT_FALSE(window.workspace().voxels()->grid.crop_m);
  EXPECT_EQ(window.workspace().voxels()->pack, PackSpec::bits32());
  EXPECT_EQ(window.selection().colourBy(), ColourBy::height);
  EXPECT_EQ(window.selection().look(), ColourLook{});
  EXPECT_TRUE(window.selection().hiddenLabels().empty());
  EXPECT_FALSE(window.selection().slab());
  EXPECT_EQ(window.workspace().sceneKernelSize(), 3);
  while (undo().canRedo()) {
    ASSERT_TRUE(window.commands().trigger("edit.redo"));
    ASSERT_TRUE(voxelised());
  }
  EXPECT_EQ(window.workspace().voxels()->grid.voxel_m[0], 0.2);
  EXPECT_TRUE(window.workspace().voxels()->grid.crop_m);
  EXPECT_EQ(window.workspace().network()->name, "resn21");
  EXPECT_EQ(undo().count(), names.size()) << "undo is no change of its own";
}

TEST_F(WindowDeskTest, ADragIsOneStepAndOneBackToItsStartIsNone) {
  open("street");
  auto* on = window.findChild<QCheckBox*>("slab");
  on->setChecked(true);
  ASSERT_EQ(undo().count(), 1);
  auto* slider = window.findChild<QSlider*>("slabMiddle");
  const auto before = window.selection().slab();
  QTest::mousePress(slider, Qt::LeftButton, {}, {2, 2});
  for (const int value : {100, 120, 140, 180})
    slider->setValue(value);
  QTest::mouseRelease(slider, Qt::LeftButton, {}, {2, 2});
  QApplication::processEvents();
  EXPECT_EQ(undo().count(), 2);
  slider->setValue(200);
  slider->setValue(220);
  EXPECT_EQ(undo().count(), 4) << "without a hand on it each is a step";
  undo().setIndex(1);
  EXPECT_EQ(window.selection().slab(), before);
}

TEST_F(WindowDeskTest, ARefusedChangeIsNoStepAndAnotherSceneBeginsAnew) {
  open("street");
  window.workspace().setPack(parse_pack_spec("6,6,6"));
  window.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && window.banner().isVisible(); }));
  EXPECT_EQ(undo().count(), 0);
  EXPECT_THAT(window.commands().whyNot("edit.undo").toStdString(), HasSubstr("no changes since"));
  window.selection().setColourBy(ColourBy::points_per_voxel);
  EXPECT_EQ(undo().count(), 1);
  open("room");
  EXPECT_EQ(undo().count(), 0);
}

TEST_F(WindowDeskTest, LayoutsAreArrangementsAndTheDefaultComesBack) {
  auto shown = [&] {
    std::string all;
    for (const char* name : {"left", "right", "bottom"})
      all += window.findChild<QDockWidget*>(name)->isHidden() ? "-"
             : name[0] == 'l'                                 ? "l"
             : name[0] == 'r'                                 ? "r"
                                                              : "b";
    return all;
  };
  const std::vector<std::pair<const char*, const char*>> layouts{{"layout.explore", "lr-"},
                                                                 {"layout.profile", "lrb"},
                                                                 {"layout.compare", "--b"},
                                                                 {"layout.learn", "-r-"}};
  for (const auto& [id, docks] : layouts) {
    ASSERT_TRUE(window.commands().trigger(id));
    EXPECT_EQ(shown(), docks) << id;
  }
  ASSERT_TRUE(window.commands().trigger("window.left"));
  EXPECT_EQ(shown(), "lr-");
  EXPECT_TRUE(window.commands().action("window.left")->isChecked());
  window.resize(1100, 700);
  ASSERT_TRUE(window.commands().trigger("layout.restore"));
  EXPECT_EQ(shown(), "lrb");
  EXPECT_EQ(window.width(), 1440);
}

TEST_F(WindowDeskTest, TheTabsBelowFitBesideTheListOfLayersInTheSmallestWindow) {
  constexpr int smallest = 1024, layers = 280;
  EXPECT_LE(window.findChild<QDockWidget*>("bottom")->widget()->minimumSizeHint().width(), smallest - layers)
      << "what is wider is cut at the right";
}

TEST_F(WindowDeskTest, SettingsAreFoundActAtOnceAndAreSetBack) {
  SettingsDialog dialog(&window.settings(), &window);
  dialog.show();
  dialog.findChild<QLineEdit*>()->setText("motion");
  auto* motion = dialog.findChild<QCheckBox*>("look.reduced_motion");
  auto* size = dialog.findChild<QSpinBox*>("look.text_percent");
  EXPECT_TRUE(motion->isVisible());
  EXPECT_FALSE(size->isVisible());
  motion->setChecked(true);
  EXPECT_FALSE(window.isAnimated());
  EXPECT_FALSE(QApplication::isEffectEnabled(Qt::UI_FadeMenu));
  window.settings().set("look.theme", "contrast");
  EXPECT_EQ(window.theme().choice(), ThemeChoice::contrast);
  EXPECT_TRUE(window.commands().action("theme.contrast")->isChecked());
  for (auto* button : dialog.findChildren<QPushButton*>()) {
    if (button->text() == "Reset all") button->click();
  }
  EXPECT_FALSE(motion->isChecked());
  EXPECT_TRUE(window.isAnimated());
  EXPECT_EQ(window.theme().choice(), ThemeChoice::system);
}

TEST_F(WindowDeskTest, F1ShowsThePageOfTheViewWithTheFocus) {
  open("street");
  window.activateWindow();
  auto* box = window.densityPanel().findChild<QCheckBox*>();
  box->setFocus();
  ASSERT_TRUE(waitFor([&] { return QApplication::focusWidget() == box; }));
  ASSERT_TRUE(window.commands().trigger("help.open"));
  HelpWindow& help = *window.helpWindow();
  EXPECT_EQ(help.heading(), "Density");
  auto* bar = help.findChild<QTextBrowser*>()->verticalScrollBar();
  EXPECT_TRUE(waitFor([&] { return bar->value() > 0; })) << "the page is at its heading";
  EXPECT_THAT(help.pageText().toStdString(), HasSubstr("L1 norm"));
  help.showFor(window.sceneView().canvas());
  EXPECT_EQ(help.heading(), "3D view");
  help.showPlace("keys");
  for (QAction* action : window.commands().all())
    EXPECT_THAT(help.pageText().toStdString(), HasSubstr(action->text().toStdString()));
  help.close();
  Hands().key(window, Qt::Key_Question);
  EXPECT_TRUE(window.helpWindow()->isVisible()) << "? asks for help as well";
  help.close();
}

TEST_F(WindowDeskTest, EveryPageOfTheHelpIsThereAndEveryViewHasItsHeading) {
  HelpWindow help(&window.commands(), nullptr);
  for (const char* page : {"window", "keys", "exploring", "measuring", "tuning", "packing", "network-files",
                           "file-formats", "performance", "command-line"}) {
    help.showPlace(page);
    EXPECT_GT(help.pageText().size(), 400) << page;
  }
  for (QTabWidget* tabs : {&window.bottomTabs(), &window.rightTabs()}) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      help.showFor(tabs->widget(tab));
      EXPECT_NE(help.heading(), "The window") << tabs->tabText(tab).toStdString();
    }
  }
}

TEST_F(WindowDeskTest, DiagnosticsNameNoFileUnlessAsked) {
  QTemporaryDir folder;
  QFile file(folder.filePath("secret-scan.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("0 0 0\n1 1 1\n2 2 2\n");
  file.close();
  open(file.fileName());
  DiagnosticsDialog dialog(window.facts(), &window);
  const auto text = [&] { return dialog.findChild<QPlainTextEdit*>()->toPlainText().toStdString(); };
  EXPECT_THAT(text(), HasSubstr("SpiraScope: "));
  EXPECT_THAT(text(), HasSubstr("VTK"));
  EXPECT_THAT(text(), HasSubstr("3 voxels"));
  EXPECT_THAT(text(), Not(HasSubstr("secret-scan")));
  dialog.findChild<QCheckBox*>()->setChecked(true);
  EXPECT_THAT(text(), HasSubstr("secret-scan.xyz"));
  EXPECT_THAT(text(), Not(HasSubstr(QDir::homePath().toStdString() + "/")));
}

TEST_F(WindowDeskTest, EveryActionOfTheMenusIsACommandSoThePaletteHasItAndItHasAName) {
  std::set<QAction*> commands(window.commands().all().begin(), window.commands().all().end()), seen;
  for (QAction* top : window.menuBar()->actions()) {
    for (QAction* action : top->menu()->actions()) {
      if (action->isSeparator()) continue;
      if (action->menu() == nullptr) {
        EXPECT_TRUE(commands.contains(action)) << action->text().toStdString();
        seen.insert(action);
        continue;
      }
      for (QAction* further : action->menu()->actions())  // recent files are not commands
        if (commands.contains(further)) seen.insert(further);
    }
  }
  for (QAction* action : commands)
    EXPECT_TRUE(seen.contains(action)) << action->objectName().toStdString() << " is in no menu";
  EXPECT_EQ(seen, commands) << "a command that is in no menu";
}

TEST_F(WindowDeskTest, ARingShowsWhereTheKeyboardIsAlsoOnTheView) {
  open("street");
  window.activateWindow();
  auto* ring = window.findChild<QWidget*>("focusRing");
  auto* tree = window.findChild<QTreeWidget*>("scenes");
  tree->setFocus();
  ASSERT_TRUE(waitFor([&] { return QApplication::focusWidget() == tree; }));
  QTest::keyClick(tree, Qt::Key_Tab);
  ASSERT_TRUE(waitFor([&] { return ring->isVisible(); }));
  window.sceneView().canvas()->setFocus();
  EXPECT_EQ(ring->size(), window.sceneView().canvas()->size());
  QTest::mouseClick(window.sceneView().canvas(), Qt::LeftButton, {}, {5, 5});
  EXPECT_FALSE(ring->isVisible());
}

/// Lists visible widgets that Tab reaches but that have no name for a screen reader. Parts of another field
/// use the name of that field.
std::string nameless(QWidget& window) {
  std::string all;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || !widget->isEnabled() || (widget->focusPolicy() & Qt::TabFocus) == 0) continue;
    if (widget->objectName().startsWith("qt_")) continue;
    const QAccessibleInterface* said = QAccessible::queryAccessibleInterface(widget);
    if (said != nullptr && !said->text(QAccessible::Name).isEmpty()) continue;
    all += std::string(widget->metaObject()->className()) + " " + widget->objectName().toStdString() +
           " in " + widget->parentWidget()->metaObject()->className() + "; ";
  }
  return all;
}

TEST_F(WindowDeskTest, EverythingThatTakesTheKeyboardHasAName) {
  EXPECT_EQ(nameless(window), "") << "start page";
  window.jobs().runs().chooseNetwork("resn21");
  open("street");
  runNetwork("resn21");
  window.selection().setLayer(1);
  for (QTabWidget* tabs : {&window.bottomTabs(), &window.rightTabs()}) {
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      QApplication::processEvents();
      EXPECT_EQ(nameless(window), "") << tabs->tabText(tab).toStdString();
    }
  }
}

TEST_F(WindowDeskTest, TabReachesTheViewTheChartsAndTheLists) {
  open("street");
  std::set<std::string> reached;
  const QWidget* first = window.findChild<QTreeWidget*>("scenes");
  for (QWidget* at = first->nextInFocusChain(); at != first; at = at->nextInFocusChain()) {
    if (at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus) != 0)
      reached.insert(at->objectName().isEmpty() ? at->metaObject()->className()
                                                : at->objectName().toStdString());
  }
  EXPECT_TRUE(reached.contains("canvas"));
  EXPECT_TRUE(reached.contains("layers"));
  EXPECT_TRUE(reached.contains("grid"));
  EXPECT_TRUE(reached.contains("spira::ui::DensityChart")) << testing::PrintToString(reached);
}

std::unique_ptr<MainWindow> window_of(const QTemporaryDir& folder) {
  return std::make_unique<MainWindow>(std::make_shared<const Registry>(app::make_registry()),
                                      folder.path() + "/state", folder.path() + "/config");
}

TEST(WindowState, SizeLayoutKeysAndThemeAreThereAtTheNextStart) {
  const QTemporaryDir folder;
  {
    const auto window = window_of(folder);
    window->show();
    static_cast<void>(QTest::qWaitForWindowExposed(window.get()));
    window->resize(1200, 720);
    ASSERT_TRUE(window->commands().trigger("layout.learn"));
    window->commands().setKeys("run.run", {QKeySequence("F6")});
    ASSERT_TRUE(window->commands().trigger("theme.dark"));
    window->rightTabs().setCurrentIndex(2);
    QApplication::processEvents();
    window->close();
  }
  const auto window = window_of(folder);
  window->show();
  static_cast<void>(QTest::qWaitForWindowExposed(window.get()));
  QApplication::processEvents();
  EXPECT_EQ(window->size(), QSize(1200, 720));
  EXPECT_TRUE(window->findChild<QDockWidget*>("left")->isHidden());
  EXPECT_EQ(window->rightTabs().currentIndex(), 2);
  EXPECT_EQ(window->commands().action("run.run")->shortcut(), QKeySequence("F6"));
  EXPECT_EQ(window->theme().choice(), ThemeChoice::dark);
  window->theme().choose(ThemeChoice::system);
}

TEST(WindowState, BadFilesAreSetAsideAndSaidSo) {
  const QTemporaryDir folder;
  QDir().mkpath(folder.path() + "/config");
  QFile bad(folder.path() + "/config/settings.json");
  ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
  bad.write("{ torn");
  bad.close();
  const auto window = window_of(folder);
  window->show();
  EXPECT_TRUE(window->banner().isVisible());
  EXPECT_THAT(window->banner().text().toStdString(), HasSubstr("settings.json.bak"));
}

TEST(WindowState, RecentFilesArePinnedForgottenAndGreyWhereTheyAreGone) {
  const QTemporaryDir folder;
  const auto window = window_of(folder);
  window->show();
  window->recentFiles().add(folder.path() + "/gone.bin");
  auto* scenes = window->findChild<ScenesPanel*>();
  emit scenes->pinRequested(folder.path() + "/gone.bin", true);
  ASSERT_EQ(window->recentFiles().all().size(), 1U);
  EXPECT_TRUE(window->recentFiles().all().front().pinned);
  EXPECT_FALSE(window->commands().whyNot("file.clear_recent").isEmpty());
  auto* menu = window->findChild<QMenu*>("openRecent");
  emit menu->aboutToShow();
  EXPECT_FALSE(menu->actions().front()->isEnabled());
  EXPECT_TRUE(menu->actions().front()->text().contains("gone.bin"));
  bool said = false;
  for (auto* label : window->findChild<EmptyPage*>()->findChildren<QLabel*>())
    said = said || label->text().contains("gone.bin (missing)");
  EXPECT_TRUE(said);
  emit scenes->forgetRequested(folder.path() + "/gone.bin");
  EXPECT_TRUE(window->recentFiles().all().empty());
}

}  // namespace
}  // namespace spira::ui

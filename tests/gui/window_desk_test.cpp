// Tests undo, layouts, settings, recent files, help and diagnostics in a real window.
#include "app/common/backends.hpp"
#include "tests/gui/journeys/hands.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/help/help.hpp"
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
  [[nodiscard]] QUndoStack& undo() { return *app.history().stack(); }
  [[nodiscard]] bool voxelised() {
    return waitFor([&] { return idle() && app.sceneView().settled(); });
  }
};

TEST_F(WindowDeskTest, EveryParameterCanBeUndoneAndRedone) {
  open("street");
  EXPECT_EQ(undo().count(), 0) << "opening a scene must not be an undo step";
  const auto network = app.workspace().network();
  const Grid grid = app.workspace().requested().grid();
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  ASSERT_TRUE(app.commands().trigger("colour.cividis"));
  app.selection().look().setHiddenLabels({4});
  app.selection().look().setSlab(std::pair{-1.0, 1.0});
  app.workspace().requested().setSceneKernelSize(5);
  ASSERT_TRUE(voxelised());
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("t.down"));
  ASSERT_TRUE(app.commands().trigger("t.down"));
  app.jobs().runs().chooseNetwork("resn21");
  app.workspace().requested().setPack(PackSpec::bits64());
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(voxelised());
  app.workspace().requested().setGrid(Grid{{0.2, 0.2, 0.2}, {}});
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(voxelised());
  app.jobs().scenes().crop(Bounds{{-5, -5, -5}, {5, 5, 5}});
  ASSERT_TRUE(voxelised());
  QStringList names;
  for (int step = 0; step < undo().count(); ++step)
    names.append(undo().text(step));
  EXPECT_EQ(names.join(", ").toStdString(),
            "colouring, colour map, hidden classes, z slab, kernel size of the scene's kernel map, change of "
            "t in " +
                network->layers[1].name + ", change of t in " + network->layers[1].name +
                ", network, packing, voxel size, crop");
  EXPECT_EQ(app.commands().action("edit.undo")->text(), "Undo crop");
  while (undo().canUndo()) {
    ASSERT_TRUE(app.commands().trigger("edit.undo"));
    ASSERT_TRUE(voxelised());
  }
  EXPECT_EQ(app.workspace().network(), network);
  EXPECT_EQ(app.workspace().requested().plan().layers, default_plan(*network).layers);
  EXPECT_EQ(app.workspace().scene().voxels()->grid.voxel_m, grid.voxel_m);
  EXPECT_FALSE(app.workspace().scene().voxels()->grid.crop_m);
  EXPECT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits32());
  EXPECT_EQ(app.selection().look().colourBy(), ColourBy::height);
  EXPECT_EQ(app.selection().look().colours(), ColourLook{});
  EXPECT_TRUE(app.selection().look().hiddenLabels().empty());
  EXPECT_FALSE(app.selection().look().slab());
  EXPECT_EQ(app.workspace().requested().sceneKernelSize(), 3);
  while (undo().canRedo()) {
    ASSERT_TRUE(app.commands().trigger("edit.redo"));
    ASSERT_TRUE(voxelised());
  }
  EXPECT_EQ(app.workspace().scene().voxels()->grid.voxel_m[0], 0.2);
  EXPECT_TRUE(app.workspace().scene().voxels()->grid.crop_m);
  EXPECT_EQ(app.workspace().network()->name, "resn21");
  EXPECT_EQ(undo().count(), names.size()) << "undoing must not add an undo step";
}

TEST_F(WindowDeskTest, ADragIsOneStepAndADragBackToItsStartIsNone) {
  open("street");
  auto* on = window.findChild<QCheckBox*>("slab");
  on->setChecked(true);
  ASSERT_EQ(undo().count(), 1);
  auto* slider = window.findChild<QSlider*>("slabMiddle");
  const auto before = app.selection().look().slab();
  QTest::mousePress(slider, Qt::LeftButton, {}, {2, 2});
  for (const int value : {100, 120, 140, 180})
    slider->setValue(value);
  QTest::mouseRelease(slider, Qt::LeftButton, {}, {2, 2});
  QApplication::processEvents();
  EXPECT_EQ(undo().count(), 2);
  slider->setValue(200);
  slider->setValue(220);
  EXPECT_EQ(undo().count(), 4) << "each change without a drag must be one step";
  undo().setIndex(1);
  EXPECT_EQ(app.selection().look().slab(), before);
}

TEST_F(WindowDeskTest, ARefusedChangeIsNotAStepAndAnotherSceneClearsTheHistory) {
  open("street");
  app.workspace().requested().setPack(parse_pack_spec("6,6,6"));
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_EQ(undo().count(), 0);
  EXPECT_THAT(app.commands().unavailableReason("edit.undo").toStdString(), HasSubstr("no changes since"));
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  EXPECT_EQ(undo().count(), 1);
  open("room");
  EXPECT_EQ(undo().count(), 0);
}

TEST_F(WindowDeskTest, LayoutsAreArrangementsAndTheDefaultCanBeRestored) {
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
    ASSERT_TRUE(app.commands().trigger(id));
    EXPECT_EQ(shown(), docks) << id;
  }
  ASSERT_TRUE(app.commands().trigger("window.left"));
  EXPECT_EQ(shown(), "lr-");
  EXPECT_TRUE(app.commands().action("window.left")->isChecked());
  window.resize(1100, 700);
  ASSERT_TRUE(app.commands().trigger("layout.restore"));
  EXPECT_EQ(shown(), "lrb");
  EXPECT_EQ(window.width(), 1440);
}

TEST_F(WindowDeskTest, TheLowerTabsFitNextToTheListOfLayersInTheSmallestWindow) {
  constexpr int smallest = 1024, layers = 280;
  EXPECT_LE(window.findChild<QDockWidget*>("bottom")->widget()->minimumSizeHint().width(), smallest - layers)
      << "a wider panel would be cut off at the right";
  QTabWidget& tabs = app.docks().tabs(DockLayout::Side::bottom);
  for (int at = 0; at < tabs.count(); ++at)
    EXPECT_LE(tabs.widget(at)->minimumSizeHint().width(), smallest - layers)
        << tabs.tabText(at).toStdString();
}

TEST_F(WindowDeskTest, SettingsAreFoundApplyAtOnceAndCanBeReset) {
  SettingsDialog dialog(&app.settings(), &window);
  dialog.show();
  dialog.findChild<QLineEdit*>()->setText("motion");
  auto* motion = dialog.findChild<QCheckBox*>("look.reduced_motion");
  auto* size = dialog.findChild<QSpinBox*>("look.text_percent");
  EXPECT_TRUE(motion->isVisible());
  EXPECT_FALSE(size->isVisible());
  motion->setChecked(true);
  EXPECT_FALSE(window.isAnimated());
  EXPECT_FALSE(QApplication::isEffectEnabled(Qt::UI_FadeMenu));
  app.settings().set("look.theme", "contrast");
  EXPECT_EQ(app.theme().choice(), ThemeChoice::contrast);
  EXPECT_TRUE(app.commands().action("theme.contrast")->isChecked());
  for (auto* button : dialog.findChildren<QPushButton*>()) {
    if (button->text() == "Reset all") button->click();
  }
  EXPECT_FALSE(motion->isChecked());
  EXPECT_TRUE(window.isAnimated());
  EXPECT_EQ(app.theme().choice(), ThemeChoice::system);
}

TEST_F(WindowDeskTest, F1ShowsThePageOfTheViewWithTheFocus) {
  open("street");
  window.activateWindow();
  auto* box = child<DensityPanel>(window).findChild<QCheckBox*>();
  box->setFocus();
  ASSERT_TRUE(waitFor([&] { return QApplication::focusWidget() == box; }));
  ASSERT_TRUE(app.commands().trigger("help.open"));
  HelpWindow& help = *window.findChild<HelpWindow*>();
  EXPECT_EQ(help.heading(), "Density");
  auto* bar = help.findChild<QTextBrowser*>()->verticalScrollBar();
  EXPECT_TRUE(waitFor([&] { return bar->value() > 0; })) << "the help page must scroll to its heading";
  EXPECT_THAT(help.findChild<QTextBrowser*>()->toPlainText().toStdString(), HasSubstr("L1 norm"));
  help.showFor(app.sceneView().canvas());
  EXPECT_EQ(help.heading(), "3D view");
  help.showPlace("keys");
  for (QAction* action : app.commands().all())
    EXPECT_THAT(help.findChild<QTextBrowser*>()->toPlainText().toStdString(),
                HasSubstr(action->text().toStdString()));
  help.close();
  Hands().key(window, Qt::Key_Question);
  EXPECT_TRUE(window.findChild<HelpWindow*>()->isVisible()) << "? must also open the help";
  help.close();
}

TEST_F(WindowDeskTest, EveryHelpPageExistsAndEveryViewHasItsHeading) {
  HelpWindow help(&app.commands(), nullptr);
  for (const char* page : {"window", "keys", "exploring", "measuring", "tuning", "packing", "network-files",
                           "file-formats", "performance", "command-line"}) {
    help.showPlace(page);
    EXPECT_GT(help.findChild<QTextBrowser*>()->toPlainText().size(), 400) << page;
  }
  for (QTabWidget* tabs :
       {&app.docks().tabs(DockLayout::Side::bottom), &app.docks().tabs(DockLayout::Side::right)}) {
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
  DiagnosticsDialog dialog(child<Help>(window).diagnostics(), &window);
  const auto text = [&] { return dialog.findChild<QPlainTextEdit*>()->toPlainText().toStdString(); };
  EXPECT_THAT(text(), HasSubstr("SpiraScope: "));
  EXPECT_THAT(text(), HasSubstr("VTK"));
  EXPECT_THAT(text(), HasSubstr("voxels: 3"));
  EXPECT_THAT(text(), Not(HasSubstr("secret-scan")));
  dialog.findChild<QCheckBox*>()->setChecked(true);
  EXPECT_THAT(text(), HasSubstr("secret-scan.xyz"));
  EXPECT_THAT(text(), Not(HasSubstr(QDir::homePath().toStdString() + "/")));
}

TEST_F(WindowDeskTest, EveryMenuActionIsANamedCommandOfThePalette) {
  std::set<QAction*> commands(app.commands().all().begin(), app.commands().all().end()), seen;
  for (QAction* top : window.menuBar()->actions()) {
    for (QAction* action : top->menu()->actions()) {
      if (action->isSeparator()) continue;
      if (action->menu() == nullptr) {
        EXPECT_TRUE(commands.contains(action)) << action->text().toStdString();
        seen.insert(action);
        continue;
      }
      for (QAction* further : action->menu()->actions())  // Recent files are not commands.
        if (commands.contains(further)) seen.insert(further);
    }
  }
  for (QAction* action : commands)
    EXPECT_TRUE(seen.contains(action)) << action->objectName().toStdString() << " is in no menu";
  EXPECT_EQ(seen, commands) << "every command must be in a menu";
}

/// Returns the menu of the menu bar with this title.
QMenu* menu_of(const QMainWindow& window, const QString& title) {
  for (QAction* top : window.menuBar()->actions()) {
    if (top->text() == title) return top->menu();
  }
  return nullptr;
}

TEST_F(WindowDeskTest, MenusAreShortAndGroupedAndQuitIsLast) {
  EXPECT_EQ(menu_of(window, "&File")->actions().last(), app.commands().action("file.quit"));
  int entries_of_view = 0;
  for (const QAction* top : window.menuBar()->actions()) {
    int group = 0;
    for (const QAction* action : top->menu()->actions()) {
      if (top->text() == "&View")
        entries_of_view += !action->isSeparator() && action->menu() == nullptr ? 1 : 0;
      group = action->isSeparator() ? 0 : group + 1;
      EXPECT_LE(group, 12) << top->text().toStdString() << " needs a separator";
    }
  }
  EXPECT_LT(entries_of_view, 20);
  QStringList submenus;
  for (const QAction* action : menu_of(window, "&View")->actions()) {
    if (action->menu() != nullptr) submenus += action->text().remove('&');
  }
  EXPECT_EQ(submenus, QStringList({"Stride", "Camera", "Voxel style", "Colours", "Theme"}));
}

/// Returns the share of the icon's pixels that have a colour.
double inked(const QIcon& icon, int side) {
  const QImage picture = icon.pixmap(side).toImage();
  int inked = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x)
      inked += picture.pixelColor(x, y).alpha() > 0 ? 1 : 0;
  }
  return static_cast<double>(inked) / (picture.width() * picture.height());
}

TEST_F(WindowDeskTest, TheToolBarHasIconsInTheColourOfTheTheme) {
  for (const char* theme : {"light", "dark"}) {
    app.theme().choose(theme_choice(theme));
    for (const char* id : {"file.open", "run.run", "run.measure", "run.stop", "sweep.thresholds", "tune.open",
                           "compare.set_baseline", "lesson.list", "help.palette"}) {
      const QIcon icon = app.commands().action(id)->icon();
      for (const int side : {16, 24, 48}) {
        EXPECT_EQ(icon.pixmap(side).width(), side) << id;
        EXPECT_GT(inked(icon, side), 0.08) << id;
        EXPECT_LT(inked(icon, side), 0.7) << id;
      }
      const QImage large = icon.pixmap(48).toImage();
      QColor strongest(Qt::transparent);
      for (int at = 0; at < 48 * 48; ++at) {
        const QColor colour = large.pixelColor(at % 48, at / 48);
        if (colour.alpha() > strongest.alpha()) strongest = colour;
      }
      EXPECT_EQ(strongest.name(), app.theme().palette().text.name()) << id << " " << theme;
    }
  }
  EXPECT_FALSE(QApplication::windowIcon().isNull());
  EXPECT_GT(inked(QApplication::windowIcon(), 48), 0.5);
}

/// Opens Find, types the words and presses Enter.
void find_and_enter(Application& app, const QString& words) {
  QTimer::singleShot(0, &app, [words] {
    QWidget* palette = QApplication::activeModalWidget();
    auto* text = palette->findChild<QLineEdit*>();
    text->setText(words);
    QTest::keyClick(text, Qt::Key_Return);
  });
  ASSERT_TRUE(app.commands().trigger("help.palette"));
}

TEST_F(WindowDeskTest, FindSelectsALayer) {
  app.jobs().runs().chooseNetwork("resn21");
  const auto& layers = app.workspace().network()->layers;
  find_and_enter(app, QString::fromStdString("layer " + layers[4].name));
  EXPECT_TRUE(waitFor([&] { return app.selection().layer() == 4; }));
}

TEST_F(WindowDeskTest, FindOpensASetting) {
  find_and_enter(app, "setting minimum samples");
  QString focused;
  QTimer::singleShot(0, &app, [&] {
    auto* dialog = qobject_cast<SettingsDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    focused = dialog->focusWidget()->objectName();
    dialog->reject();
  });
  EXPECT_TRUE(waitFor([&] { return !focused.isEmpty(); }));
  EXPECT_EQ(focused, "measure.min_samples");
}

TEST_F(WindowDeskTest, FindFocusesAControlOfATab) {
  open("street");
  find_and_enter(app, "packing widths");
  EXPECT_TRUE(QTest::qWaitFor([&] {
    return window.focusWidget() != nullptr && window.focusWidget()->accessibleName() == "Packing widths";
  }));
}

TEST_F(WindowDeskTest, AFocusRingIsAlsoDrawnOnTheView) {
  open("street");
  window.activateWindow();
  auto* ring = window.findChild<QWidget*>("focusRing");
  auto* tree = window.findChild<QTreeWidget*>("scenes");
  // The activation is repeated, because the window of another test can become active in between.
  ASSERT_TRUE(waitFor([&] {
    window.activateWindow();
    tree->setFocus();
    return QApplication::focusWidget() == tree;
  }));
  QTest::keyClick(tree, Qt::Key_Tab);
  ASSERT_TRUE(waitFor([&] { return ring->isVisible(); }));
  app.sceneView().canvas()->setFocus();
  EXPECT_EQ(ring->size(), app.sceneView().canvas()->size());
  QTest::mouseClick(app.sceneView().canvas(), Qt::LeftButton, {}, {5, 5});
  EXPECT_FALSE(ring->isVisible());
}

/// Lists visible widgets that the Tab key reaches but that have no name for a screen reader. Widgets inside a
/// field use the name of this field.
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

TEST_F(WindowDeskTest, EveryFocusableWidgetHasAName) {
  EXPECT_EQ(nameless(window), "") << "every focusable widget of the start page must have a name";
  app.jobs().runs().chooseNetwork("resn21");
  open("street");
  runNetwork("resn21");
  app.selection().setLayer(1);
  for (QTabWidget* tabs :
       {&app.docks().tabs(DockLayout::Side::bottom), &app.docks().tabs(DockLayout::Side::right)}) {
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

std::unique_ptr<Application> window_of(const QTemporaryDir& folder) {
  return std::make_unique<Application>(std::make_shared<const Registry>(app::make_registry()),
                                       folder.path() + "/state", folder.path() + "/config");
}

TEST(WindowState, SizeLayoutKeysAndThemeAreRestoredAtTheNextStart) {
  const QTemporaryDir folder;
  {
    const auto app = window_of(folder);
    app->window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&app->window()));
    app->window().resize(1200, 720);
    ASSERT_TRUE(app->commands().trigger("layout.learn"));
    app->commands().setKeys("run.run", {QKeySequence("F6")});
    ASSERT_TRUE(app->commands().trigger("theme.dark"));
    app->docks().tabs(DockLayout::Side::right).setCurrentIndex(2);
    QApplication::processEvents();
    app->window().close();
  }
  const auto app = window_of(folder);
  app->window().show();
  static_cast<void>(QTest::qWaitForWindowExposed(&app->window()));
  QApplication::processEvents();
  EXPECT_EQ(app->window().size(), QSize(1200, 720));
  EXPECT_TRUE(app->window().findChild<QDockWidget*>("left")->isHidden());
  EXPECT_EQ(app->docks().tabs(DockLayout::Side::right).currentIndex(), 2);
  EXPECT_EQ(app->commands().action("run.run")->shortcut(), QKeySequence("F6"));
  EXPECT_EQ(app->theme().choice(), ThemeChoice::dark);
  app->theme().choose(ThemeChoice::system);
}

TEST(WindowState, InvalidFilesAreSetAsideAndReported) {
  const QTemporaryDir folder;
  QDir().mkpath(folder.path() + "/config");
  QFile bad(folder.path() + "/config/settings.json");
  ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
  bad.write("{ torn");
  bad.close();
  const auto app = window_of(folder);
  app->window().show();
  EXPECT_TRUE(banner_of(app->window()).isVisible());
  EXPECT_THAT(banner_of(app->window()).text().toStdString(), HasSubstr("settings.json.bak"));
}

TEST(WindowState, RecentFilesArePinnedForgottenAndDisabledIfMissing) {
  const QTemporaryDir folder;
  const auto app = window_of(folder);
  app->window().show();
  app->recentFiles().add(folder.path() + "/gone.bin");
  auto* scenes = app->window().findChild<ScenesPanel*>();
  emit scenes->pinRequested(folder.path() + "/gone.bin", true);
  ASSERT_EQ(app->recentFiles().all().size(), 1U);
  EXPECT_TRUE(app->recentFiles().all().front().pinned);
  EXPECT_FALSE(app->commands().unavailableReason("file.clear_recent").isEmpty());
  auto* menu = app->window().findChild<QMenu*>("openRecent");
  emit menu->aboutToShow();
  EXPECT_FALSE(menu->actions().front()->isEnabled());
  EXPECT_TRUE(menu->actions().front()->text().contains("gone.bin"));
  bool said = false;
  for (auto* label : app->window().findChild<EmptyPage*>()->findChildren<QLabel*>())
    said = said || label->text().contains("gone.bin (missing)");
  EXPECT_TRUE(said);
  app->recentFiles().add("/data/seq-01/gone.bin");
  emit menu->aboutToShow();
  EXPECT_EQ(menu->actions().at(1)->text(), "seq-01/gone.bin") << "two files have this name";
  app->recentFiles().remove("/data/seq-01/gone.bin");
  emit scenes->forgetRequested(folder.path() + "/gone.bin");
  EXPECT_TRUE(app->recentFiles().all().empty());
}

}  // namespace
}  // namespace spira::ui

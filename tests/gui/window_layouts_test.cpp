// Tests named layouts: the user can save, apply, rename and delete them, and they are kept after a restart.
#include "ui/features/layout/window_layouts.hpp"

#include "app/common/backends.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/help/command_palette.hpp"

#include <QDockWidget>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>

namespace spira::ui {
namespace {

class LayoutsTest : public testing::Test {
 protected:
  LayoutsTest() : app(std::make_unique<Application>(registry(), state.path())) { show(*app); }
  static std::shared_ptr<const Registry> registry() {
    return std::make_shared<const Registry>(app::make_registry());
  }
  static void show(Application& shown) {
    shown.window().resize(1440, 900);
    shown.window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&shown.window()));
    QCoreApplication::processEvents();
  }
  [[nodiscard]] QDockWidget* dock(const char* name) const {
    return app->window().findChild<QDockWidget*>(name);
  }
  [[nodiscard]] LayoutMenu& layouts() const { return child<LayoutMenu>(app->window()); }

  QTemporaryDir state;
  std::unique_ptr<Application> app;
};

TEST_F(LayoutsTest, ALayoutIsRestoredAsSavedAlsoAtTheNextStart) {
  EXPECT_FALSE(app->commands().unavailableReason("layout.manage").isEmpty());
  ASSERT_TRUE(app->commands().trigger("layout.profile"));
  ASSERT_TRUE(app->commands().trigger("window.left"));
  app->window().resizeDocks({dock("bottom")}, {400}, Qt::Vertical);
  app->docks().tabs(DockLayout::Side::bottom).setCurrentIndex(2);
  app->docks().tabs(DockLayout::Side::right).setCurrentIndex(1);
  QCoreApplication::processEvents();
  const int height = dock("bottom")->height();
  layouts().saveAs("Wide & low");
  ASSERT_TRUE(app->commands().trigger("layout.explore"));
  app->docks().tabs(DockLayout::Side::bottom).setCurrentIndex(0);
  EXPECT_TRUE(dock("bottom")->isHidden());
  ASSERT_EQ(layouts().menu()->actions().size(), 1);
  layouts().menu()->actions().front()->trigger();
  EXPECT_TRUE(dock("left")->isHidden());
  EXPECT_FALSE(dock("bottom")->isHidden());
  EXPECT_NEAR(dock("bottom")->height(), height, 2);
  EXPECT_EQ(app->docks().tabs(DockLayout::Side::bottom).currentIndex(), 2);
  EXPECT_EQ(app->docks().tabs(DockLayout::Side::right).currentIndex(), 1);
  EXPECT_EQ(app->sessions().state().layout, "profile");
  app = std::make_unique<Application>(registry(), state.path());
  ASSERT_EQ(layouts().layouts().all().size(), 1U);
  EXPECT_EQ(layouts().layouts().all().front().name, "Wide & low");
}

TEST_F(LayoutsTest, NamesAreChangedAndDeletedInTheListAndBuiltInNamesAreRefused) {
  EXPECT_FALSE(NamedLayouts::nameFault("Explore").isEmpty());
  EXPECT_FALSE(NamedLayouts::nameFault("  ").isEmpty());
  EXPECT_TRUE(NamedLayouts::nameFault("explore 2").isEmpty());
  layouts().saveAs("b");
  layouts().saveAs("a");
  LayoutsDialog dialog(&layouts(), &app->window());
  auto* list = dialog.findChild<QListWidget*>("layouts");
  ASSERT_EQ(list->count(), 2);
  EXPECT_EQ(list->item(0)->text(), "a");
  list->setCurrentRow(0);
  list->item(0)->setText("b");
  QCoreApplication::processEvents();
  EXPECT_EQ(list->item(0)->text(), "a") << "a name that another layout has must be refused";
  list->item(0)->setText("c");
  QCoreApplication::processEvents();
  EXPECT_NE(layouts().layouts().find("c"), nullptr);
  EXPECT_EQ(layouts().layouts().find("a"), nullptr);
  list->setCurrentRow(0);
  dialog.findChild<QPushButton*>("delete")->click();
  ASSERT_EQ(layouts().layouts().all().size(), 1U);
  EXPECT_EQ(layouts().layouts().all().front().name, "c");
}

TEST_F(LayoutsTest, ThePaletteAppliesLayouts) {
  layouts().saveAs("narrow");
  ASSERT_TRUE(app->commands().trigger("layout.explore"));
  const auto choose = [] {
    auto* palette = qobject_cast<CommandPalette*>(QApplication::activeModalWidget());
    auto* list = palette->findChild<QListWidget*>();
    const auto found = list->findItems("Layout: narrow", Qt::MatchExactly);
    if (found.size() != 1) return palette->reject();
    list->setCurrentItem(found.front());
    emit list->itemActivated(found.front());
  };
  QTimer::singleShot(0, &app->window(), choose);
  ASSERT_TRUE(app->commands().trigger("help.palette"));
  QTRY_VERIFY(!dock("bottom")->isHidden());
}

TEST_F(LayoutsTest, AnInvalidFileIsSetAsideAndAForeignStateKeepsTheWindowUsable) {
  layouts().saveAs("mine");
  NamedLayouts other(state.path());
  other.save({"foreign", "compare", "nothing that docks know", 99, -3});
  app = std::make_unique<Application>(registry(), state.path());
  show(*app);
  layouts().apply("foreign");
  EXPECT_EQ(app->sessions().state().layout, "compare");
  EXPECT_FALSE(dock("bottom")->isHidden());
  QFile file(state.filePath("layouts.json"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("{ torn");
  file.close();
  EXPECT_TRUE(NamedLayouts(state.path()).all().empty());
  EXPECT_TRUE(QFile::exists(state.filePath("layouts.json.bak")));
}

}  // namespace
}  // namespace spira::ui

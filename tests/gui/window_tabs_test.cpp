// Tests the Tab key, and the commands that move the focus to each view.
#include "tests/gui/window_fixture.hpp"

#include <QTabWidget>
#include <QTableView>

namespace spira::ui {
namespace {

class WindowTabsTest : public WindowTest {};

TEST_F(WindowTabsTest, TabMovesThroughTheListOfLayersAndSelectsNone) {
  open("street");
  app.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  auto* layers = window.findChild<QTableView*>("layers");
  layers->setFocus(Qt::TabFocusReason);
  ASSERT_EQ(window.focusWidget(), layers);
  EXPECT_EQ(app.selection().layer(), -1) << "the focus alone must not select a layer";
  QTest::keyClick(layers, Qt::Key_Down);
  EXPECT_GE(app.selection().layer(), 0) << "an arrow key must select a layer";
  const int chosen = app.selection().layer();
  QTest::keyClick(layers, Qt::Key_Tab);
  EXPECT_NE(window.focusWidget(), layers);
  EXPECT_EQ(app.selection().layer(), chosen);
}

TEST_F(WindowTabsTest, EachViewHasACommandThatFocusesIt) {
  open("street");
  for (QTabWidget* tabs :
       {&app.docks().tabs(DockLayout::Side::right), &app.docks().tabs(DockLayout::Side::bottom)}) {
    for (int at = 0; at < tabs->count(); ++at) {
      QString name = tabs->tabText(at).toLower();
      if (name == "kernel map") name = "map";
      tabs->setCurrentIndex((at + 1) % tabs->count());
      ASSERT_TRUE(app.commands().trigger("window.show_" + name)) << name.toStdString();
      EXPECT_EQ(tabs->currentIndex(), at) << name.toStdString();
    }
  }
}

}  // namespace
}  // namespace spira::ui

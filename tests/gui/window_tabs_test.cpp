// Tests Tab and the commands that move the focus to each view.
#include "tests/gui/window_fixture.hpp"

#include <QTabWidget>
#include <QTableView>

namespace spira::ui {
namespace {

class WindowTabsTest : public WindowTest {};

TEST_F(WindowTabsTest, TabGoesThroughTheListOfLayersAndChoosesNone) {
  open("street");
  window.jobs().runs().chooseNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  auto* layers = window.findChild<QTableView*>("layers");
  layers->setFocus(Qt::TabFocusReason);
  ASSERT_EQ(window.focusWidget(), layers);
  EXPECT_EQ(window.selection().layer(), -1) << "the focus alone chooses nothing";
  QTest::keyClick(layers, Qt::Key_Down);
  EXPECT_GE(window.selection().layer(), 0) << "an arrow does";
  const int chosen = window.selection().layer();
  QTest::keyClick(layers, Qt::Key_Tab);
  EXPECT_NE(window.focusWidget(), layers);
  EXPECT_EQ(window.selection().layer(), chosen);
}

TEST_F(WindowTabsTest, EachViewHasACommandThatGoesThere) {
  open("street");
  for (QTabWidget* tabs : {&window.rightTabs(), &window.bottomTabs()}) {
    for (int at = 0; at < tabs->count(); ++at) {
      QString name = tabs->tabText(at).toLower();
      if (name == "kernel map") name = "map";
      tabs->setCurrentIndex((at + 1) % tabs->count());
      ASSERT_TRUE(window.commands().trigger("window.show_" + name)) << name.toStdString();
      EXPECT_EQ(tabs->currentIndex(), at) << name.toStdString();
    }
  }
}

}  // namespace
}  // namespace spira::ui

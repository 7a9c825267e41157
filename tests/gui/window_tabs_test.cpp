// Tests the Tab key, and the commands that move the focus to each view.
#include "tests/gui/window_fixture.hpp"

#include <QTabWidget>
#include <QTableView>

#include <gmock/gmock.h>

#include <algorithm>

namespace spira::ui {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSubsetOf;
using testing::IsSupersetOf;
using testing::Not;

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

class ResultTabs : public WindowTabsTest {
 protected:
  /// Returns the names of the visible tabs at the bottom.
  [[nodiscard]] std::vector<std::string> visible() {
    const QTabWidget& tabs = app.docks().tabs(DockLayout::Side::bottom);
    std::vector<std::string> names;
    for (int at = 0; at < tabs.count(); ++at) {
      if (tabs.isTabVisible(at)) names.push_back(tabs.tabText(at).toStdString());
    }
    return names;
  }
};

TEST_F(ResultTabs, AppearWhenTheyHaveContent) {
  EXPECT_THAT(visible(), ElementsAre("Summary", "Graph", "Log"));
  open("street");
  EXPECT_THAT(visible(), ElementsAre("Summary", "Graph", "Log", "Kernel map"));
  runNetwork("resn21");
  EXPECT_THAT(visible(), IsSupersetOf({"Summary", "Breakdown", "Kernel map", "Log"}));
  EXPECT_THAT(visible(), Not(Contains("Sweeps")));
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("sweep.thresholds"));
  EXPECT_THAT(visible(), Contains("Sweeps"));
  EXPECT_TRUE(app.docks().shows("sweeps"));
  app.jobs().lane().cancel();
}

TEST_F(ResultTabs, StayAndKeepTheirPlacesWhenOthersAppearAndAnotherSceneIsOpened) {
  open("street");
  const auto opened = visible();
  runNetwork("resn21");
  const auto run = visible();
  ASSERT_GT(run.size(), opened.size());
  EXPECT_TRUE(std::equal(opened.begin(), opened.end(), run.begin())) << "new tabs are to the right";
  ASSERT_TRUE(app.commands().trigger("window.show_tune"));
  ASSERT_TRUE(app.commands().trigger("window.show_summary"));
  const auto before = visible();
  EXPECT_THAT(before, Contains("Tune")) << "a command opened this tab";
  EXPECT_THAT(run, IsSubsetOf(before));
  open("room");
  EXPECT_EQ(visible(), before) << "a tab without content must keep its place";
}

TEST_F(ResultTabs, ARunShowsTheTabWithItsAnswer) {
  open("street");
  ASSERT_TRUE(app.commands().trigger("window.show_log"));
  runNetwork("resn21");
  EXPECT_TRUE(app.docks().shows("summary"));
  ASSERT_TRUE(app.commands().trigger("window.show_breakdown"));
  runNetwork("resn21");
  EXPECT_TRUE(app.docks().shows("breakdown")) << "this tab shows the new run, too";
}

}  // namespace
}  // namespace spira::ui

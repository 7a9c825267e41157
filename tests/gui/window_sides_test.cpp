// Tests the side panels of the window: their width in each layout, and the buttons of a narrow window.
#include "app/common/backends.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QDockWidget>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>

namespace spira::ui {
namespace {

class SidesTest : public WindowTest {
 protected:
  [[nodiscard]] QDockWidget* dock(const char* name) const { return window.findChild<QDockWidget*>(name); }
  [[nodiscard]] LeftSide& left() const { return *window.findChild<LeftSide*>(); }
  [[nodiscard]] QToolButton* button(const char* name) const { return window.findChild<QToolButton*>(name); }
  void resize(int width, int height) {
    window.resize(width, height);
    ASSERT_TRUE(waitFor([&] { return window.size() == QSize(width, height); }));
    QApplication::processEvents();
  }
};

TEST_F(SidesTest, ANarrowWindowShowsTheLayersWithTheirNamesAndTimes) {
  EXPECT_FALSE(button("rail_scenes")->isVisible());
  open("room");
  runNetwork("resn21");
  resize(1024, 640);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  QApplication::processEvents();
  const auto& table = child<QTableView>(*window.findChild<NetworkPanel*>());
  ASSERT_TRUE(table.isVisible());
  EXPECT_FALSE(window.findChild<ScenesPanel*>()->isVisible()) << "only one part fits";
  for (const int column : {LayerTableModel::name, LayerTableModel::time}) {
    ASSERT_FALSE(table.isColumnHidden(column)) << column;
    const QRect cell = table.visualRect(table.model()->index(0, column));
    EXPECT_TRUE(table.viewport()->rect().contains(cell)) << column;
  }
  EXPECT_FALSE(table.horizontalScrollBar()->isVisible());
  EXPECT_GE(app.sceneView().width(), 400);
  resize(1440, 900);
  EXPECT_FALSE(button("rail_scenes")->isVisible());
  EXPECT_TRUE(window.findChild<ScenesPanel*>()->isVisible() &&
              window.findChild<NetworkPanel*>()->isVisible());
  EXPECT_TRUE(QTest::qWaitFor([&] { return dock("left")->width() >= 280; }, 2000)) << dock("left")->width();
}

TEST_F(SidesTest, TheButtonsOfANarrowWindowHaveNames) {
  resize(1024, 640);
  for (const char* name : {"rail_scenes", "rail_network"}) {
    const QToolButton& one = *button(name);
    ASSERT_TRUE(one.isVisible());
    EXPECT_EQ(one.toolButtonStyle(), Qt::ToolButtonTextUnderIcon);
    EXPECT_GE(one.width(), one.sizeHint().width()) << name;
    EXPECT_FALSE(one.text().isEmpty());
    EXPECT_FALSE(one.accessibleName().isEmpty());
    EXPECT_FALSE(one.toolTip().isEmpty());
    EXPECT_NE(one.focusPolicy() & Qt::TabFocus, 0);
  }
}

TEST_F(SidesTest, ANarrowWindowShowsThePackingBeforeTheFirstRunAndThenTheLayers) {
  resize(1024, 640);
  open("room");
  const auto& meter = child<FitMeter>(window);
  EXPECT_TRUE(QTest::qWaitFor([&] { return meter.isVisible(); }, 2000));
  EXPECT_TRUE(window.rect().contains(QRect(meter.mapTo(&window, QPoint()), meter.size())));
  EXPECT_TRUE(button("rail_scenes")->text().contains("packing"));
  EXPECT_GE(button("rail_scenes")->width(), button("rail_scenes")->sizeHint().width());
  runNetwork("resn21");
  EXPECT_TRUE(QTest::qWaitFor([&] { return window.findChild<NetworkPanel*>()->isVisible(); }, 2000));
  EXPECT_FALSE(meter.isVisible());
  QTest::mouseClick(button("rail_scenes"), Qt::LeftButton);
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(meter.isVisible()) << "a part that the user opened must stay open";
}

TEST_F(SidesTest, TheStridesOfANarrowWindowHaveALabel) {
  resize(1024, 640);
  open("room");
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  QApplication::processEvents();
  const auto labels = child<ViewTopBar>(window).findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text() == "Stride" && label->isVisible() && label->width() >= label->sizeHint().width();
  }));
  EXPECT_TRUE(button("modeMenu")->isVisible());
}

TEST_F(SidesTest, AButtonOpensAndFoldsItsPart) {
  resize(1024, 640);
  EXPECT_TRUE(left().folded()) << "the start page needs the width";
  open("room");
  const auto* scenes = window.findChild<ScenesPanel*>();
  const auto* network = window.findChild<NetworkPanel*>();
  EXPECT_TRUE(scenes->isVisible() && !network->isVisible()) << "nothing has run, so the packing is shown";
  const int view_width = app.sceneView().parentWidget()->width();
  QTest::mouseClick(button("rail_network"), Qt::LeftButton);
  QTest::mouseClick(button("rail_scenes"), Qt::LeftButton);
  QApplication::processEvents();
  EXPECT_TRUE(scenes->isVisible() && !network->isVisible()) << "only one part must be open";
  EXPECT_GE(dock("left")->width(), 240);
  EXPECT_TRUE(app.commands().action("window.left")->isChecked());
  EXPECT_TRUE(scenes->isAncestorOf(window.focusWidget())) << "the opened part must have the focus";
  button("rail_network")->setFocus();
  QTest::keyClick(button("rail_network"), Qt::Key_Space);
  QApplication::processEvents();
  EXPECT_TRUE(network->isVisible() && !scenes->isVisible());
  QTest::mouseClick(button("rail_network"), Qt::LeftButton);
  QApplication::processEvents();
  EXPECT_TRUE(left().folded());
  EXPECT_FALSE(app.commands().action("window.left")->isChecked());
  EXPECT_EQ(dock("left")->width(), button("rail_network")->width());
  EXPECT_GE(app.sceneView().parentWidget()->width(), view_width + 150)
      << "the view must gain the width of the folded part";
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  QApplication::processEvents();
  EXPECT_TRUE(left().folded()) << "a part that the user closed must stay closed";
  ASSERT_TRUE(app.commands().trigger("window.left"));
  EXPECT_TRUE(network->isVisible()) << "the command must open the last part";
  ASSERT_TRUE(app.commands().trigger("window.show_scenes"));
  EXPECT_TRUE(scenes->isVisible());
  ASSERT_TRUE(app.commands().trigger("window.left"));
  EXPECT_TRUE(left().folded() && !dock("left")->isHidden());
}

/// Closes a narrow window after `command` and starts it again. Returns the side panels that are then visible:
/// "scenes", "network" or "".
QString part_after_next_start(const char* command) {
  const QTemporaryDir state;
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    Application app(registry, state.path());
    app.window().resize(1024, 640);
    app.window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&app.window()));
    EXPECT_TRUE(app.commands().trigger("window.show_network"));
    EXPECT_TRUE(app.commands().trigger(command));
    app.window().close();
  }
  Application next(registry, state.path());
  next.window().show();
  static_cast<void>(QTest::qWaitForWindowExposed(&next.window()));
  QApplication::processEvents();
  EXPECT_EQ(next.window().width(), 1024);
  return QString(next.window().findChild<ScenesPanel*>()->isVisible() ? "scenes" : "") +
         (next.window().findChild<NetworkPanel*>()->isVisible() ? "network" : "");
}

TEST(SidesStateTest, TheOpenPartOfANarrowWindowIsOpenAtTheNextStart) {
  EXPECT_EQ(part_after_next_start("window.show_scenes"), "scenes");
  EXPECT_EQ(part_after_next_start("window.show_network"), "network");
  EXPECT_EQ(part_after_next_start("window.left"), "") << "the user closed the open part";
}

}  // namespace
}  // namespace spira::ui

// Tests the side panels of the window: their width in each layout, and the icon bar of a narrow window.
#include "app/common/backends.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"

#include <QDockWidget>
#include <QTemporaryDir>
#include <QToolButton>

namespace spira::ui {
namespace {

class SidesTest : public WindowTest {
 protected:
  [[nodiscard]] QDockWidget* dock(const char* name) const { return window.findChild<QDockWidget*>(name); }
  [[nodiscard]] LeftSide& left() const { return *window.findChild<LeftSide*>(); }
  [[nodiscard]] QToolButton* icon(const char* name) const { return window.findChild<QToolButton*>(name); }
  void resize(int width, int height) {
    window.resize(width, height);
    ASSERT_TRUE(waitFor([&] { return window.size() == QSize(width, height); }));
    QApplication::processEvents();
  }
};

TEST_F(SidesTest, ANarrowWindowFoldsTheLeftSideToIcons) {
  EXPECT_FALSE(icon("rail_scenes")->isVisible());
  const int room = [&] {
    resize(1200, 640);
    return app.sceneView().width() - 176;  // width that would remain in a window of 1024 pixels
  }();
  resize(1024, 640);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  QApplication::processEvents();
  EXPECT_TRUE(left().folded());
  EXPECT_TRUE(icon("rail_scenes")->isVisible() && icon("rail_network")->isVisible());
  EXPECT_FALSE(app.commands().action("window.left")->isChecked());
  EXPECT_EQ(dock("left")->width(), 44);
  EXPECT_GE(app.sceneView().width(), room + 150) << "the view must gain the width of the folded panel";
  for (const char* name : {"rail_scenes", "rail_network"}) {
    EXPECT_FALSE(icon(name)->accessibleName().isEmpty());
    EXPECT_FALSE(icon(name)->toolTip().isEmpty());
    EXPECT_NE(icon(name)->focusPolicy() & Qt::TabFocus, 0);
  }
  resize(1440, 900);
  EXPECT_FALSE(icon("rail_scenes")->isVisible());
  EXPECT_TRUE(window.findChild<ScenesPanel*>()->isVisible() &&
              window.findChild<NetworkPanel*>()->isVisible());
  EXPECT_TRUE(QTest::qWaitFor([&] { return dock("left")->width() >= 280; }, 2000)) << dock("left")->width();
}

TEST_F(SidesTest, AnIconOpensAndFoldsItsPanel) {
  resize(1024, 640);
  const auto* scenes = window.findChild<ScenesPanel*>();
  const auto* network = window.findChild<NetworkPanel*>();
  QTest::mouseClick(icon("rail_scenes"), Qt::LeftButton);
  QApplication::processEvents();
  EXPECT_TRUE(scenes->isVisible() && !network->isVisible());
  EXPECT_GE(dock("left")->width(), 240);
  EXPECT_TRUE(app.commands().action("window.left")->isChecked());
  EXPECT_TRUE(scenes->isAncestorOf(window.focusWidget())) << "the opened panel must have the focus";
  icon("rail_network")->setFocus();
  QTest::keyClick(icon("rail_network"), Qt::Key_Space);
  QApplication::processEvents();
  EXPECT_TRUE(network->isVisible() && !scenes->isVisible()) << "only one panel must be open";
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  EXPECT_FALSE(left().folded()) << "a panel that the user opened must stay open";
  QTest::mouseClick(icon("rail_network"), Qt::LeftButton);
  QApplication::processEvents();
  EXPECT_TRUE(left().folded());
  EXPECT_EQ(dock("left")->width(), 44);
  ASSERT_TRUE(app.commands().trigger("window.left"));
  EXPECT_TRUE(network->isVisible()) << "the command must open the last panel";
  ASSERT_TRUE(app.commands().trigger("window.show_scenes"));
  EXPECT_TRUE(scenes->isVisible());
  ASSERT_TRUE(app.commands().trigger("window.left"));
  EXPECT_TRUE(left().folded() && !dock("left")->isHidden());
}

TEST(SidesStateTest, APanelOpenInANarrowWindowIsOpenAtTheNextStart) {
  QTemporaryDir state;
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    Application app(registry, state.path());
    MainWindow& window = app.window();
    window.resize(1024, 640);
    window.show();
    static_cast<void>(QTest::qWaitForWindowExposed(&window));
    ASSERT_TRUE(app.commands().trigger("window.show_network"));
    window.close();
  }
  Application next(registry, state.path());
  next.window().show();
  static_cast<void>(QTest::qWaitForWindowExposed(&next.window()));
  QApplication::processEvents();
  EXPECT_EQ(next.window().width(), 1024);
  EXPECT_TRUE(next.window().findChild<NetworkPanel*>()->isVisible());
  EXPECT_FALSE(next.window().findChild<ScenesPanel*>()->isVisible());
}

}  // namespace
}  // namespace spira::ui

// Tests the parts of the 3D view. The user can hide a part in the tree, show one part alone, undo this, and
// save it in a session. Also tests how hidden voxels look.
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QFrame>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>

namespace spira::ui {
namespace {

class PartsTest : public WindowTest {
 protected:
  [[nodiscard]] ViewParts& parts() { return app.viewParts(); }
  [[nodiscard]] QTreeWidget* tree() { return window.findChild<QTreeWidget*>("scenes"); }
  [[nodiscard]] QTreeWidgetItem* row(const QString& text) {
    const auto found = tree()->findItems(text, Qt::MatchStartsWith | Qt::MatchRecursive);
    return found.empty() ? nullptr : found.front();
  }
  void clickEye(QTreeWidgetItem* item, Qt::KeyboardModifiers keys = Qt::NoModifier) {
    tree()->scrollToItem(item);
    const QRect eye = tree()->visualRect(tree()->indexFromItem(item, 1));
    QTest::mouseClick(tree()->viewport(), Qt::LeftButton, keys, eye.center());
  }
  [[nodiscard]] QString told(QTreeWidgetItem* item) {
    return item->data(0, Qt::AccessibleTextRole).toString();
  }
  /// Returns the share of the picture that is not background.
  [[nodiscard]] double drawn() {
    const QImage image = app.sceneView().grab3d();
    int other = 0;
    for (int y = 0; y < image.height(); ++y) {
      const QColor back = image.pixelColor(2, y);  // The background is a vertical gradient.
      for (int x = 0; x < image.width(); ++x) {
        const QColor here = image.pixelColor(x, y);
        const int far = std::abs(here.red() - back.red()) + std::abs(here.green() - back.green()) +
                        std::abs(here.blue() - back.blue());
        if (far > 12) ++other;
      }
    }
    return static_cast<double>(other) / (image.width() * image.height());
  }
  [[nodiscard]] QToolButton* chip(const QString& text) {
    for (auto* button : app.sceneView().findChildren<QToolButton*>("chip")) {
      if (button->isVisible() && button->text().startsWith(text)) return button;
    }
    return nullptr;
  }
};

TEST_F(PartsTest, LevelsOfTheNetworkAreShownAndLeaveWithIt) {
  open("room");
  auto* menu = app.sceneView().findChild<QToolButton*>("levelMenu");
  ASSERT_NE(menu, nullptr);
  EXPECT_FALSE(menu->isVisible());
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::reached_network()));
  const int second = first_numbered_level + 1;
  ASSERT_TRUE(waitFor([&] {
    return idle() && app.sceneView().settled() && has_level(*app.workspace().scene().voxels(), second);
  }));
  ASSERT_TRUE(menu->isVisible());
  ASSERT_EQ(menu->menu()->actions().size(), 2);
  EXPECT_TRUE(menu->menu()->actions().at(1)->text().startsWith("Stride 2 (reached #2): "));
  menu->menu()->actions().at(1)->trigger();
  EXPECT_EQ(app.selection().stride(), second);
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(menu->text(), "2 (reached #2)");
  EXPECT_GT(drawn(), 0.02) << "the view must draw the level";
  EXPECT_TRUE(app.sceneView().pictureText().startsWith("stride 2 (reached #2); "));
  EXPECT_EQ(app.workspace().scene().map(second).title, "scene, 3x3x3, stride 2 (reached #2)");
  const CoordSet& level = app.workspace().scene().voxels()->level(second);
  app.selection().setVoxel(ChosenVoxel{voxel_at(level, size_of(level) / 2), second});
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  ASSERT_TRUE(app.selection().voxel());
  EXPECT_EQ(app.sessions().state().stride, 1) << "a session file has strides of the floor rule only";
  EXPECT_FALSE(app.sessions().state().voxel);
  EXPECT_EQ(floor_stride(app.selection()), 1);
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(waitFor([&] {
    return idle() && app.sceneView().settled() && !has_level(*app.workspace().scene().voxels(), second);
  }));
  EXPECT_FALSE(menu->isVisible());
  EXPECT_EQ(app.selection().stride(), 1);
}

TEST_F(PartsTest, AnEyeIconHidesTheVoxelsAndTheViewReportsIt) {
  open("street");
  ASSERT_NE(row("Voxels"), nullptr);
  auto* notice = window.findChild<QFrame*>("hiddenNotice");
  const double before = drawn();
  EXPECT_GT(before, 0.02);
  EXPECT_EQ(told(row("Voxels")), row("Voxels")->text(0) + " (shown)");
  EXPECT_FALSE(notice->isVisible());
  clickEye(row("Voxels"));
  EXPECT_FALSE(parts().shows(ViewPart::voxels));
  EXPECT_EQ(told(row("Voxels")), row("Voxels")->text(0) + " (hidden)")
      << "the row must show the hidden state by more than its colour";
  EXPECT_LT(drawn(), before / 20);
  ASSERT_TRUE(notice->isVisible());
  EXPECT_EQ(app.sceneView().hiddenText(), "Voxels are hidden");
  auto* canvas = app.sceneView().canvas();
  move_mouse(*canvas, canvas->rect().center() + QPoint(0, 60));
  EXPECT_FALSE(app.selection().hover().voxel) << "hidden voxels must not be highlighted";
  QTest::mouseClick(window.findChild<QPushButton*>("showHidden"), Qt::LeftButton);
  EXPECT_TRUE(parts().shows(ViewPart::voxels));
  EXPECT_FALSE(notice->isVisible());
  EXPECT_NEAR(drawn(), before, 0.01);
}

TEST_F(PartsTest, AltClickShowsAPartAloneAndTheSecondRestoresTheOthers) {
  open("street");
  clickEye(row("Axes"));
  const PartsShown before = parts().shown();
  clickEye(row("Ground grid"), Qt::AltModifier);
  for (const ViewPart part : view_parts)
    EXPECT_EQ(parts().shows(part), part == ViewPart::grid) << text_of(part).toStdString();
  ASSERT_NE(chip("only: Ground grid"), nullptr);
  EXPECT_TRUE(window.findChild<QFrame*>("hiddenNotice")->isVisible());
  clickEye(row("Ground grid"), Qt::AltModifier);
  EXPECT_EQ(parts().shown(), before);
  clickEye(row("Ground grid"), Qt::AltModifier);
  QTest::mouseClick(chip("only: Ground grid"), Qt::LeftButton);
  EXPECT_EQ(parts().shown(), before);
  EXPECT_FALSE(parts().shows(ViewPart::axes));
}

TEST_F(PartsTest, KeysAndTheMenuActOnTheSelectedRowAndCanBeUndone) {
  open("street");
  // The bare X server of the tests has no window manager that would activate the window.
  QApplication::setActiveWindow(&window);
  EXPECT_FALSE(app.commands().unavailableReason("view.part").isEmpty())
      << "the command must be unavailable if no row with an eye icon is selected";
  tree()->setFocus();
  tree()->setCurrentItem(row("Axes"));
  ASSERT_TRUE(waitFor([&] { return app.commands().action("view.part")->isEnabled(); }));
  QTest::keyClick(tree(), Qt::Key_H, Qt::ShiftModifier);
  EXPECT_FALSE(parts().shows(ViewPart::axes));
  EXPECT_FALSE(app.commands().action("view.axes")->isChecked()) << "the View menu must show the same state";
  EXPECT_EQ(app.history().stack()->undoText(), "visible parts");
  QTest::keyClick(tree(), Qt::Key_H, Qt::ShiftModifier | Qt::ControlModifier);
  EXPECT_EQ(parts().shown().alone, ViewPart::axes);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_FALSE(parts().shown().alone);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(parts().shown(), PartsShown());
  ASSERT_TRUE(app.commands().trigger("edit.redo"));
  EXPECT_FALSE(parts().shows(ViewPart::axes));
  emit tree()->customContextMenuRequested(tree()->visualItemRect(row("Axes")).center());
  auto* menu = window.findChild<QMenu*>("partMenu");
  ASSERT_NE(menu, nullptr);
  EXPECT_EQ(menu->actions().front()->text(), "Show");
  menu->actions().front()->trigger();
  EXPECT_TRUE(parts().shows(ViewPart::axes));
}

TEST_F(PartsTest, TheCropBoxHasOneStateAndPointsOutsideHaveTheirOwnEyeIcon) {
  open("street");
  EXPECT_EQ(row("Points outside"), nullptr) << "a scene without a crop must have no points outside";
  clickEye(row("Crop box"));
  EXPECT_TRUE(app.cropBox().editing());
  EXPECT_TRUE(app.commands().action("crop.box")->isChecked());
  ASSERT_TRUE(app.commands().trigger("crop.box"));
  EXPECT_FALSE(parts().shows(ViewPart::crop_box));
  const auto before = app.workspace().scene().voxels();
  app.jobs().scenes().crop(Bounds{{-10, -10, -5}, {10, 10, 5}});
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels() != before; }));
  ASSERT_TRUE(waitFor([&] { return row("Points outside") != nullptr; }));
  const CropTool& tool = *app.sceneView().tools().crop();
  EXPECT_EQ(tool.outsideShown(), 0U);
  clickEye(row("Points outside"), Qt::AltModifier);
  ASSERT_TRUE(waitFor([&] { return tool.outsideShown() > 0; }));
  EXPECT_FALSE(app.cropBox().editing()) << "showing the points outside alone must hide the crop box";
  clickEye(row("Points outside"), Qt::AltModifier);
  EXPECT_EQ(tool.outsideShown(), 0U);
}

TEST_F(PartsTest, HiddenHighlightsStaySelectedAndClassesHaveEyeIcons) {
  open("street");
  app.selection().setColumns({0});
  clickEye(row("Highlights"));
  ASSERT_NE(chip("highlights hidden"), nullptr);
  EXPECT_EQ(app.selection().columns(), std::vector{0});
  QTest::mouseClick(chip("highlights hidden"), Qt::LeftButton);
  EXPECT_TRUE(parts().shows(ViewPart::highlights));
  row("Voxels")->setExpanded(true);
  ASSERT_GT(row("Voxels")->childCount(), 1);
  QTreeWidgetItem* first = row("Voxels")->child(0);
  clickEye(first, Qt::AltModifier);
  EXPECT_EQ(app.selection().look().hiddenLabels().size(),
            static_cast<std::size_t>(row("Voxels")->childCount() - 1));
  clickEye(first, Qt::AltModifier);
  EXPECT_TRUE(app.selection().look().hiddenLabels().empty());
  clickEye(first);
  EXPECT_EQ(app.selection().look().hiddenLabels().size(), 1U);
}

TEST_F(PartsTest, ASessionRestoresTheHiddenParts) {
  open("room");
  clickEye(row("Axes"));
  clickEye(row("Voxels"));
  const PartsShown left = parts().shown();
  const QTemporaryDir folder;
  const QString file = folder.filePath("a.spirasession");
  ASSERT_TRUE(app.sessions().save(file));
  parts().set({});
  open(file);
  EXPECT_EQ(parts().shown(), left);
  EXPECT_TRUE(window.findChild<QFrame*>("hiddenNotice")->isVisible());
}

}  // namespace
}  // namespace spira::ui

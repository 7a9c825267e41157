// Tests the parts of the 3D view: visibility in the tree, showing one part alone, undo, the session, and the
// look of hidden voxels.
#include "tests/gui/window_fixture.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/view_parts.hpp"
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
  [[nodiscard]] ViewParts& parts() { return window.viewParts(); }
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
    const QImage image = window.sceneView().grab3d();
    int other = 0;
    for (int y = 0; y < image.height(); ++y) {
      const QColor back = image.pixelColor(2, y);  // the background is a vertical gradient
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
    for (auto* button : window.sceneView().findChildren<QToolButton*>("chip")) {
      if (button->isVisible() && button->text().startsWith(text)) return button;
    }
    return nullptr;
  }
};

TEST_F(PartsTest, AnEyeHidesTheVoxelsAndTheViewSaysSo) {
  open("street");
  ASSERT_NE(row("Voxels"), nullptr);
  auto* notice = window.findChild<QFrame*>("hiddenNotice");
  const double before = drawn();
  EXPECT_GT(before, 0.02);
  EXPECT_EQ(told(row("Voxels")), row("Voxels")->text(0) + ", shown");
  EXPECT_FALSE(notice->isVisible());
  clickEye(row("Voxels"));
  EXPECT_FALSE(parts().shows(ViewPart::voxels));
  EXPECT_EQ(told(row("Voxels")), row("Voxels")->text(0) + ", hidden") << "not by its colour alone";
  EXPECT_LT(drawn(), before / 20);
  ASSERT_TRUE(notice->isVisible());
  EXPECT_EQ(window.sceneView().hiddenText(), "Voxels hidden");
  auto* canvas = window.sceneView().canvas();
  QTest::mouseMove(canvas, canvas->rect().center() + QPoint(0, 60));
  EXPECT_FALSE(window.selection().hover().voxel) << "what is not seen is not pointed at";
  QTest::mouseClick(window.findChild<QPushButton*>("showHidden"), Qt::LeftButton);
  EXPECT_TRUE(parts().shows(ViewPart::voxels));
  EXPECT_FALSE(notice->isVisible());
  EXPECT_NEAR(drawn(), before, 0.01);
}

TEST_F(PartsTest, AltClickShowsAPartAloneAndTheSecondAllOthersAsTheyWere) {
  open("street");
  clickEye(row("Axes"));
  const PartsShown before = parts().shown();
  clickEye(row("Grid"), Qt::AltModifier);
  for (const ViewPart part : view_parts)
    EXPECT_EQ(parts().shows(part), part == ViewPart::grid) << text_of(part).toStdString();
  ASSERT_NE(chip("only: Grid"), nullptr);
  EXPECT_TRUE(window.findChild<QFrame*>("hiddenNotice")->isVisible());
  clickEye(row("Grid"), Qt::AltModifier);
  EXPECT_EQ(parts().shown(), before);
  clickEye(row("Grid"), Qt::AltModifier);
  QTest::mouseClick(chip("only: Grid"), Qt::LeftButton);
  EXPECT_EQ(parts().shown(), before);
  EXPECT_FALSE(parts().shows(ViewPart::axes));
}

TEST_F(PartsTest, KeysAndTheMenuActOnTheChosenRowAndEachIsUndone) {
  open("street");
  QApplication::setActiveWindow(&window);  // a bare X server has no window manager that activates the window
  EXPECT_FALSE(window.commands().whyNot("view.part").isEmpty()) << "no row with an eye is chosen";
  tree()->setFocus();
  tree()->setCurrentItem(row("Axes"));
  ASSERT_TRUE(waitFor([&] { return window.commands().action("view.part")->isEnabled(); }));
  QTest::keyClick(tree(), Qt::Key_H, Qt::ShiftModifier);
  EXPECT_FALSE(parts().shows(ViewPart::axes));
  EXPECT_FALSE(window.commands().action("view.axes")->isChecked()) << "the menu View says the same";
  EXPECT_EQ(window.history().stack()->undoText(), "visible parts");
  QTest::keyClick(tree(), Qt::Key_H, Qt::ShiftModifier | Qt::ControlModifier);
  EXPECT_EQ(parts().shown().alone, ViewPart::axes);
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  EXPECT_FALSE(parts().shown().alone);
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  EXPECT_EQ(parts().shown(), PartsShown());
  ASSERT_TRUE(window.commands().trigger("edit.redo"));
  EXPECT_FALSE(parts().shows(ViewPart::axes));
  emit tree()->customContextMenuRequested(tree()->visualItemRect(row("Axes")).center());
  auto* menu = window.findChild<QMenu*>("partMenu");
  ASSERT_NE(menu, nullptr);
  EXPECT_EQ(menu->actions().front()->text(), "Show");
  menu->actions().front()->trigger();
  EXPECT_TRUE(parts().shows(ViewPart::axes));
}

TEST_F(PartsTest, TheCropBoxHasOneStateAndWhatItLeavesOutAnEyeOfItsOwn) {
  open("street");
  EXPECT_EQ(row("Points outside"), nullptr) << "nothing is left out";
  clickEye(row("Crop box"));
  EXPECT_TRUE(window.cropBox().editing());
  EXPECT_TRUE(window.commands().action("crop.box")->isChecked());
  ASSERT_TRUE(window.commands().trigger("crop.box"));
  EXPECT_FALSE(parts().shows(ViewPart::crop_box));
  const auto before = window.workspace().voxels();
  window.jobs().scenes().crop(Bounds{{-10, -10, -5}, {10, 10, 5}});
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels() != before; }));
  ASSERT_TRUE(waitFor([&] { return row("Points outside") != nullptr; }));
  const CropTool& tool = window.sceneView().cropTool();
  EXPECT_EQ(tool.outsideShown(), 0U);
  clickEye(row("Points outside"), Qt::AltModifier);
  ASSERT_TRUE(waitFor([&] { return tool.outsideShown() > 0; }));
  EXPECT_FALSE(window.cropBox().editing()) << "they are alone";
  clickEye(row("Points outside"), Qt::AltModifier);
  EXPECT_EQ(tool.outsideShown(), 0U);
}

TEST_F(PartsTest, HiddenHighlightsStayChosenAndClassesHaveEyes) {
  open("street");
  window.selection().setColumns({0});
  clickEye(row("Highlights"));
  ASSERT_NE(chip("highlights hidden"), nullptr);
  EXPECT_EQ(window.selection().columns(), std::vector{0});
  QTest::mouseClick(chip("highlights hidden"), Qt::LeftButton);
  EXPECT_TRUE(parts().shows(ViewPart::highlights));
  row("Voxels")->setExpanded(true);
  ASSERT_GT(row("Voxels")->childCount(), 1);
  QTreeWidgetItem* first = row("Voxels")->child(0);
  clickEye(first, Qt::AltModifier);
  EXPECT_EQ(window.selection().hiddenLabels().size(),
            static_cast<std::size_t>(row("Voxels")->childCount() - 1));
  clickEye(first, Qt::AltModifier);
  EXPECT_TRUE(window.selection().hiddenLabels().empty());
  clickEye(first);
  EXPECT_EQ(window.selection().hiddenLabels().size(), 1U);
}

TEST_F(PartsTest, ASessionBringsBackWhatWasHidden) {
  open("room");
  clickEye(row("Axes"));
  clickEye(row("Voxels"));
  const PartsShown left = parts().shown();
  const QTemporaryDir folder;
  const QString file = folder.filePath("a.spirasession");
  ASSERT_TRUE(window.saveSession(file));
  parts().set({});
  open(file);
  EXPECT_EQ(parts().shown(), left);
  EXPECT_TRUE(window.findChild<QFrame*>("hiddenNotice")->isVisible());
}

}  // namespace
}  // namespace spira::ui

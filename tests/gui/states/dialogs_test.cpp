// Tests that each dialog opens by its command, fits on the screen in the smallest window, and closes with
// Escape.
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"

#include <QDialog>
#include <QLabel>
#include <QTimer>
#include <QToolBar>

namespace spira::ui {
namespace {

class Dialogs : public WindowTest {
 protected:
  /// Opens the dialog by its command, checks it and presses Escape.
  void look(const char* id, const QString& picture) {
    bool seen = false;
    QTimer::singleShot(150, &window, [&] {
      auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr) << id;
      seen = true;
      EXPECT_LE(dialog->width(), 1024) << id;
      EXPECT_LE(dialog->height(), 640) << id;
      save_grab(*dialog, picture);
      QTest::keyClick(dialog, Qt::Key_Escape);
    });
    EXPECT_TRUE(app.commands().trigger(id)) << id;
    EXPECT_TRUE(seen) << id;
  }
};

TEST_F(Dialogs, OpenFitAndCloseWithEscape) {
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  measureBriefly();
  openWith("room", 0.1);
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  for (const char* theme : {"light", "dark"}) {
    app.theme().choose(theme_choice(theme));
    for (const char* id : {"edit.settings", "edit.shortcuts", "help.palette", "help.diagnostics",
                           "help.about", "file.screenshot", "export.chart", "reproduce.show"})
      look(id, QString("dialog-%1-%2").arg(QString(id).replace('.', '-'), theme));
  }
}

TEST_F(Dialogs, EveryToolBarButtonIsVisibleInTheSmallestWindow) {
  window.resize(1024, 640);
  QApplication::processEvents();
  auto* bar = window.findChild<QToolBar*>("toolbar");
  for (QAction* action : bar->actions()) {
    const QWidget* one = bar->widgetForAction(action);
    // Narrow windows hide the labels before the boxes.
    if (action->isSeparator() || qobject_cast<const QLabel*>(one) != nullptr) continue;
    EXPECT_TRUE(one->isVisible()) << action->text().toStdString();
    EXPECT_LE(one->geometry().right(), bar->width())
        << action->text().toStdString() << " of width " << one->width();
  }
}

}  // namespace
}  // namespace spira::ui

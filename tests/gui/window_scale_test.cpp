// No text is cut and no button is off its bar: at a small window and the usual one, and, where ctest runs
// this program with QT_SCALE_FACTOR, at other scales of the screen.
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/settings/settings.hpp"
#include "ui/window/settings_dialog.hpp"
#include "ui/window/shortcuts_dialog.hpp"

#include <QAbstractButton>
#include <QDialog>
#include <QLabel>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolBar>

namespace spira::ui {
namespace {

class ScaleTest : public WindowTest {
 protected:
  /// Of buttons, and of labels that do not wrap: each has the room that its text needs.
  static void expectWhole(QWidget& within, const char* where) {
    QApplication::processEvents();
    for (QWidget* widget : within.findChildren<QWidget*>()) {
      const auto* label = qobject_cast<QLabel*>(widget);
      const auto* button = qobject_cast<QAbstractButton*>(widget);
      QString text = label != nullptr ? label->text() : button != nullptr ? button->text() : QString();
      text.remove('&');  // it marks a key
      if (text.isEmpty() || !widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
      const int needs = label == nullptr            ? widget->minimumSizeHint().width()
                        : label->wordWrap()         ? 0
                        : Qt::mightBeRichText(text) ? 0
                                                    : widget->fontMetrics().horizontalAdvance(text);
      EXPECT_GE(widget->width(), needs) << where << ": \"" << text.toStdString() << "\" is cut";
    }
  }
  void expectWholeInAllTabs(const char* where) {
    for (QTabWidget* tabs : {&window.rightTabs(), &window.bottomTabs()}) {
      for (int tab = 0; tab < tabs->count(); ++tab) {
        tabs->setCurrentIndex(tab);
        expectWhole(*tabs->widget(tab), where);
      }
    }
    expectWhole(window, where);
  }
};

TEST_F(ScaleTest, NoTextOfTheWindowIsCutAtAnySize) {
  open("street");
  runNetwork("resn21");
  for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
    window.resize(size);
    ASSERT_TRUE(window.commands().trigger("layout.profile"));
    expectWholeInAllTabs(size.width() == 1024 ? "1024x700" : "1440x900");
    auto* bar = window.findChild<QToolBar*>("toolbar");
    for (QAction* action : bar->actions())
      EXPECT_TRUE(bar->widgetForAction(action)->isVisible()) << action->text().toStdString();
  }
}

TEST_F(ScaleTest, NorOfARecordedRunAndItsDialogs) {
  QTemporaryDir folder;
  write_report(folder.filePath("far.json").toStdString(), test::recorded_report());
  window.open(folder.filePath("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().report(); }));
  window.resize(1024, 700);
  expectWholeInAllTabs("a report at 1024x700");
  SettingsDialog settings(&window.settings(), &window);
  settings.show();
  expectWhole(settings, "settings");
  ShortcutsDialog keys(&window.commands(), &window);
  keys.show();
  expectWhole(keys, "keys");
}

}  // namespace
}  // namespace spira::ui

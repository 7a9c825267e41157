// No text is cut and no button is off its bar: at a small window and the usual one, and, where ctest runs
// this program with QT_SCALE_FACTOR, at other scales of the screen.
#include "tests/gui/whole_texts.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/settings/settings.hpp"
#include "ui/window/settings_dialog.hpp"
#include "ui/window/shortcuts_dialog.hpp"

#include <QTemporaryDir>
#include <QToolBar>

namespace spira::ui {
namespace {

class ScaleTest : public WindowTest {
 protected:
  void expectAllWhole(const char* where) {
    expectWholeInAllTabs(window, {&window.rightTabs(), &window.bottomTabs()}, where);
  }
};

TEST_F(ScaleTest, NoTextOfTheWindowIsCutAtAnySize) {
  open("street");
  runNetwork("resn21");
  for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
    window.resize(size);
    ASSERT_TRUE(window.commands().trigger("layout.profile"));
    expectAllWhole(size.width() == 1024 ? "1024x700" : "1440x900");
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
  expectAllWhole("a report at 1024x700");
  SettingsDialog settings(&window.settings(), &window);
  settings.show();
  expectWhole(settings, "settings");
  ShortcutsDialog keys(&window.commands(), &window);
  keys.show();
  expectWhole(keys, "keys");
}

}  // namespace
}  // namespace spira::ui

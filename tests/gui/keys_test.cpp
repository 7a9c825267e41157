// Tests the shortcuts of commands: the user can change, reset and save them, and conflicting shortcuts are
// refused with a reason.
#include "ui/commands/command_set.hpp"
#include "ui/features/settings/shortcuts_dialog.hpp"
#include "ui/window/application.hpp"

#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

TEST(Keys, NoTwoCommandsHaveTheSameKeys) {
  QObject owner;
  const CommandSet commands{Application::commandFacts(), &owner};
  for (const QAction* action : commands.all()) {
    for (const QKeySequence& keys : action->shortcuts())
      EXPECT_EQ(commands.keysFault(action->objectName(), keys), QString())
          << action->objectName().toStdString();
  }
}

TEST(Keys, AConflictIsRefusedWithTheNameOfTheOtherCommand) {
  QObject owner;
  CommandSet commands{Application::commandFacts(), &owner};
  EXPECT_THAT(commands.keysFault("view.frame", QKeySequence("F5")).toStdString(), HasSubstr("Run network"));
  EXPECT_EQ(commands.keysFault("run.run", QKeySequence("F5")), QString())
      << "a command must accept its own shortcut";
  EXPECT_THAT(commands.keysFault("view.frame", QKeySequence("Tab")).toStdString(),
              HasSubstr("reserved for the window"));
  EXPECT_THAT(commands.keysFault("view.frame", QKeySequence("Alt+F")).toStdString(), HasSubstr("menus"));
}

TEST(Keys, AreSavedAlsoIfTwoCommandsExchangedThem) {
  QObject owner;
  CommandSet commands{Application::commandFacts(), &owner};
  commands.setKeys("run.run", {});
  commands.setKeys("run.step_forward", {QKeySequence("F5")});
  commands.setKeys("run.run", {QKeySequence("F10")});
  const auto changed = commands.changedKeys();
  EXPECT_EQ(changed.size(), 2U);
  CommandSet again(Application::commandFacts(), &owner);
  again.takeKeys(changed);
  EXPECT_EQ(again.action("run.run")->shortcut(), QKeySequence("F10"));
  EXPECT_EQ(again.action("run.step_forward")->shortcut(), QKeySequence("F5"));
  again.takeKeys({{"no.such", "F7"}, {"view.frame", "Ctrl+O"}});
  EXPECT_TRUE(again.action("view.frame")->shortcuts().isEmpty()) << "Ctrl+O must belong to Open";
  EXPECT_EQ(again.action("file.open")->shortcut(), QKeySequence("Ctrl+O"));
}

/// Qt's shortcut matching on X11 and Wayland does not distinguish keypad keys from other keys.
TEST(Keys, KeypadKeysAreNotTheDigitKeys) {
  CommandSet commands(Application::commandFacts());
  QWidget view;
  commands.addPlainKeysTo(&view);
  int above = 0;
  commands.bind("view.top", [&] { ++above; });
  const auto taken = [&](Qt::Key key, Qt::KeyboardModifiers with) {
    QKeyEvent event(QEvent::ShortcutOverride, key, with);
    event.ignore();
    QApplication::sendEvent(&view, &event);
    return event.isAccepted();
  };
  EXPECT_TRUE(taken(Qt::Key_7, Qt::KeypadModifier));
  EXPECT_EQ(above, 1);
  EXPECT_TRUE(taken(Qt::Key_Home, Qt::KeypadModifier))
      << "Home on the keypad must be recognised if Num Lock is off";
  EXPECT_EQ(above, 2);
  EXPECT_FALSE(taken(Qt::Key_7, Qt::NoModifier))
      << "the digit 7 outside the keypad must not trigger the command";
  EXPECT_FALSE(taken(Qt::Key_2, Qt::KeypadModifier)) << "a keypad digit without a command must be ignored";
  EXPECT_EQ(above, 2);
}

TEST(Keys, APlainKeyActsOnlyInViewsEvenIfAssignedLater) {
  QObject owner;
  CommandSet commands{Application::commandFacts(), &owner};
  QWidget view;
  commands.addPlainKeysTo(&view);
  QAction* run = commands.action("run.run");
  EXPECT_FALSE(view.actions().contains(run));
  commands.setKeys("run.run", {QKeySequence("R")});
  EXPECT_TRUE(view.actions().contains(run));
  EXPECT_EQ(run->shortcutContext(), Qt::WidgetWithChildrenShortcut);
  commands.setKeys("run.run", commands.defaultKeys("run.run"));
  EXPECT_FALSE(view.actions().contains(run));
  EXPECT_EQ(run->shortcutContext(), Qt::WindowShortcut);
}

class KeysDialog : public testing::Test {
 protected:
  [[nodiscard]] QPushButton* button(const QString& text) {
    for (auto* one : dialog.findChildren<QPushButton*>()) {
      if (one->text() == text) return one;
    }
    return nullptr;
  }
  [[nodiscard]] std::string why() { return dialog.findChild<QLabel*>("why")->text().toStdString(); }

  QObject owner;
  CommandSet commands{Application::commandFacts(), &owner};
  ShortcutsDialog dialog{&commands, nullptr};
};

TEST_F(KeysDialog, FindsByNameAndByKeys) {
  auto* words = dialog.findChild<QLineEdit*>();
  auto* list = dialog.findChild<QTreeWidget*>("keys");
  EXPECT_EQ(list->topLevelItemCount(), static_cast<int>(commands.all().size()));
  words->setText("shift+f5");
  ASSERT_EQ(list->topLevelItemCount(), 1);
  EXPECT_EQ(list->topLevelItem(0)->text(0), "Stop");
  words->setText("no such words");
  EXPECT_EQ(list->topLevelItemCount(), 0);
  EXPECT_FALSE(button("Assign")->isEnabled());
  EXPECT_FALSE(why().empty());
}

TEST_F(KeysDialog, AssignsRefusesAndResets) {
  dialog.show();
  dialog.choose("view.frame");
  auto* keys = dialog.findChild<QKeySequenceEdit*>();
  keys->setKeySequence(QKeySequence("F5"));
  EXPECT_FALSE(button("Assign")->isEnabled());
  EXPECT_THAT(why(), HasSubstr("Run network"));
  keys->setKeySequence(QKeySequence("Ctrl+Shift+F"));
  ASSERT_TRUE(button("Assign")->isEnabled());
  QTest::mouseClick(button("Assign"), Qt::LeftButton);
  EXPECT_EQ(commands.action("view.frame")->shortcut(), QKeySequence("Ctrl+Shift+F"));
  dialog.choose("view.reset");
  keys->setKeySequence(QKeySequence("F"));
  QTest::mouseClick(button("Assign"), Qt::LeftButton);
  dialog.choose("view.frame");
  QTest::mouseClick(button("Default"), Qt::LeftButton);
  EXPECT_THAT(why(), HasSubstr("Reset camera"))
      << "the reason must name the command that uses the default shortcut";
  QTest::mouseClick(button("Reset all"), Qt::LeftButton);
  EXPECT_TRUE(commands.changedKeys().empty());
  EXPECT_FALSE(button("Reset all")->isEnabled());
}

}  // namespace
}  // namespace spira::ui

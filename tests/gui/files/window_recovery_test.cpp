// Tests what the window offers after a crash: every valid copy. No copy is deleted without a request.
#include "tests/gui/window_fixture.hpp"
#include "tests/support/run_program.hpp"
#include "ui/features/session/recovery_dialog.hpp"
#include "ui/window/banner.hpp"

#include <QDir>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class WindowRecoveryTest : public WindowTest {
 protected:
  WindowRecoveryTest() {
    QDir().mkpath(state());
    QFile settings(state() + "/settings.json");
    EXPECT_TRUE(settings.open(QIODevice::WriteOnly));
    settings.write(R"({"schema":"spirascope.settings","version":1,"values":{"recovery.seconds":1}})");
    settings.close();
    for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
      qputenv(name, home.path().toUtf8());
  }
  ~WindowRecoveryTest() override {
    for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
      qunsetenv(name);
  }
  [[nodiscard]] QString state() const { return home.path() + "/spirascope"; }
  [[nodiscard]] QStringList copies() const {
    return QDir(state() + "/recovery").entryList({"*.spirasession"}, QDir::Files);
  }
  [[nodiscard]] std::unique_ptr<test::Program> program(const std::vector<std::string>& arguments) const {
    return std::make_unique<test::Program>(SPIRASCOPE_PROGRAM, arguments, home.path().toStdString());
  }
  /// Starts a program for each scene, and kills all programs when each has its recovery copy.
  void crash(const std::vector<std::string>& scenes) {
    const auto before = copies().size();
    std::vector<std::unique_ptr<test::Program>> programs;
    for (const std::string& scene : scenes)
      programs.push_back(program({scene}));
    ASSERT_TRUE(waitFor([&] { return copies().size() == before + std::ssize(scenes); }));
  }  // the destructors send SIGKILL
  [[nodiscard]] std::unique_ptr<MainWindow> start() {
    auto next = std::make_unique<MainWindow>(std::make_shared<const Registry>(app::make_registry()), state());
    next->resize(1440, 900);
    next->show();
    static_cast<void>(QTest::qWaitForWindowExposed(next.get()));
    return next;
  }
  [[nodiscard]] static std::string offer(MainWindow& in) {
    return in.banner().isVisible() ? in.banner().text().toStdString() : "";
  }
  [[nodiscard]] static QPushButton* button(MainWindow& in, const char* text) {
    for (auto* one : in.banner().findChildren<QPushButton*>()) {
      if (one->text() == text) return one;
    }
    return nullptr;
  }
  [[nodiscard]] bool opened(MainWindow& in) {
    return waitFor([&] { return !in.jobs().lane().busy() && in.workspace().voxels(); });
  }
  /// Runs `act` on the dialog that `file.recover` opens.
  static void inDialog(MainWindow& in, std::function<void(RecoveryDialog&)> act) {
    QTimer::singleShot(200, &in, [act = std::move(act)] {
      auto* dialog = qobject_cast<RecoveryDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr);
      act(*dialog);
    });
    ASSERT_TRUE(in.commands().trigger("file.recover"));
  }
  void tear(const QString& name) const {
    QFile torn(state() + "/recovery/" + name + ".spirasession");
    ASSERT_TRUE(torn.open(QIODevice::WriteOnly));
    torn.write(R"({"schema": "spirascope.session", "open": {"ki)");
  }

  QTemporaryDir home;
};

TEST_F(WindowRecoveryTest, RestoreHasTheFocusAndOneSpaceRestores) {
  crash({"room"});
  const auto next = start();
  EXPECT_THAT(offer(*next), HasSubstr("did not shut down properly"));
  ASSERT_EQ(next->focusWidget(), button(*next, "Restore"));
  QTest::keyClick(next->focusWidget(), Qt::Key_Space);
  ASSERT_TRUE(opened(*next));
  EXPECT_EQ(next->workspace().cloud()->name, "room");
  ASSERT_TRUE(waitFor([&] { return copies().size() == 1; })) << "its own instead of the other";
  next->close();
  EXPECT_TRUE(copies().isEmpty());
  EXPECT_EQ(offer(*start()), "") << "a proper shutdown is not followed by an offer";
}

TEST_F(WindowRecoveryTest, ClosingTheOfferKeepsTheCopyAndDiscardDeletesIt) {
  crash({"room"});
  for (int start_at = 0; start_at < 2; ++start_at) {
    const auto next = start();
    ASSERT_THAT(offer(*next), HasSubstr("room was open")) << start_at;
    next->banner().findChild<QToolButton*>()->click();
    EXPECT_EQ(offer(*next), "");
    EXPECT_EQ(copies().size(), 1);
    EXPECT_TRUE(next->commands().whyNot("file.recover").isEmpty()) << "it can be reached again";
    next->close();
  }
  const auto last = start();
  button(*last, "Discard")->click();
  EXPECT_TRUE(copies().isEmpty());
  EXPECT_FALSE(last->commands().whyNot("file.recover").isEmpty());
}

TEST_F(WindowRecoveryTest, AllCopiesOfSeveralWindowsAreOffered) {
  crash({"room", "street", "random"});
  {
    const auto next = start();
    EXPECT_THAT(offer(*next), HasSubstr("3 scenes were open"));
    EXPECT_EQ(next->focusWidget(), button(*next, "Restore..."));
    QStringList scenes;
    inDialog(*next, [&](RecoveryDialog& dialog) {
      auto* list = dialog.findChild<QTreeWidget*>("copies");
      for (int row = 0; row < list->topLevelItemCount(); ++row)
        scenes += list->topLevelItem(row)->text(0);
      list->setCurrentItem(list->findItems("random", Qt::MatchExactly).value(0));
      dialog.findChild<QPushButton*>("discard")->click();
      list->setCurrentItem(list->findItems("street", Qt::MatchExactly).value(0));
      dialog.findChild<QPushButton*>("restore")->click();
    });
    scenes.sort();
    EXPECT_EQ(scenes, (QStringList{"random", "room", "street"}));
    ASSERT_TRUE(opened(*next));
    EXPECT_EQ(next->workspace().cloud()->name, "street");
    next->close();
  }
  EXPECT_EQ(copies().size(), 1);
  EXPECT_THAT(offer(*start()), HasSubstr("room was open"))
      << "the one that was neither restored nor discarded";
}

TEST_F(WindowRecoveryTest, ATornCopyDeletesNoOther) {
  crash({"room"});
  tear("newest");
  {
    const auto next = start();
    EXPECT_THAT(offer(*next), HasSubstr("1 scene was open"));
    EXPECT_EQ(copies().size(), 2);
    inDialog(*next, [](RecoveryDialog& dialog) {
      auto* list = dialog.findChild<QTreeWidget*>("copies");
      ASSERT_EQ(list->topLevelItemCount(), 2);
      list->setCurrentItem(list->findItems("Damaged copy", Qt::MatchExactly).value(0));
      EXPECT_FALSE(dialog.findChild<QPushButton*>("restore")->isEnabled());
      dialog.findChild<QPushButton*>("discard")->click();
      dialog.findChild<QPushButton*>("restore")->click();
    });
    ASSERT_TRUE(opened(*next));
    EXPECT_EQ(next->workspace().cloud()->name, "room");
    next->close();
  }
  EXPECT_TRUE(copies().isEmpty());
  tear("only");
  const auto last = start();
  EXPECT_THAT(offer(*last), HasSubstr("damaged"));
  EXPECT_EQ(copies().size(), 1);
}

TEST_F(WindowRecoveryTest, ProgramsThatStartAtTheSameTimeDeleteNoCopy) {
  crash({"room", "street"});
  const QStringList before = copies();
  {
    const auto first = program({"random"}), second = program({"random"});
    ASSERT_TRUE(waitFor([&] { return copies().size() == before.size() + 2; }));
    for (const QString& copy : before)
      EXPECT_TRUE(copies().contains(copy));
  }
  EXPECT_THAT(offer(*start()), HasSubstr("4 scenes were open"));
}

TEST_F(WindowRecoveryTest, AProgramThatQuitsLeavesNoCopy) {
  EXPECT_EQ(program({"room", "--command", "view.top", "--command", "file.quit"})->finish().code, 0);
  EXPECT_TRUE(copies().isEmpty());
  EXPECT_EQ(offer(*start()), "");
}

}  // namespace
}  // namespace spira::ui

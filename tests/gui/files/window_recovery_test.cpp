// Tests the recovery offer after a crash. The window must offer every valid copy, and must delete a copy only
// if the user asks for it.
#include "app/common/backends.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/run_program.hpp"
#include "ui/features/session/recovery.hpp"
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
  /// Starts one program for each scene. Kills all programs after each of them has written its recovery copy.
  void crash(const std::vector<std::string>& scenes) {
    const auto before = copies().size();
    std::vector<std::unique_ptr<test::Program>> programs;
    for (const std::string& scene : scenes)
      programs.push_back(program({scene}));
    ASSERT_TRUE(waitFor([&] { return copies().size() == before + std::ssize(scenes); }));
  }  // the destructors send SIGKILL
  [[nodiscard]] std::unique_ptr<Application> start() {
    auto next =
        std::make_unique<Application>(std::make_shared<const Registry>(app::make_registry()), state());
    next->window().resize(1440, 900);
    next->window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&next->window()));
    return next;
  }
  [[nodiscard]] static std::string offer(Application& in) {
    return banner_of(in).isVisible() ? banner_of(in).text().toStdString() : "";
  }
  [[nodiscard]] static QPushButton* button(Application& in, const char* text) {
    for (auto* one : banner_of(in).findChildren<QPushButton*>()) {
      if (one->text() == text) return one;
    }
    return nullptr;
  }
  [[nodiscard]] bool opened(Application& in) {
    return waitFor([&] { return !in.jobs().lane().busy() && in.workspace().scene().voxels(); });
  }
  /// Runs `act` on the dialog that `file.recover` opens.
  static void inDialog(Application& in, std::function<void(RecoveryDialog&)> act) {
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

TEST_F(WindowRecoveryTest, RestoreHasTheFocusAndSpaceActivatesIt) {
  crash({"room"});
  const auto next = start();
  EXPECT_THAT(offer(*next), HasSubstr("did not shut down properly"));
  ASSERT_EQ(next->window().focusWidget(), button(*next, "Restore"));
  QTest::keyClick(next->window().focusWidget(), Qt::Key_Space);
  ASSERT_TRUE(opened(*next));
  EXPECT_EQ(next->workspace().scene().cloud()->name, "room");
  ASSERT_TRUE(waitFor([&] { return copies().size() == 1; }))
      << "the window must replace the restored copy by its own";
  next->window().close();
  EXPECT_TRUE(copies().isEmpty());
  EXPECT_EQ(offer(*start()), "") << "a window that closed properly must leave no offer";
}

TEST_F(WindowRecoveryTest, ClosingTheOfferKeepsTheCopyAndDiscardDeletesIt) {
  crash({"room"});
  for (int start_at = 0; start_at < 2; ++start_at) {
    const auto next = start();
    ASSERT_THAT(offer(*next), HasSubstr("room was open")) << start_at;
    banner_of(*next).findChild<QToolButton*>()->click();
    EXPECT_EQ(offer(*next), "");
    EXPECT_EQ(copies().size(), 1);
    EXPECT_TRUE(next->commands().unavailableReason("file.recover").isEmpty())
        << "the copy must stay available after the offer is closed";
    next->window().close();
  }
  const auto last = start();
  button(*last, "Discard")->click();
  EXPECT_TRUE(copies().isEmpty());
  EXPECT_FALSE(last->commands().unavailableReason("file.recover").isEmpty());
}

TEST_F(WindowRecoveryTest, AllCopiesOfSeveralWindowsAreOffered) {
  crash({"room", "street", "random"});
  {
    const auto next = start();
    EXPECT_THAT(offer(*next), HasSubstr("3 scenes were open"));
    EXPECT_EQ(next->window().focusWidget(), button(*next, "Restore..."));
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
    EXPECT_EQ(next->workspace().scene().cloud()->name, "street");
    next->window().close();
  }
  EXPECT_EQ(copies().size(), 1);
  EXPECT_THAT(offer(*start()), HasSubstr("room was open"))
      << "the copy that was neither restored nor discarded must be offered";
}

TEST_F(WindowRecoveryTest, ATruncatedCopyDeletesNoOtherCopy) {
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
    EXPECT_EQ(next->workspace().scene().cloud()->name, "room");
    next->window().close();
  }
  EXPECT_TRUE(copies().isEmpty());
  tear("only");
  const auto last = start();
  EXPECT_THAT(offer(*last), HasSubstr("damaged"));
  EXPECT_EQ(copies().size(), 1);
}

TEST_F(WindowRecoveryTest, ProgramsThatStartAtTheSameTimeDeleteNoCopies) {
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

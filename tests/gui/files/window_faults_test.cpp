// Tests error handling in the window: exceptions in commands, events and job results, files with invalid
// content, and the suggested fixes in a message.
#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/model/view_update_queue.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/qt_application.hpp"

#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <stdexcept>
#include <unistd.h>

namespace spira::ui {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class FaultsTest : public WindowTest {
 protected:
  [[nodiscard]] QString write(const QString& name, const std::string& bytes) const {
    const QString file = folder.filePath(name);
    write_file(file.toStdString(), bytes);
    return file;
  }
  [[nodiscard]] QString scene() const {
    std::string rows;
    for (int at = 0; at < 600; ++at)
      rows += std::to_string(at % 40) + " " + std::to_string(at / 40) + " " + std::to_string(at % 3) + "\n";
    return write("scan.xyz", rows);
  }
  [[nodiscard]] std::string shown() {
    return banner_of(window).isVisible() ? banner_of(window).text().toStdString() : "";
  }
  [[nodiscard]] std::vector<std::string> remedies() {
    std::vector<std::string> texts;
    for (const auto* button : banner_of(window).findChildren<QPushButton*>())
      texts.push_back(button->text().toStdString());
    return texts;
  }
  /// Opens an invalid file and waits for the error message.
  void refuse(const QString& file) {
    app.notices().clear();
    app.opening().open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); })) << file.toStdString();
  }

  QTemporaryDir folder;
};

TEST_F(FaultsTest, ACommandThatThrowsShowsItsErrorAndKeepsTheScene) {
  open(scene());
  const auto voxels = app.workspace().scene().voxels();
  app.commands().bind("layout.profile", [] { throw std::runtime_error("an error in a command"); });
  EXPECT_TRUE(app.commands().trigger("layout.profile"));
  EXPECT_THAT(shown(), testing::AllOf(HasSubstr("Internal error"), HasSubstr("an error in a command")));
  EXPECT_THAT(remedies(), Contains("Copy diagnostics..."));
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
}

struct Thrower : QObject {
  using QObject::QObject;
  bool event(QEvent* event) override {
    if (event->type() == QEvent::User) throw Error(ErrorKind::input, "an error in an event");
    return QObject::event(event);
  }
};

TEST_F(FaultsTest, AnExceptionInAnEventIsShownAndTheEventLoopContinues) {
  ASSERT_NE(qobject_cast<QtApplication*>(qApp), nullptr);
  open(scene());
  Thrower thrower;
  const std::vector<std::pair<std::string, std::function<void()>>> cases{
      {"an error in an event", [&] { QCoreApplication::postEvent(&thrower, new QEvent(QEvent::User)); }},
      {"an error in a timer",
       [&] { QTimer::singleShot(0, &window, [] { throw std::logic_error("an error in a timer"); }); }},
      {"unknown exception", [&] { QTimer::singleShot(0, &window, [] { throw 42; }); }},
      {"not enough memory", [&] { QTimer::singleShot(0, &window, [] { throw std::bad_alloc(); }); }},
      {"an error in a slot", [&] {
         QMetaObject::invokeMethod(
             &window, [] { throw std::runtime_error("an error in a slot"); }, Qt::QueuedConnection);
       }}};
  for (const auto& [text, act] : cases) {
    act();
    EXPECT_TRUE(waitFor([&, text = text] { return shown().find(text) != std::string::npos; })) << text;
  }
  EXPECT_NE(app.workspace().scene().voxels(), nullptr);
}

TEST_F(FaultsTest, AResultThatThrowsDoesNotBlockTheNextResults) {
  int delivered = 0;
  const auto send_two = +[](EngineHost&, const int& first, Job&, const Send<int>& send) {
    send(first);
    send(first + 1);
  };
  app.jobs().lane().start<int, int>("a test", EngineLane::Doing::running, send_two, 0,
                                    [&delivered](int result) {
                                      if (result == 0) throw std::runtime_error("an error in a result");
                                      ++delivered;
                                    });
  ASSERT_TRUE(waitFor([&] { return idle() && delivered == 1; }));
  EXPECT_THAT(shown(), HasSubstr("an error in a result"));
}

TEST_F(FaultsTest, AViewUpdateThatThrowsDoesNotBlockTheOthers) {
  for (const bool in_sight : {true, false}) {
    int done = 0;
    QObject first, second;
    app.workspace().viewUpdates().add(
        &first, [] { throw std::runtime_error("an error in a view"); }, in_sight);
    app.workspace().viewUpdates().add(
        &second, [&] { ++done; }, in_sight);
    EXPECT_TRUE(waitFor([&] { return done == 1; })) << in_sight;
  }
}

TEST_F(FaultsTest, AllReportedFilesOpenInOneRunningWindow) {
  SPIRA_NEED_REAL_SCENES();
  open(scene());
  const QDir reported(QString::fromStdString((test::data_folder() / "reported/programs").string()));
  const QFileInfoList files = reported.entryInfoList(QDir::Files);
  ASSERT_GE(files.size(), 10);
  for (const QFileInfo& file : files) {
    app.notices().clear();
    app.opening().open(file.filePath());
    ASSERT_TRUE(waitFor([&] { return idle(); })) << file.filePath().toStdString();
    EXPECT_NE(app.workspace().scene().voxels(), nullptr)
        << "a scene must stay open after each file: " << file.filePath().toStdString();
    if (file.suffix() != "json") continue;
    app.jobs().runs().chooseNetwork(file.filePath());
    ASSERT_TRUE(waitFor([&] { return idle(); }));
  }
  app.opening().open(reported.filePath("voxel_stride_7.spirasession"));
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(shown(), HasSubstr("stride"));
}

/// Returns copies of a valid session. In each copy, one value is replaced by a meaningless value or by a
/// value of a different type.
std::vector<Json> mutations(const Json& sound) {
  std::vector<Json> all;
  const Json leaves = sound.flatten();
  for (const auto& [path, value] : leaves.items()) {
    std::vector<Json> others{nullptr, Json::array()};
    if (value.is_number_integer()) others = {0, -1, 7, 6, 1024, 1LL << 40U, "x"};
    if (value.is_number_float()) others = {0.0, -1e9, 1e300, "x"};
    if (value.is_string()) others = {"", "x", 3};
    for (const Json& other : others) {
      all.push_back(sound);
      all.back()[Json::json_pointer(path)] = other;
    }
  }
  return all;
}

TEST_F(FaultsTest, NoMutatedSessionCrashesTheWindow) {
  window.resize(window.minimumSize());  // Most of the time is needed to draw the window.
  open(scene());
  app.jobs().runs().useNetwork(std::make_shared<const Network>(single_layer_network(3, 1, 4, 4)));
  app.selection().setVoxel(ChosenVoxel{{0, 0, 0}, 1});
  app.selection().setColumns({1});
  app.selection().look().setSlab(std::pair{-1.0, 5.0});
  const Json sound = Json::parse(session_json(app.sessions().state(), folder.path().toStdString()));
  const auto mutated = mutations(sound);
  ASSERT_GT(mutated.size(), 100U);
  int refused = 0;
  for (std::size_t at = 0; at < mutated.size(); ++at) {
    app.notices().clear();
    app.opening().open(write("mutated.spirasession", mutated[at].dump()));
    ASSERT_TRUE(waitFor([&] { return idle(); })) << mutated[at].dump();
    ASSERT_NE(app.workspace().scene().voxels(), nullptr) << mutated[at].dump();
    refused += banner_of(window).isVisible() ? 1 : 0;
  }
  EXPECT_GT(refused, 50);
  app.opening().open(write("sound.spirasession", sound.dump()));
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.selection().columns(), std::vector<int>{1}) << "the valid session must still open";
}

TEST_F(FaultsTest, OpenAsIsOfferedOnlyIfTheFormatIsUncertain) {
  refuse(write("noise.bin", std::string(1003, '\x01')));
  EXPECT_THAT(remedies(), Contains("Open as..."));
  EXPECT_THAT(remedies(), Contains("Show first bytes"));
  refuse(write("broken.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n1\n"));
  EXPECT_THAT(remedies(), Not(Contains("Open as...")));
  EXPECT_THAT(remedies(), Contains("Show first bytes"));
  refuse(write("broken.json", "{\"name\": oops}"));
  EXPECT_THAT(remedies(), Not(Contains("Open as...")));
  QDir(folder.path()).mkpath("empty");
  refuse(folder.filePath("empty"));
  EXPECT_THAT(remedies(), Not(Contains("Open as...")));
}

TEST_F(FaultsTest, AFileWithoutReadPermissionIsNotOfferedAsAnotherFormat) {
  const QString file = write("secret.bin", std::string(1600, '\x01'));
  ASSERT_TRUE(QFile::setPermissions(file, QFileDevice::Permissions()));
  ASSERT_TRUE(QFile::setPermissions(folder.path(), QFileDevice::Permissions(0x7755)));
  constexpr uid_t other_user = 65534;
  const bool root = geteuid() == 0;  // root can read everything
  ASSERT_TRUE(!root || seteuid(other_user) == 0);
  refuse(file);
  const auto offered = remedies();
  ASSERT_TRUE(!root || seteuid(0) == 0);
  EXPECT_THAT(offered, Not(Contains("Open as...")));
  EXPECT_THAT(offered, Not(Contains("Show first bytes")));
  EXPECT_THAT(offered, Contains("Open another file..."));
}

TEST_F(FaultsTest, AVoxelSizeThatIsNotANumberIsReportedAndTheFieldShowsTheCurrentSize) {
  open(scene());
  auto* field = window.findChild<QLineEdit*>("grid");
  const QString size = field->text();
  const auto fault = [&]() -> QString {
    for (const auto* label : window.findChildren<QLabel*>("grid_fault")) {
      if (label->isVisible()) return label->text();
    }
    return {};
  };
  for (const char* text : {"abc", "0", "-1", "0.1,0.2", "1e999"}) {
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_THAT(fault().toStdString(), HasSubstr(std::string("\"") + text + "\" is not a voxel size"));
    EXPECT_EQ(field->text(), size);
  }
  field->selectAll();
  QTest::keyClicks(field, "2");
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(fault(), QString());
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(app.workspace().scene().voxels()->grid.voxel_m[0], 2);
}

TEST_F(FaultsTest, TheStartPageNamesTheSceneOfAReport) {
  Report report = test::recorded_report();
  report.scene.name = "frame_17.bin";
  const QString file = folder.filePath("h100-little_net-lidar-street.spira.json");
  write_report(file.toStdString(), report);
  app.pages().empty().setReports({file});
  const auto* card = window.findChild<QPushButton*>("report");
  EXPECT_EQ(card->text(), "Lidar street");
  EXPECT_THAT(card->toolTip().toStdString(), HasSubstr("frame_17.bin"));
}

}  // namespace
}  // namespace spira::ui

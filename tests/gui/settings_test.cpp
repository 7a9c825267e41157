// Tests the files in the user's folder. They must be written completely, and invalid files must be moved
// aside. Also tests the settings, the recent files and the folders of the user.
#include "ui/settings/settings.hpp"

#include "ui/settings/recent_files.hpp"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace spira::ui {
namespace {

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(bytes);
}

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

TEST(JsonFile, AnUnreadableFileIsSetAsideWithANoticeAndTheDefaultsApply) {
  const QByteArray good = R"({"schema":"spirascope.settings","version":1,"values":{"look.theme":"dark"}})";
  const std::vector<std::pair<const char*, QByteArray>> bad{
      {"empty", ""},
      {"torn", good.left(40)},
      {"no object", "[1,2]"},
      {"another schema", R"({"schema":"other","version":1})"},
      {"newer", R"({"schema":"spirascope.settings","version":7})"},
      {"no version", R"({"schema":"spirascope.settings"})"}};
  for (const auto& [what, bytes] : bad) {
    QTemporaryDir folder;
    const QString path = folder.filePath("settings.json");
    write(path, bytes);
    const Settings settings(folder.path());
    EXPECT_EQ(settings.text("look.theme"), "system") << what;
    EXPECT_THAT(settings.notice().toStdString(), testing::HasSubstr("settings.json.bak")) << what;
    EXPECT_EQ(read(path + ".bak"), bytes) << what;
    EXPECT_FALSE(QFile::exists(path)) << what;
  }
  QTemporaryDir folder;
  write(folder.filePath("settings.json"), good);
  const Settings settings(folder.path());
  EXPECT_EQ(settings.text("look.theme"), "dark");
  EXPECT_TRUE(settings.notice().isEmpty());
}

TEST(Settings, AreSavedValidatedAndReset) {
  QTemporaryDir folder;
  {
    Settings settings(folder.path());
    QSignalSpy changed(&settings, &Settings::changed);
    EXPECT_TRUE(settings.set("look.text_percent", 150));
    EXPECT_TRUE(settings.set("look.text_percent", 150));
    EXPECT_EQ(changed.count(), 1) << "setting the same value must not send a signal";
    EXPECT_FALSE(settings.set("look.text_percent", 900));
    EXPECT_FALSE(settings.set("look.text_percent", "large"));
    EXPECT_FALSE(settings.set("look.theme", "pink"));
    EXPECT_FALSE(settings.set("no.such", true));
    EXPECT_TRUE(settings.set("look.reduced_motion", true));
    settings.setKeys({{"run.run", "F6"}});
  }
  Settings again(folder.path());
  EXPECT_EQ(again.whole("look.text_percent"), 150);
  EXPECT_TRUE(again.truth("look.reduced_motion"));
  EXPECT_EQ(again.keys().at("run.run"), "F6");
  again.resetAll();
  EXPECT_TRUE(again.isInitial("look.text_percent"));
  EXPECT_EQ(Settings(folder.path()).whole("look.text_percent"), 100);
  EXPECT_EQ(Settings(folder.path()).keys().size(), 1U)
      << "resetting the settings must keep the shortcuts, which have a separate button";
}

TEST(Settings, InvalidValuesAreIgnoredAndUnknownOnesAreKept) {
  QTemporaryDir folder;
  write(folder.filePath("settings.json"),
        R"({"schema":"spirascope.settings","version":1,"later":5,
            "values":{"look.theme":7,"look.text_percent":120,"of.later":"x"}})");
  Settings settings(folder.path());
  EXPECT_EQ(settings.text("look.theme"), "system");
  EXPECT_EQ(settings.whole("look.text_percent"), 120);
  settings.set("look.theme", "light");
  const QJsonObject kept = QJsonDocument::fromJson(read(folder.filePath("settings.json"))).object();
  EXPECT_EQ(kept["later"].toInt(), 5);
  EXPECT_EQ(kept["values"].toObject()["of.later"].toString(), "x");
}

TEST(Settings, TwoWindowsKeepTheSettingsOfEachOther) {
  QTemporaryDir folder;
  Settings one(folder.path()), other(folder.path());
  one.setKeys({{"run.run", "F6"}, {"view.axes", "Y"}});
  other.set("look.text_percent", 150);
  one.set("look.theme", "dark");
  other.setKeys({{"run.stop", "F7"}});
  one.setKeys({{"run.run", "F8"}});  // Saving these keys resets the key of view.axes.
  other.set("look.theme", "light");
  const Settings both(folder.path());
  EXPECT_EQ(both.whole("look.text_percent"), 150);
  EXPECT_EQ(both.text("look.theme"), "light") << "the last writer must win";
  EXPECT_EQ(both.keys(), (std::map<QString, QString>{{"run.run", "F8"}, {"run.stop", "F7"}}));
  EXPECT_EQ(one.text("look.theme"), "dark")
      << "a window must keep its theme until the theme changes in this window";
}

TEST(JsonFile, ConcurrentChangesAreAllKept) {
  QTemporaryDir folder;
  const QString path = folder.filePath("settings.json");
  constexpr int writers = 3, changes = 15;
  std::vector<std::thread> all;
  for (int writer = 0; writer < writers; ++writer)
    all.emplace_back([path, writer] {
      JsonFile file(path, "spirascope.settings", 1);
      for (int at = 0; at < changes; ++at)
        file.change({}, [&](QJsonObject& object) { object[QString("%1-%2").arg(writer).arg(at)] = at; });
    });
  for (std::thread& one : all)
    one.join();
  EXPECT_EQ(JsonFile(path, "spirascope.settings", 1).read().size(), (writers * changes) + 2)
      << "the file must contain all changes, its schema and its version";
  EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files), QStringList("settings.json"))
      << "no lock file must remain";
}

TEST(Settings, AFailedWriteIsReported) {
  QTemporaryDir folder;
  write(folder.filePath("file"), "");
  Settings settings(folder.filePath("file"));  // A file has the name that the folder needs.
  QSignalSpy failed(&settings, &Settings::writeFailed);
  EXPECT_TRUE(settings.set("look.theme", "dark"));
  EXPECT_EQ(failed.count(), 1);
  EXPECT_EQ(settings.text("look.theme"), "dark") << "a setting that cannot be saved must still apply";
}

TEST(UserFolders, FollowTheXdgVariablesAndIgnoreRelativeOnes) {
  const auto with = [](const char* variable, const QByteArray& value, QString (*folder)()) {
    const QByteArray before = qgetenv(variable);
    qputenv(variable, value);
    const QString found = folder();
    before.isEmpty() ? qunsetenv(variable) : qputenv(variable, before);
    return found;
  };
  EXPECT_EQ(with("XDG_CONFIG_HOME", "/there/config", config_folder), "/there/config/spirascope");
  EXPECT_EQ(with("XDG_STATE_HOME", "/there/state", state_folder), "/there/state/spirascope");
  EXPECT_TRUE(with("XDG_CONFIG_HOME", "not/absolute", config_folder).endsWith("/.config/spirascope"));
  EXPECT_TRUE(with("XDG_STATE_HOME", "", state_folder).endsWith("/.local/state/spirascope"));
}

TEST(RecentFiles, NamesShowTheDirectoryWhereTheyRepeat) {
  EXPECT_EQ(distinct_names({"/a/x.bin", "/a/y.bin"}), QStringList({"x.bin", "y.bin"}));
  EXPECT_EQ(distinct_names({"/s/01/x.bin", "/s/02/x.bin", "/s/y.bin"}),
            QStringList({"01/x.bin", "02/x.bin", "y.bin"}));
  EXPECT_EQ(distinct_names({"/a/velo/x.bin", "/b/velo/x.bin"}),
            QStringList({"a/velo/x.bin", "b/velo/x.bin"}));
}

TEST(RecentFiles, PinnedFilesAreFirstAndNeverDropped) {
  QTemporaryDir folder;
  RecentFiles recent(folder.path());
  recent.add("/scenes/a;#.bin", "MinkUNet-42");
  recent.setPinned("/scenes/a;#.bin", true);
  for (int at = 0; at < 40; ++at)
    recent.add(QString("/scenes/%1.bin").arg(at));
  ASSERT_EQ(recent.all().size(), 15U);
  EXPECT_EQ(recent.all().front().path, "/scenes/a;#.bin") << "any file name must be kept";
  EXPECT_EQ(recent.all().front().with, "MinkUNet-42");
  EXPECT_EQ(recent.all()[1].path, "/scenes/39.bin");
  RecentFiles other(folder.path());  // another window
  other.add("/scenes/other.bin");
  recent.add("/scenes/mine.bin");
  EXPECT_TRUE(recent.files().contains("/scenes/other.bin"));
  recent.remove("/scenes/mine.bin");
  EXPECT_FALSE(RecentFiles(folder.path()).files().contains("/scenes/mine.bin"));
  recent.clear();
  EXPECT_EQ(RecentFiles(folder.path()).files(), QStringList("/scenes/a;#.bin"));
}

}  // namespace
}  // namespace spira::ui

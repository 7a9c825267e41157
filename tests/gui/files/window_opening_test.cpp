// Tests opening: formats chosen by name, invalid frames, refused voxel sizes, recent files, and the state
// after a failure.
#include "tests/gui/window_fixture.hpp"
#include "ui/features/open/open_as_dialog.hpp"
#include "ui/settings/recent_files.hpp"
#include "ui/window/banner.hpp"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <QTreeWidget>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

namespace spira::ui {
namespace {

QString write_file(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
  QFile file(folder.filePath(name));
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(bytes);
  return file.fileName();
}

/// Returns 4 float32 values for each point. The size fits KITTI points, but the values fit no format that is
/// detected automatically.
QByteArray kitti_far_away(int points) {
  QByteArray bytes;
  for (int at = 0; at < points; ++at) {
    const std::array<float, 4> point{9e6F + static_cast<float>(at), 5.0F, 1.0F, 300.0F};
    bytes.append(reinterpret_cast<const char*>(point.data()), sizeof(point));
  }
  return bytes;
}

QByteArray rows(int points) {
  QByteArray text;
  for (int at = 0; at < points; ++at)
    text += QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1();
  return text;
}

/// Returns points in the middle of a stack of 1 m cells.
QByteArray column(int cells) {
  QByteArray text;
  for (int z = 0; z < cells; ++z)
    text += QString("0.5 0.5 %1\n").arg(z + 0.5).toLatin1();
  return text;
}

/// Replaces the standard input of this program by a file while it exists.
class Piped {
 public:
  explicit Piped(const QString& file) : before_(dup(STDIN_FILENO)) {
    const int descriptor = ::open(file.toLocal8Bit().constData(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    close(descriptor);
  }
  ~Piped() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

 private:
  int before_;
};

/// Waits for the next dialog, calls `look`, and accepts the dialog with the format that begins with `label`.
void choose_in_dialog(const QString& label, const std::function<void(const QTreeWidget&)>& look = {}) {
  auto* timer = new QTimer(qApp);
  QObject::connect(timer, &QTimer::timeout, timer, [label, look, timer] {
    auto* dialog = qobject_cast<OpenAsDialog*>(QApplication::activeModalWidget());
    auto* list = dialog != nullptr ? dialog->findChild<QTreeWidget*>("readings") : nullptr;
    if (list == nullptr || list->topLevelItemCount() == 0) return;
    timer->deleteLater();
    if (look) look(*list);
    for (int row = 0; row < list->topLevelItemCount(); ++row) {
      if (list->topLevelItem(row)->text(0).startsWith(label)) list->setCurrentItem(list->topLevelItem(row));
    }
    dialog->accept();
  });
  timer->start(20);
}

/// Returns the button of the banner with this text, or `nullptr`.
QPushButton* button_of(const Banner& banner, const QString& text) {
  for (auto* button : banner.findChildren<QPushButton*>()) {
    if (button->text() == text) return button;
  }
  return nullptr;
}

TEST_F(WindowTest, RowsWithoutAHeaderAreDescribedInOpenAs) {
  QTemporaryDir folder;
  QByteArray rows;
  for (const qint16 value : std::initializer_list<qint16>{1, 2, 3, 4, 5, 6})
    rows.append(reinterpret_cast<const char*>(&value), sizeof value);
  const QString file = write_file(folder, "scan.dat", rows);
  auto* timer = new QTimer(qApp);
  QString preview;
  QObject::connect(timer, &QTimer::timeout, timer, [timer, &preview] {
    auto* dialog = qobject_cast<OpenAsDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    auto* description = dialog->findChild<QLineEdit*>("row_description");
    if (description->text().isEmpty()) description->setText("i16:x,y,z");
    preview = dialog->findChild<QLabel*>("row_preview")->text();
    if (preview.isEmpty()) return;
    timer->deleteLater();
    dialog->accept();
  });
  timer->start(20);
  window.open(file);
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  emit window.jobs().failed(Error(ErrorKind::input, "as if it were refused"));
  QPushButton* open_as = button_of(window.banner(), "Open as...");
  ASSERT_NE(open_as, nullptr);
  open_as->click();
  EXPECT_EQ(preview, "1  2  3\n4  5  6");
  ASSERT_TRUE(waitFor(
      [&] { return idle() && window.workspace().cloud() && window.workspace().cloud()->size() == 2; }));
  EXPECT_EQ(window.workspace().cloud()->format, "rows:i16:x,y,z");
}

TEST_F(WindowTest, AFormatCanBeNamedWhereTheGuessIsWrong) {
  QTemporaryDir folder;
  const QString file = write_file(folder, "scan.dat", kitti_far_away(50));
  QSignalSpy failed(&window.jobs().lane(), &EngineLane::failed);
  window.open(file);
  ASSERT_TRUE(waitFor([&] { return failed.count() == 1 && idle(); }));
  EXPECT_FALSE(window.banner().text().contains("--format"));
  QPushButton* open_as = button_of(window.banner(), "Open as...");
  ASSERT_NE(open_as, nullptr);
  choose_in_dialog("KITTI");
  QTest::mouseClick(open_as, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels(); }));
  EXPECT_EQ(window.workspace().cloud()->size(), 50);
}

TEST_F(WindowTest, NextPassesAFrameThatCannotBeRead) {
  QTemporaryDir folder;
  write_file(folder, "frame1.xyz", rows(50));
  write_file(folder, "frame2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  write_file(folder, "frame3.xyz", rows(200));
  window.open(folder.path());
  ASSERT_TRUE(waitFor([&] { return window.workspace().voxels() && idle(); }));
  ASSERT_EQ(window.workspace().frames().size(), 3U);
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return window.banner().isVisible() && idle(); }));
  EXPECT_TRUE(window.banner().text().contains("frame2.ply"));
  EXPECT_EQ(window.workspace().frame(), 1) << "the place of the bad frame";
  EXPECT_TRUE(window.workspace().frameRefused());
  EXPECT_EQ(window.workspace().cloud()->size(), 50) << "what was open stays";
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().cloud()->size() == 200; }));
  EXPECT_EQ(window.workspace().frame(), 2);
  EXPECT_FALSE(window.workspace().frameRefused());
  ASSERT_TRUE(window.commands().trigger("frame.previous"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().frame() == 1; }));
  ASSERT_TRUE(window.commands().trigger("frame.previous"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().cloud()->size() == 50; }));
}

TEST_F(WindowTest, AFolderOpensWithItsFirstFrameThatCanBeRead) {
  QTemporaryDir folder;
  write_file(folder, "frame1.bin", "xx");
  write_file(folder, "frame2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  write_file(folder, "frame3.xyz", rows(200));
  window.open(folder.path());
  ASSERT_TRUE(waitFor([&] { return window.workspace().voxels() && idle(); }));
  EXPECT_EQ(window.workspace().frames().size(), 3U) << "they keep their places";
  EXPECT_EQ(window.workspace().frame(), 2);
  EXPECT_EQ(window.workspace().cloud()->size(), 200);
  EXPECT_TRUE(window.banner().text().contains("frame1.bin, frame2.ply"))
      << window.banner().text().toStdString();
  ASSERT_TRUE(window.commands().trigger("frame.previous"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().frameRefused(); }));
  QStringList ways;
  for (auto* button : window.banner().findChildren<QPushButton*>())
    ways += button->text();
  EXPECT_TRUE(ways.contains("Show first bytes")) << "of the frame, not of the folder";
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && !window.workspace().frameRefused(); }));
  EXPECT_FALSE(window.banner().isVisible()) << "the frame that is shown is right";
}

TEST_F(WindowTest, AFolderWithoutAFrameThatCanBeReadSaysSo) {
  QTemporaryDir folder;
  write_file(folder, "frame1.bin", "xx");
  write_file(folder, "frame2.bin", "x");
  window.open(folder.path());
  ASSERT_TRUE(waitFor([&] { return window.banner().isVisible() && idle(); }));
  EXPECT_FALSE(window.workspace().voxels());
}

TEST_F(WindowTest, ARefusedVoxelSizeLeavesTheFieldAndIsTriedAgainWithMoreBits) {
  open("street");
  const auto before = window.workspace().grid();
  auto* field = window.findChild<QLineEdit*>("grid");
  field->setText("0.01");
  field->setModified(true);
  emit field->editingFinished();
  ASSERT_TRUE(waitFor([&] { return window.banner().isVisible() && idle(); }));
  EXPECT_EQ(window.workspace().grid().voxel_m, before.voxel_m);
  EXPECT_EQ(field->text(), "0.1");
  QTest::mouseClick(window.banner().findChildren<QPushButton*>().front(), Qt::LeftButton);  // accepts 64 bits
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->grid.voxel_m[0] == 0.01; }));
  EXPECT_EQ(field->text(), "0.01");
}

TEST(RecentFilesTest, KeepWholePathsAndTheFolderOfASequence) {
  QTemporaryDir state, folder;
  write_file(folder, "frame1.xyz", rows(50));
  write_file(folder, "frame2.xyz", rows(80));
  MainWindow window(std::make_shared<const Registry>(app::make_registry()), state.path());
  QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
  const QString here = QDir::currentPath();
  ASSERT_TRUE(QDir::setCurrent(folder.path() + "/.."));
  window.open(QDir(folder.path()).dirName());
  EXPECT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000));
  window.jobs().scenes().showFrame(1);
  EXPECT_TRUE(QTest::qWaitFor([&] { return opened.count() == 2; }, 60'000));
  ASSERT_TRUE(QDir::setCurrent(here));
  EXPECT_EQ(RecentFiles(state.path()).files(), QStringList(folder.path()));
}

TEST_F(WindowTest, EveryFormatShowsWhatTheFileWouldBeAsIt) {
  QTemporaryDir folder;
  QByteArray bytes;
  for (int at = 0; at < 600; ++at) {  // 9,600 bytes: whole rows of 4, 5 and 6 numbers
    const float angle = 0.01F * static_cast<float>(at), range = 8.0F + (3.0F * std::sin(7.3F * angle));
    std::array<float, 4> point{range * std::cos(angle), range * std::sin(angle),
                               -1.7F + (0.2F * std::sin(31.0F * angle)),
                               std::fmod(0.37F * static_cast<float>(at), 1.0F)};
    if (at < 2) point = {1.5F + (0.1F * static_cast<float>(at)), 2.0F, 0.25F, 0.5F};
    bytes.append(reinterpret_cast<const char*>(point.data()), sizeof(point));
  }
  const QString file = write_file(folder, "scan.bin", bytes);
  open(file);
  EXPECT_EQ(window.workspace().cloud()->format, "kitti");
  QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
  choose_in_dialog("x, y, z, r, g, b", [](const QTreeWidget& list) {
    const auto row = [&](const QString& label) {
      return list.findItems(label, Qt::MatchStartsWith).value(0);
    };
    EXPECT_TRUE(list.topLevelItem(0)->text(0).startsWith("KITTI"));
    EXPECT_TRUE(list.topLevelItem(0)->text(1).endsWith("best guess"));
    ASSERT_NE(row("x, y, z, r, g, b"), nullptr);
    EXPECT_TRUE(row("KITTI")->text(2).startsWith("1.5  2  0.25  |  0.5\n1.6"))
        << row("KITTI")->text(2).toStdString();
    EXPECT_TRUE(row("nuScenes")->text(2).contains("\n2  0.25  0.5"))
        << row("nuScenes")->text(2).toStdString();
    EXPECT_EQ(row("PLY")->text(1), "no");
    EXPECT_TRUE(row("PLY")->toolTip(1).contains("scan.bin"));
  });
  ASSERT_TRUE(window.commands().action("file.open_as") != nullptr);
  emit window.jobs().failed(Error(ErrorKind::input, "as if it were refused"));
  for (auto* button : window.banner().findChildren<QPushButton*>()) {
    if (button->text() == "Open as...") button->click();
  }
  ASSERT_TRUE(waitFor([&] { return opened.count() == 1 && idle(); }));
  EXPECT_EQ(window.workspace().cloud()->format, "xyzrgb");
}

TEST(StandardInputTest, OpensAndIsKeptNowhere) {
  QTemporaryDir state, folder;
  MainWindow window(std::make_shared<const Registry>(app::make_registry()), state.path());
  QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
  const Piped piped(write_file(folder, "column.xyz", rows(200)));
  window.open("-");
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000));
  EXPECT_EQ(window.workspace().cloud()->size(), 200);
  EXPECT_EQ(window.windowTitle(), "standard input - SpiraScope");
  EXPECT_TRUE(RecentFiles(state.path()).files().isEmpty());
  for (const char* id : {"file.save_session", "file.save_session_as", "file.reload", "file.watch"})
    EXPECT_TRUE(window.commands().whyNot(id).contains("standard input")) << id;
  window.jobs().scenes().againWithEvery(2);
  EXPECT_TRUE(window.banner().text().contains("cannot be read again"));
  EXPECT_EQ(window.workspace().cloud()->size(), 200);
}

/// The input is already read when the scene does not fit, so the remedies must not read it again.
TEST(StandardInputTest, APackingThatIsTooTightIsWidenedWithoutReadingAgain) {
  QTemporaryDir folder;
  MainWindow window(std::make_shared<const Registry>(app::make_registry()), QString());
  window.workspace().setGrid(parse_grid("1"));
  window.workspace().setPack(PackSpec::bits32());
  window.jobs().scenes().options().keep_grid = true;
  window.jobs().scenes().options().keep_pack = true;
  QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened),
      failed(&window.jobs().lane(), &EngineLane::failed);
  const Piped piped(write_file(folder, "column.xyz", column(400)));
  window.open("-");
  ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, 60'000));
  window.jobs().scenes().againWith(PackSpec::bits64());
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000)) << failed.count();
  EXPECT_EQ(window.workspace().cloud()->size(), 400);
}

/// The cells fit into 8 bits of z at K = 3. At K = 5, an offset would leave the field unnoticed.
TEST_F(WindowTest, AKernelThatThePackingIsTooTightForIsRefusedWithAWayOut) {
  QTemporaryDir folder;
  window.jobs().runs().chooseNetwork("minkunet42");
  window.workspace().setGrid(parse_grid("1"));
  window.workspace().setPack(PackSpec::bits32());
  window.jobs().scenes().options().keep_grid = true;
  window.jobs().scenes().options().keep_pack = true;
  open(write_file(folder, "column.xyz", column(255)));
  window.workspace().setSceneKernelSize(5);
  ASSERT_TRUE(waitFor([&] { return window.banner().isVisible() && idle(); }));
  EXPECT_TRUE(window.banner().text().contains("K = 5"));
  EXPECT_EQ(window.workspace().shownMap(-1).densities->kernel_size, 3) << "what was shown stays";
  for (auto* button : window.banner().findChildren<QPushButton*>()) {
    EXPECT_FALSE(button->text().startsWith("Crop")) << "nothing was opened";
    if (button->text() == "Use 64 bits") button->click();
  }
  const auto shows_five = [&] {
    const auto densities = window.workspace().shownMap(-1).densities;
    return idle() && densities && densities->kernel_size == 5;
  };
  ASSERT_TRUE(waitFor(shows_five));
  EXPECT_EQ(window.workspace().voxels()->pack, PackSpec::bits64());
}

TEST_F(WindowTest, APackingThatIsChosenHoldsTheKernelsOfLessonsToo) {
  QTemporaryDir folder;
  window.jobs().runs().chooseNetwork("minkunet42");
  window.workspace().setGrid(parse_grid("1"));
  window.jobs().scenes().options().keep_grid = true;
  open(write_file(folder, "column.xyz", column(255)));
  EXPECT_EQ(window.workspace().pack().word_bits(), 32);
  EXPECT_EQ(window.workspace().pack().z_bits, 9);
}

TEST_F(WindowTest, ANetworkGivenAsAFileBecomesTheNetworkOfTheOpenScene) {
  const QTemporaryDir folder;
  const QString file =
      write_file(folder, "net.json", R"({"name": "own", "layers": [{"name": "a", "out_channels": 4}]})");
  open("room");
  const auto voxels = window.workspace().voxels();
  window.open(file);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().network()->name == "own"; }));
  EXPECT_FALSE(window.banner().isVisible()) << window.banner().text().toStdString();
  EXPECT_EQ(window.workspace().voxels(), voxels);
  runNetwork(file.toLocal8Bit().constData());
}

TEST_F(WindowTest, JsonThatCannotBeOpenedSaysWhatItIsAndWhatIsWrong) {
  const QTemporaryDir folder;
  open("room");
  const auto voxels = window.workspace().voxels();
  const std::pair<QByteArray, const char*> all[] = {
      {"{ \"layers\" [", ": invalid JSON at line 1, column 12: unexpected "},
      {"{\"a\": [1, 2", ": invalid JSON at line 1, column 12: unexpected end of the text"},
      {"{\"a\": 1}", ": JSON, but not a document of SpiraScope"},
      {R"({"layers": [{"name": "a", "out_channels": 1e9999}]})", "the number is out of range (1e9999)"},
      {R"({"layers": [{"name": "a", "name": "b", "out_channels": 4}]})",
       "layers[0].name: the key occurs twice"},
      {R"({"schema": "spira.sweep 1"})", ": this file is a sweep. This window opens scenes, reports"}};
  for (const auto& [text, says] : all) {
    const QString file = write_file(folder, "x.json", text);
    window.open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && window.banner().isVisible(); })) << says;
    const std::string shown = window.banner().text().toStdString();
    EXPECT_NE(shown.find(says), std::string::npos) << shown;
    EXPECT_NE(shown.find("x.json"), std::string::npos) << shown;
    EXPECT_EQ(window.workspace().voxels(), voxels);
    window.banner().hideMessage();
  }
}

TEST_F(WindowTest, APipeIsRefusedAndDoesNotBlock) {
  const QTemporaryDir folder;
  const QString pipe = folder.filePath("scan.bin");
  ASSERT_EQ(mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
  window.open(pipe);
  EXPECT_TRUE(window.banner().isVisible());
  EXPECT_NE(window.banner().text().toStdString().find("scan.bin: is a pipe or a device"), std::string::npos);
  window.banner().hideMessage();
  window.openAll({write_file(folder, "a.xyz", rows(9)), pipe}, {});
  EXPECT_TRUE(window.banner().isVisible());
  EXPECT_FALSE(window.jobs().lane().busy());
}

}  // namespace
}  // namespace spira::ui

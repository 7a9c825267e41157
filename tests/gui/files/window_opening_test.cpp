// Tests opening files in the window: formats that the user selects, invalid frames, refused voxel sizes,
// recent files, and the state after an error.
#include "app/common/backends.hpp"
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

/// Returns 4 float32 values for each point. The file size suits KITTI points, but the values do not fit any
/// format that is detected automatically.
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

/// Returns points in a stack of 1 m cells. Each point is in the middle of a cell.
QByteArray column(int cells) {
  QByteArray text;
  for (int z = 0; z < cells; ++z)
    text += QString("0.5 0.5 %1\n").arg(z + 0.5).toLatin1();
  return text;
}

/// Replaces the standard input of this program with a file during the lifetime of the object.
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

/// Calls `look` on the next dialog. Then selects the format that begins with `label` and accepts the dialog.
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
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  emit app.jobs().lane().failed(Error(ErrorKind::input, "as if it were refused"));
  QPushButton* open_as = button_of(banner_of(window), "Open as...");
  ASSERT_NE(open_as, nullptr);
  open_as->click();
  EXPECT_EQ(preview, "1  2  3\n4  5  6");
  ASSERT_TRUE(waitFor([&] {
    return idle() && app.workspace().scene().cloud() && app.workspace().scene().cloud()->size() == 2;
  }));
  EXPECT_EQ(app.workspace().scene().cloud()->format, "rows:i16:x,y,z");
}

TEST_F(WindowTest, AFormatCanBeSelectedIfTheDetectedOneIsWrong) {
  QTemporaryDir folder;
  const QString file = write_file(folder, "scan.dat", kitti_far_away(50));
  QSignalSpy failed(&app.jobs().lane(), &EngineLane::failed);
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return failed.count() == 1 && idle(); }));
  EXPECT_FALSE(banner_of(window).text().contains("--format"));
  QPushButton* open_as = button_of(banner_of(window), "Open as...");
  ASSERT_NE(open_as, nullptr);
  choose_in_dialog("KITTI");
  QTest::mouseClick(open_as, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 50);
}

TEST_F(WindowTest, NextSkipsAFrameThatCannotBeRead) {
  QTemporaryDir folder;
  write_file(folder, "frame1.xyz", rows(50));
  write_file(folder, "frame2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  write_file(folder, "frame3.xyz", rows(200));
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  ASSERT_EQ(app.workspace().scene().frames().size(), 3U);
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible() && idle(); }));
  EXPECT_TRUE(banner_of(window).text().contains("frame2.ply"));
  EXPECT_EQ(app.workspace().scene().frame(), 1) << "the current frame must be the invalid frame";
  EXPECT_TRUE(app.workspace().scene().frameRefused());
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 50) << "the previous frame must stay open";
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->size() == 200; }));
  EXPECT_EQ(app.workspace().scene().frame(), 2);
  EXPECT_FALSE(app.workspace().scene().frameRefused());
  ASSERT_TRUE(app.commands().trigger("frame.previous"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 1; }));
  ASSERT_TRUE(app.commands().trigger("frame.previous"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().cloud()->size() == 50; }));
}

TEST_F(WindowTest, AFolderOpensWithItsFirstValidFrame) {
  QTemporaryDir folder;
  write_file(folder, "frame1.bin", "xx");
  write_file(folder, "frame2.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  write_file(folder, "frame3.xyz", rows(200));
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  EXPECT_EQ(app.workspace().scene().frames().size(), 3U) << "invalid frames must stay in the sequence";
  EXPECT_EQ(app.workspace().scene().frame(), 2);
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 200);
  EXPECT_TRUE(banner_of(window).text().contains("frame1.bin, frame2.ply"))
      << banner_of(window).text().toStdString();
  ASSERT_TRUE(app.commands().trigger("frame.previous"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frameRefused(); }));
  QStringList ways;
  for (auto* button : banner_of(window).findChildren<QPushButton*>())
    ways += button->text();
  EXPECT_TRUE(ways.contains("Show first bytes")) << "the banner must offer the bytes of the invalid frame";
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && !app.workspace().scene().frameRefused(); }));
  EXPECT_FALSE(banner_of(window).isVisible()) << "a valid frame must hide the banner";
}

TEST_F(WindowTest, AFolderWithoutAValidFrameIsReported) {
  QTemporaryDir folder;
  write_file(folder, "frame1.bin", "xx");
  write_file(folder, "frame2.bin", "x");
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible() && idle(); }));
  EXPECT_FALSE(app.workspace().scene().voxels());
}

TEST_F(WindowTest, ARefusedVoxelSizeIsResetAndCanBeRetriedWithMoreBits) {
  open("street");
  // An automatic packing would be replaced by a packing that fits.
  app.workspace().requested().setPack(PackSpec::bits32());
  const auto before = app.workspace().requested().grid();
  auto* field = window.findChild<QLineEdit*>("grid");
  field->setText("0.01");
  field->setModified(true);
  emit field->editingFinished();
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible() && idle(); }));
  EXPECT_EQ(app.workspace().requested().grid().voxel_m, before.voxel_m);
  EXPECT_EQ(field->text(), "0.01") << "a refused value stays in its field, so that it can be corrected";
  QTest::mouseClick(banner_of(window).findChildren<QPushButton*>().front(),
                    Qt::LeftButton);  // This click accepts the packing that fits.
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.voxel_m[0] == 0.01; }));
  EXPECT_EQ(field->text(), "0.01");
}

TEST(RecentFilesTest, KeepFullPathsAndTheFolderOfASequence) {
  QTemporaryDir state, folder;
  write_file(folder, "frame1.xyz", rows(50));
  write_file(folder, "frame2.xyz", rows(80));
  Application app(std::make_shared<const Registry>(app::make_registry()), state.path());
  QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
  const QString here = QDir::currentPath();
  ASSERT_TRUE(QDir::setCurrent(folder.path() + "/.."));
  app.opening().open(QDir(folder.path()).dirName());
  EXPECT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000));
  app.jobs().scenes().showFrame(1);
  EXPECT_TRUE(QTest::qWaitFor([&] { return opened.count() == 2; }, 60'000));
  ASSERT_TRUE(QDir::setCurrent(here));
  EXPECT_EQ(RecentFiles(state.path()).files(), QStringList(folder.path()));
}

TEST_F(WindowTest, EveryFormatPreviewsTheFile) {
  QTemporaryDir folder;
  QByteArray bytes;
  for (int at = 0; at < 600; ++at) {  // 9,600 bytes: whole rows of 4, of 5 or of 6 numbers.
    const float angle = 0.01F * static_cast<float>(at), range = 8.0F + (3.0F * std::sin(7.3F * angle));
    std::array<float, 4> point{range * std::cos(angle), range * std::sin(angle),
                               -1.7F + (0.2F * std::sin(31.0F * angle)),
                               std::fmod(0.37F * static_cast<float>(at), 1.0F)};
    if (at < 2) point = {1.5F + (0.1F * static_cast<float>(at)), 2.0F, 0.25F, 0.5F};
    bytes.append(reinterpret_cast<const char*>(point.data()), sizeof(point));
  }
  const QString file = write_file(folder, "scan.bin", bytes);
  open(file);
  EXPECT_EQ(app.workspace().scene().cloud()->format, "kitti");
  QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
  choose_in_dialog("x, y, z, r, g, b", [](const QTreeWidget& list) {
    const auto row = [&](const QString& label) {
      return list.findItems(label, Qt::MatchStartsWith).value(0);
    };
    EXPECT_TRUE(list.topLevelItem(0)->text(0).startsWith("KITTI"));
    EXPECT_TRUE(list.topLevelItem(0)->text(1).endsWith("(best match)"));
    ASSERT_NE(row("x, y, z, r, g, b"), nullptr);
    EXPECT_TRUE(row("KITTI")->text(2).startsWith("1.5  2  0.25  |  0.5\n1.6"))
        << row("KITTI")->text(2).toStdString();
    EXPECT_TRUE(row("nuScenes")->text(2).contains("\n2  0.25  0.5"))
        << row("nuScenes")->text(2).toStdString();
    EXPECT_EQ(row("PLY")->text(1), "not detected");
    EXPECT_TRUE(row("PLY")->toolTip(1).contains("scan.bin"));
  });
  ASSERT_TRUE(app.commands().action("file.open_as") != nullptr);
  emit app.jobs().lane().failed(Error(ErrorKind::input, "as if it were refused"));
  for (auto* button : banner_of(window).findChildren<QPushButton*>()) {
    if (button->text() == "Open as...") button->click();
  }
  ASSERT_TRUE(waitFor([&] { return opened.count() == 1 && idle(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->format, "xyzrgb");
}

TEST(StandardInputTest, OpensAndIsNotStoredInRecentFiles) {
  QTemporaryDir state, folder;
  Application app(std::make_shared<const Registry>(app::make_registry()), state.path());
  MainWindow& window = app.window();
  QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
  const Piped piped(write_file(folder, "column.xyz", rows(200)));
  app.opening().open("-");
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 200);
  EXPECT_EQ(window.windowTitle(), "standard input - SpiraScope");
  EXPECT_TRUE(RecentFiles(state.path()).files().isEmpty());
  for (const char* id : {"file.save_session", "file.save_session_as", "file.reload", "file.watch"})
    EXPECT_TRUE(app.commands().unavailableReason(id).contains("standard input")) << id;
  app.jobs().scenes().againWithEvery(2);
  EXPECT_TRUE(banner_of(window).text().contains("cannot be read twice"));
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 200);
}

/// When the program finds that the scene does not fit, the input has already been read. The suggested fixes
/// must not read it again.
TEST(StandardInputTest, APackingThatIsTooSmallIsWidenedWithoutReadingAgain) {
  QTemporaryDir folder;
  Application app(std::make_shared<const Registry>(app::make_registry()), QString());
  app.workspace().requested().setGrid(parse_grid("1"));
  app.workspace().requested().setPack(PackSpec::bits32());
  app.jobs().scenes().options().keep_grid = true;
  app.jobs().scenes().options().keep_pack = true;
  QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened),
      failed(&app.jobs().lane(), &EngineLane::failed);
  const Piped piped(write_file(folder, "column.xyz", column(400)));
  app.opening().open("-");
  ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, 60'000));
  app.jobs().scenes().againWith(PackSpec::bits64());
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000)) << failed.count();
  EXPECT_EQ(app.workspace().scene().cloud()->size(), 400);
}

/// At K = 3, the cells fit in 8 bits of z. At K = 5, an offset would overflow the bit field without an error.
TEST_F(WindowTest, AKernelThatDoesNotFitThePackingIsRefusedWithASuggestedFix) {
  QTemporaryDir folder;
  app.jobs().runs().chooseNetwork("minkunet42");
  app.workspace().requested().setGrid(parse_grid("1"));
  app.workspace().requested().setPack(PackSpec::bits32());
  app.jobs().scenes().options().keep_grid = true;
  app.jobs().scenes().options().keep_pack = true;
  open(write_file(folder, "column.xyz", column(255)));
  app.workspace().requested().setSceneKernelSize(5);
  ASSERT_TRUE(waitFor([&] { return banner_of(window).isVisible() && idle(); }));
  EXPECT_TRUE(banner_of(window).text().contains("K = 5"));
  EXPECT_EQ(app.workspace().shownMap(-1).densities->kernel.size[0], 3)
      << "a refused kernel must keep the map";
  for (auto* button : banner_of(window).findChildren<QPushButton*>()) {
    EXPECT_FALSE(button->text().startsWith("Crop")) << "a refused kernel must not offer a crop";
    if (button->text() == "Use 64 bits") button->click();
  }
  const auto shows_five = [&] {
    const auto densities = app.workspace().shownMap(-1).densities;
    return idle() && densities && densities->kernel.size[0] == 5;
  };
  ASSERT_TRUE(waitFor(shows_five));
  EXPECT_EQ(app.workspace().scene().voxels()->pack, PackSpec::bits64());
}

TEST_F(WindowTest, ASelectedPackingAlsoHoldsTheKernelsOfLessons) {
  QTemporaryDir folder;
  app.jobs().runs().chooseNetwork("minkunet42");
  app.workspace().requested().setGrid(parse_grid("1"));
  app.jobs().scenes().options().keep_grid = true;
  open(write_file(folder, "column.xyz", column(255)));
  EXPECT_EQ(app.workspace().requested().pack().word_bits(), 32);
  EXPECT_EQ(app.workspace().requested().pack().z_bits, 9);
}

TEST_F(WindowTest, ANetworkGivenAsAFileBecomesTheNetworkOfTheOpenScene) {
  const QTemporaryDir folder;
  const QString file =
      write_file(folder, "net.json", R"({"name": "own", "layers": [{"name": "a", "out_channels": 4}]})");
  open("room");
  const auto voxels = app.workspace().scene().voxels();
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().network()->name == "own"; }));
  EXPECT_FALSE(banner_of(window).isVisible()) << banner_of(window).text().toStdString();
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
  runNetwork(file.toLocal8Bit().constData());
}

TEST_F(WindowTest, JsonThatCannotBeOpenedReportsItsKindAndItsError) {
  const QTemporaryDir folder;
  open("room");
  const auto voxels = app.workspace().scene().voxels();
  const std::pair<QByteArray, const char*> all[] = {
      {"{ \"layers\" [", ": invalid JSON at line 1, column 12: unexpected "},
      {"{\"a\": [1, 2", ": invalid JSON at line 1, column 12: unexpected end of the text"},
      {"{\"a\": 1}", ": JSON, but not a document of SpiraScope"},
      {R"({"layers": [{"name": "a", "out_channels": 1e9999}]})", "the number is out of range (1e9999)"},
      {R"({"layers": [{"name": "a", "name": "b", "out_channels": 4}]})",
       "layers[0].name: the key occurs twice"},
      {R"({"schema": "spira.sweep 1"})",
       ": this file is not a scene (its kind is: sweep). This window opens scenes, reports"}};
  for (const auto& [text, says] : all) {
    const QString file = write_file(folder, "x.json", text);
    app.opening().open(file);
    ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); })) << says;
    const std::string shown = banner_of(window).text().toStdString();
    EXPECT_NE(shown.find(says), std::string::npos) << shown;
    EXPECT_NE(shown.find("x.json"), std::string::npos) << shown;
    EXPECT_EQ(app.workspace().scene().voxels(), voxels);
    app.notices().clear();
  }
}

TEST_F(WindowTest, APipeIsRefusedAndDoesNotBlock) {
  const QTemporaryDir folder;
  const QString pipe = folder.filePath("scan.bin");
  ASSERT_EQ(mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
  app.opening().open(pipe);
  EXPECT_TRUE(banner_of(window).isVisible());
  EXPECT_NE(banner_of(window).text().toStdString().find("scan.bin: is a pipe or a device"),
            std::string::npos);
  app.notices().clear();
  app.opening().openAll({write_file(folder, "a.xyz", rows(9)), pipe}, {});
  EXPECT_TRUE(banner_of(window).isVisible());
  EXPECT_FALSE(app.jobs().lane().busy());
}

}  // namespace
}  // namespace spira::ui

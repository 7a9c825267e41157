// Tests that a scene that is opened again looks as before, and that dialogs start in the folder of the last
// file.
#include "tests/gui/window_fixture.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/settings/scene_memory.hpp"
#include "ui/settings/settings.hpp"
#include "ui/window/banner.hpp"

#include <QFileDialog>
#include <QTemporaryDir>
#include <QTimer>

namespace spira::ui {
namespace {

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() { start(); }
  void start() {
    window.reset();  // before the next window uses its files
    window = std::make_unique<MainWindow>(std::make_shared<const Registry>(app::make_registry()),
                                          state.path(), config.path());
    window->resize(1440, 900);
    window->show();
    static_cast<void>(QTest::qWaitForWindowExposed(window.get()));
  }
  QString write(const QString& name, int points) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    for (int at = 0; at < points; ++at)
      file.write(QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1());
    return file.fileName();
  }
  void open(const QString& scene) {
    QSignalSpy opened(&window->jobs().scenes(), &SceneJobs::opened);
    window->open(scene);
    ASSERT_TRUE(settled([&] { return opened.count() == 1; }));
  }
  bool settled(const std::function<bool()>& condition) {
    return QTest::qWaitFor(
        [&] { return condition() && !window->jobs().lane().busy() && window->sceneView().settled(); },
        60'000);
  }
  void leaveMarked(const QString& scene) {
    open(scene);
    window->selection().setColourBy(ColourBy::points_per_voxel);
    Bounds box{{5, 0, -1}, {20, 3, 5}};
    window->jobs().scenes().crop(box);
    ASSERT_TRUE(settled([&] { return window->workspace().voxels()->grid.crop_m.has_value(); }));
    ASSERT_TRUE(window->commands().trigger("view.top"));
    left = window->sceneView().pose();
    crop = box;
  }

  QTemporaryDir state, config, folder;
  std::unique_ptr<MainWindow> window;
  std::optional<CameraPose> left;
  Bounds crop;
};

TEST_F(MemoryTest, CameraCropAndColoursComeBackWithTheirScene) {
  const QString a = write("a.xyz", 200), b = write("b.xyz", 240);
  leaveMarked(a);
  open(b);
  EXPECT_FALSE(window->workspace().voxels()->grid.crop_m) << "another scene";
  open(a);
  EXPECT_EQ(window->workspace().voxels()->grid.crop_m, crop);
  EXPECT_EQ(window->selection().colourBy(), ColourBy::points_per_voxel);
  ASSERT_TRUE(window->sceneView().pose());
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(window->sceneView().pose()->position_m[axis], left->position_m[axis], 1e-3);
  EXPECT_FALSE(window->commands().trigger("edit.undo")) << "that it looks so is no step";
}

TEST_F(MemoryTest, AlsoAtTheNextStartUnlessTheSettingSaysOtherwise) {
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  window->close();
  start();
  open(a);
  EXPECT_EQ(window->workspace().voxels()->grid.crop_m, crop);
  window->close();
  start();
  window->settings().set("scenes.remember", false);
  open(a);
  EXPECT_FALSE(window->workspace().voxels()->grid.crop_m);
}

TEST_F(MemoryTest, ACropThatNoPointIsLeftInCanBeTakenAway) {
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  open(write("b.xyz", 240));
  QFile file(a);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("90 90 0\n91 90 0\n90 91 0\n");
  file.close();
  window->open(a);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->banner().isVisible(); }, 60'000));
  window->jobs().scenes().againWithoutCrop();
  ASSERT_TRUE(settled([&] { return window->workspace().cloud()->size() == 3; }));
}

TEST_F(MemoryTest, ForgetsTheOldestAndAllWithTheRecentFiles) {
  SceneMemory memory(state.path());
  for (std::size_t at = 0; at < SceneMemory::most + 2; ++at)
    memory.keep(QString("/scenes/%1.bin").arg(at), "{}");
  SceneMemory again(state.path());
  EXPECT_TRUE(again.of("/scenes/1.bin").isEmpty());
  EXPECT_EQ(again.of("/scenes/2.bin"), "{}");
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  open(write("b.xyz", 240));
  ASSERT_TRUE(window->commands().trigger("file.clear_recent"));
  EXPECT_TRUE(SceneMemory(state.path()).of(a).isEmpty());
}

TEST_F(MemoryTest, AFileThatIsRemovedTakesItsLookAlongAndUndoBringsBothBack) {
  const QString a = write("a.xyz", 200), b = write("b.xyz", 240);
  leaveMarked(a);
  open(b);
  const QStringList before = window->recentFiles().files();
  ASSERT_EQ(before, (QStringList{b, a}));
  const QString look = SceneMemory(state.path()).of(a);
  ASSERT_FALSE(look.isEmpty());
  emit window->findChild<ScenesPanel*>()->forgetRequested(a);
  EXPECT_EQ(window->recentFiles().files(), QStringList{b});
  EXPECT_TRUE(SceneMemory(state.path()).of(a).isEmpty());
  EXPECT_EQ(window->commands().action("edit.undo")->text(), "Undo remove a.xyz from the list");
  ASSERT_TRUE(window->commands().trigger("edit.undo"));
  EXPECT_EQ(window->recentFiles().files(), before) << "in its place";
  EXPECT_EQ(SceneMemory(state.path()).of(a), look);
  ASSERT_TRUE(window->commands().trigger("edit.redo"));
  EXPECT_EQ(window->recentFiles().files(), QStringList{b});
  EXPECT_TRUE(SceneMemory(state.path()).of(a).isEmpty());
}

TEST_F(MemoryTest, PickedFilesAreNotTheirFirstOne) {
  const QString a = write("a.xyz", 200), b = write("b.xyz", 240);
  QSignalSpy opened(&window->jobs().scenes(), &SceneJobs::opened);
  window->openAll({folder.filePath("readme.md"), a, b});
  ASSERT_TRUE(settled([&] { return opened.count() == 1; }));
  EXPECT_EQ(opened.front()[1].toString(), a) << "what was left out is not opened again";
  window->jobs().scenes().crop(Bounds{{5, 0, -1}, {20, 3, 5}});
  ASSERT_TRUE(settled([&] { return window->workspace().voxels()->grid.crop_m.has_value(); }));
  open(a);
  EXPECT_FALSE(window->workspace().voxels()->grid.crop_m);
}

TEST_F(MemoryTest, ALookIsOnlyForItsOwnScene) {
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  window->selection().setSlab(std::pair(0.0, 1.0));
  window->close();
  start();
  ASSERT_TRUE(QDir(folder.path()).mkdir("frames"));
  write("frames/1.xyz", 240);
  write("frames/2.xyz", 280);
  open(folder.filePath("frames"));
  window->selection().setColourBy(ColourBy::height);
  window->open(a);
  window->jobs().scenes().showFrame(1);
  ASSERT_TRUE(settled([&] { return window->workspace().frame() == 1; }));
  EXPECT_EQ(window->selection().colourBy(), ColourBy::height) << "that opening was overtaken";
  EXPECT_FALSE(window->selection().slab());
  open(a);
  EXPECT_TRUE(window->selection().slab());
  open(write("c.xyz", 320));
  EXPECT_FALSE(window->selection().slab()) << "nobody hid a part of this one";
}

TEST_F(MemoryTest, DialogsBeginInTheFolderOfTheLastScene) {
  open(write("a.xyz", 200));
  window->close();
  start();
  QString begins;
  QTimer::singleShot(200, [&] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    begins = dialog->directory().absolutePath();
    dialog->reject();
  });
  ASSERT_TRUE(window->commands().trigger("file.open"));
  EXPECT_EQ(begins, QDir(folder.path()).absolutePath());
}

}  // namespace
}  // namespace spira::ui

// Tests that a scene has its previous camera, crop and colours when it is opened again, and that dialogs
// start in the folder of the last file.
#include "app/common/backends.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/settings/scene_memory.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
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
    app.reset();  // Destroy the first window before the next window uses its files.
    app = std::make_unique<Application>(std::make_shared<const Registry>(app::make_registry()), state.path(),
                                        config.path());
    app->window().resize(1440, 900);
    app->window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&app->window()));
  }
  QString write(const QString& name, int points) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    for (int at = 0; at < points; ++at)
      file.write(QString("%1 %2 %3\n").arg(at % 40).arg(at / 40).arg(at % 3).toLatin1());
    return file.fileName();
  }
  void open(const QString& scene) {
    QSignalSpy opened(&app->jobs().scenes(), &SceneJobs::opened);
    app->opening().open(scene);
    ASSERT_TRUE(settled([&] { return opened.count() == 1; }));
  }
  bool settled(const std::function<bool()>& condition) {
    return QTest::qWaitFor(
        [&] { return condition() && !app->jobs().lane().busy() && app->sceneView().settled(); }, 60'000);
  }
  void leaveMarked(const QString& scene) {
    open(scene);
    app->selection().look().setColourBy(ColourBy::points_per_voxel);
    Bounds box{{5, 0, -1}, {20, 3, 5}};
    app->jobs().scenes().crop(box);
    ASSERT_TRUE(settled([&] { return app->workspace().scene().voxels()->grid.crop_m.has_value(); }));
    ASSERT_TRUE(app->commands().trigger("view.top"));
    left = app->sceneView().camera().pose();
    crop = box;
  }

  QTemporaryDir state, config, folder;
  std::unique_ptr<Application> app;
  std::optional<CameraPose> left;
  Bounds crop;
};

TEST_F(MemoryTest, CameraCropAndColoursAreRestoredWithTheirScene) {
  const QString a = write("a.xyz", 200), b = write("b.xyz", 240);
  leaveMarked(a);
  open(b);
  EXPECT_FALSE(app->workspace().scene().voxels()->grid.crop_m) << "another scene must open without the crop";
  open(a);
  EXPECT_EQ(app->workspace().scene().voxels()->grid.crop_m, crop);
  EXPECT_EQ(app->selection().look().colourBy(), ColourBy::points_per_voxel);
  ASSERT_TRUE(app->sceneView().camera().pose());
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(app->sceneView().camera().pose()->position_m[axis], left->position_m[axis], 1e-3);
  EXPECT_FALSE(app->commands().trigger("edit.undo"))
      << "restoring the appearance of a scene must not be an undo step";
}

TEST_F(MemoryTest, AppearanceIsRestoredAtTheNextStartUnlessDisabled) {
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  app->window().close();
  start();
  open(a);
  EXPECT_EQ(app->workspace().scene().voxels()->grid.crop_m, crop);
  app->window().close();
  start();
  app->settings().set("scenes.remember", false);
  open(a);
  EXPECT_FALSE(app->workspace().scene().voxels()->grid.crop_m);
}

TEST_F(MemoryTest, ACropWithoutPointsCanBeRemoved) {
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  open(write("b.xyz", 240));
  QFile file(a);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("90 90 0\n91 90 0\n90 91 0\n");
  file.close();
  app->opening().open(a);
  ASSERT_TRUE(QTest::qWaitFor([&] { return banner_of(app->window()).isVisible(); }, 60'000));
  app->jobs().scenes().againWithoutCrop();
  ASSERT_TRUE(settled([&] { return app->workspace().scene().cloud()->size() == 3; }));
}

TEST_F(MemoryTest, ForgetsTheOldestAppearanceAndAllOfThemWithTheRecentFiles) {
  SceneMemory memory(state.path());
  for (std::size_t at = 0; at < SceneMemory::most + 2; ++at)
    memory.keep(QString("/scenes/%1.bin").arg(at), "{}");
  SceneMemory again(state.path());
  EXPECT_TRUE(again.of("/scenes/1.bin").isEmpty());
  EXPECT_EQ(again.of("/scenes/2.bin"), "{}");
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  open(write("b.xyz", 240));
  ASSERT_TRUE(app->commands().trigger("file.clear_recent"));
  EXPECT_TRUE(SceneMemory(state.path()).of(a).isEmpty());
}

TEST_F(MemoryTest, RemovingAFileForgetsItsAppearanceAndUndoRestoresBoth) {
  const QString a = write("a.xyz", 200), b = write("b.xyz", 240);
  leaveMarked(a);
  open(b);
  const QStringList before = app->recentFiles().files();
  ASSERT_EQ(before, (QStringList{b, a}));
  const QString look = SceneMemory(state.path()).of(a);
  ASSERT_FALSE(look.isEmpty());
  emit app->window().findChild<ScenesPanel*>()->forgetRequested(a);
  EXPECT_EQ(app->recentFiles().files(), QStringList{b});
  EXPECT_TRUE(SceneMemory(state.path()).of(a).isEmpty());
  EXPECT_EQ(app->commands().action("edit.undo")->text(), "Undo remove a.xyz from the list");
  ASSERT_TRUE(app->commands().trigger("edit.undo"));
  EXPECT_EQ(app->recentFiles().files(), before) << "undo must restore the file at its previous position";
  EXPECT_EQ(SceneMemory(state.path()).of(a), look);
  ASSERT_TRUE(app->commands().trigger("edit.redo"));
  EXPECT_EQ(app->recentFiles().files(), QStringList{b});
  EXPECT_TRUE(SceneMemory(state.path()).of(a).isEmpty());
}

TEST_F(MemoryTest, SeveralSelectedFilesDoNotSetTheAppearanceOfTheFirst) {
  const QString a = write("a.xyz", 200), b = write("b.xyz", 240);
  QSignalSpy opened(&app->jobs().scenes(), &SceneJobs::opened);
  app->opening().openAll({folder.filePath("readme.md"), a, b});
  ASSERT_TRUE(settled([&] { return opened.count() == 1; }));
  EXPECT_EQ(opened.front()[1].toString(), a) << "a skipped file must not be recorded as the opened file";
  app->jobs().scenes().crop(Bounds{{5, 0, -1}, {20, 3, 5}});
  ASSERT_TRUE(settled([&] { return app->workspace().scene().voxels()->grid.crop_m.has_value(); }));
  open(a);
  EXPECT_FALSE(app->workspace().scene().voxels()->grid.crop_m);
}

TEST_F(MemoryTest, AnAppearanceAppliesOnlyToItsOwnScene) {
  const QString a = write("a.xyz", 200);
  leaveMarked(a);
  app->selection().look().setSlab(std::pair(0.0, 1.0));
  app->window().close();
  start();
  ASSERT_TRUE(QDir(folder.path()).mkdir("frames"));
  write("frames/1.xyz", 240);
  write("frames/2.xyz", 280);
  open(folder.filePath("frames"));
  app->selection().look().setColourBy(ColourBy::height);
  app->opening().open(a);
  app->jobs().scenes().showFrame(1);
  ASSERT_TRUE(settled([&] { return app->workspace().scene().frame() == 1; }));
  EXPECT_EQ(app->selection().look().colourBy(), ColourBy::height)
      << "the look of a scene must not apply if another scene replaces it while it opens";
  EXPECT_FALSE(app->selection().look().slab());
  open(a);
  EXPECT_TRUE(app->selection().look().slab());
  open(write("c.xyz", 320));
  EXPECT_FALSE(app->selection().look().slab()) << "a scene without hidden parts must open without a slab";
}

TEST_F(MemoryTest, DialogsStartInTheFolderOfTheLastScene) {
  open(write("a.xyz", 200));
  app->window().close();
  start();
  QString begins;
  QTimer::singleShot(200, [&] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    begins = dialog->directory().absolutePath();
    dialog->reject();
  });
  ASSERT_TRUE(app->commands().trigger("file.open"));
  EXPECT_EQ(begins, QDir(folder.path()).absolutePath());
}

}  // namespace
}  // namespace spira::ui

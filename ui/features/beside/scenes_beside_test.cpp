// Tests the window with scenes side by side: the numbers of each scene, the common camera and colour range,
// files that cannot be read, and the number of scenes.
#include "ui/features/beside/scenes_beside.hpp"

#include "engine/backend/backend.hpp"
#include "engine/base/text.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/generate/generate.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/small_session.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/beside/scene_pane.hpp"
#include "ui/model/notices.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class BesideTest : public WindowTest {
 protected:
  [[nodiscard]] BesideWindow& beside() { return child<BesideWindow>(window); }
  [[nodiscard]] ScenePane& pane(std::size_t at) { return *beside().panes().at(at); }
  void show(const QStringList& scenes) {
    child<ScenesBeside>(window).showScenes(scenes);
    ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  }
  [[nodiscard]] QString file(const QString& name, const QByteArray& content) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
    return file.fileName();
  }
  [[nodiscard]] QString roomFile(std::uint64_t seed) {
    const QString name = folder.filePath(QString("room%1.ply").arg(seed));
    write_scene(*test::small_room(2000, seed), name.toStdString());
    return name;
  }
  /// Compares the numbers of a pane with the numbers that the engine computes for this cloud and voxel size.
  void expectNumbersOfEngine(const ScenePane& pane, const std::shared_ptr<const PointCloud>& cloud) {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    const Grid grid{pane.voxels()->grid.voxel_m};
    const auto scene = voxelize_scene(*backend, cloud, grid, pane.voxels()->pack, {5, 16}, job);
    const std::int64_t voxels = size_of(scene->level(1));
    EXPECT_EQ(pane.fact("points").toStdString(), count_text(cloud->size()));
    EXPECT_EQ(pane.fact("voxels").toStdString(), count_text(voxels));
    EXPECT_EQ(pane.fact("points_per_voxel"),
              QString::number(static_cast<double>(cloud->size()) / static_cast<double>(voxels), 'f', 2));
    for (const int stride : {1, 4}) {
      const Densities expected = densities(*map_of_scene(*backend, *scene, {3, stride, stride}, job));
      EXPECT_EQ(pane.result()->densities.at(stride)->pairs, expected.pairs) << stride;
    }
    EXPECT_TRUE(pane.chart()->hasContent());
    EXPECT_EQ(pane.view()->hiddenText(), "");
  }
  /// Returns the distance between the camera positions of two panes, in metres.
  [[nodiscard]] double apart(std::size_t one, std::size_t other) {
    const auto a = pane(one).view()->camera().pose(), b = pane(other).view()->camera().pose();
    double squares = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      squares += std::pow(a->position_m.at(axis) - b->position_m.at(axis), 2);
    return std::sqrt(squares);
  }

  QTemporaryDir folder;
};

TEST_F(BesideTest, TwoScenesHaveTheNumbersOfTheEngine) {
  show({"street", "room"});
  ASSERT_EQ(beside().panes().size(), 2U);
  Job job;
  expectNumbersOfEngine(pane(0), built_in_scene("street", job));
  expectNumbersOfEngine(pane(1), built_in_scene("room", job));
  EXPECT_EQ(pane(0).voxels()->grid.voxel_m, pane(1).voxels()->grid.voxel_m);
  EXPECT_THAT(pane(0).fact("packing").toStdString(), HasSubstr("12/12/8"));
  EXPECT_THAT(pane(1).fact("extent").toStdString(), HasSubstr(" m"));
  EXPECT_FALSE(app.workspace().scene().voxels()) << "no scene must be opened";
  const auto camera = pane(0).view()->camera().pose();
  beside().findChild<QToolButton*>("resetCameras")->click();
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_EQ(pane(0).view()->camera().pose(), camera) << "the larger scene must be visible in full";
  for (const QSize& size : {QSize(800, 640), QSize(1440, 700), QSize(1440, 900)}) {
    beside().resize(size);
    QTest::qWait(100);
    ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
    const auto resized = pane(0).view()->camera().pose();
    beside().findChild<QToolButton*>("resetCameras")->click();
    EXPECT_EQ(pane(0).view()->camera().pose(), resized) << size.width() << " x " << size.height();
  }
  for (const char* theme : {"light", "dark"}) {
    app.theme().choose(theme_choice(theme));
    for (const QSize& size : {QSize(1440, 900), QSize(1024, 640)}) {
      beside().resize(size);
      ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
      QTest::qWait(100);
      save_grab(beside(), QString("beside-2-%1-%2").arg(theme).arg(size.width()));
    }
  }
}

TEST_F(BesideTest, EachSceneOfAnotherSizeIsFramedOnItsOwnAndTurnsWithTheOthers) {
  show({"street", "room"});
  // Returns the share of the view height that the scene fills.
  const auto filled = [this](std::size_t at) {
    const QImage picture = pane(at).view()->canvas()->grabFramebuffer();
    int first = picture.height(), last = 0;
    for (int y = 0; y < picture.height(); ++y) {
      bool drawn = false;
      for (int x = picture.width() / 4; x < picture.width() * 3 / 4 && !drawn; ++x)
        drawn = picture.pixelColor(x, y).hsvSaturation() > 100;  // The background is grey.
      if (!drawn) continue;
      first = std::min(first, y);
      last = y;
    }
    return static_cast<double>(last - first) / picture.height();
  };
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_GT(filled(at), 0.15) << at << ": a scene must not be a dot";
    EXPECT_TRUE(pane(at).accessibleName().contains(pane(at).fact("extent"))) << at;
  }
  const auto direction = [this](std::size_t at) {
    const auto pose = pane(at).view()->camera().pose();
    std::array<double, 3> way{};
    double length = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      way.at(axis) = pose->focal_m.at(axis) - pose->position_m.at(axis);
      length += way.at(axis) * way.at(axis);
    }
    for (double& part : way)
      part /= std::sqrt(length);
    return way;
  };
  for (const std::size_t moved : {std::size_t{0}, std::size_t{1}}) {
    const auto before = direction(1 - moved);
    pane(moved).view()->camera().look(moved == 0 ? 1 : 0, moved == 0 ? 0 : 1, 0);
    ASSERT_TRUE(waitFor([&] { return beside().settled() && direction(1 - moved) != before; }));
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(direction(0).at(axis), direction(1).at(axis), 1e-6) << moved;
  }
}

TEST_F(BesideTest, FourRealScenesFitIntoTheSmallestWindow) {
  SPIRA_NEED_REAL_SCENES();
  const auto data = [](const char* name) {
    return QString::fromStdString((test::data_folder() / name).string());
  };
  show({data("kitti/object_000008_front.bin"), data("kitti/sweep_000186.bin"),
        data("kitti/semantickitti_00_000000.bin"), data("indoor/pcl_room_scan1.pcd")});
  ASSERT_EQ(beside().panes().size(), 4U);
  Job job;
  expectNumbersOfEngine(pane(1), load_scene(pane(1).scene().toStdString(), {}, job));
  for (const ScenePane* one : beside().panes())
    EXPECT_EQ(one->message(), "") << one->scene().toStdString();
  beside().resize(1024, 640);
  QApplication::processEvents();
  EXPECT_EQ(beside().size(), QSize(1024, 640)) << "the panes must not require a larger window";
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  for (const char* theme : {"light", "dark"}) {
    app.theme().choose(theme_choice(theme));
    for (const QSize& size : {QSize(1440, 900), QSize(1024, 640)}) {
      beside().resize(size);
      ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
      QTest::qWait(100);
      save_grab(beside(), QString("beside-4-%1-%2").arg(theme).arg(size.width()));
    }
  }
}

TEST_F(BesideTest, AFileThatCannotBeReadHasOneLineAndTheOthersStay) {
  const QString broken = file("broken.pcd", "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nPOINTS many\n");
  show({roomFile(1), broken, folder.filePath("missing.ply")});
  EXPECT_EQ(pane(0).message(), "");
  EXPECT_TRUE(pane(0).voxels());
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_FALSE(pane(at).voxels());
    EXPECT_THAT(pane(at).message().toStdString(), HasSubstr("The scene cannot be shown"));
    const QString fault = pane(at).result()->fault;
    EXPECT_FALSE(fault.isEmpty());
    EXPECT_FALSE(fault.contains('\n')) << fault.toStdString();
    EXPECT_FALSE(fault.startsWith(folder.path())) << fault.toStdString();
  }
  EXPECT_FALSE(app.notices().shown()) << "the main window must not show the error again";
  save_grab(beside(), "beside-broken");
  pane(1).findChild<QToolButton*>("removeScene")->click();
  ASSERT_EQ(beside().panes().size(), 2U);
  EXPECT_TRUE(pane(0).voxels());
}

TEST_F(BesideTest, MoreThanFourScenesAreRefused) {
  show({roomFile(1), roomFile(2)});
  beside().add({roomFile(3), roomFile(4), roomFile(5)});
  EXPECT_EQ(beside().panes().size(), 2U);
  EXPECT_THAT(beside().notice().toStdString(), HasSubstr("At most 4 scenes"));
  beside().add({roomFile(3), roomFile(4)});
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_EQ(beside().panes().size(), 4U);
  EXPECT_EQ(beside().notice(), "");
  EXPECT_FALSE(beside().findChild<QToolButton*>("addScenes")->isEnabled());
}

TEST_F(BesideTest, TheOpenSceneIsTheFirstAndStaysOpen) {
  open(roomFile(1));
  const auto voxels = app.workspace().scene().voxels();
  ASSERT_TRUE(app.commands().trigger("view.beside"));
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  ASSERT_EQ(beside().panes().size(), 1U);
  EXPECT_EQ(pane(0).voxels(), voxels) << "the open scene must not be read again";
  save_grab(beside(), "beside-open");
  beside().add({roomFile(2)});
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_EQ(pane(1).voxels()->grid.voxel_m, voxels->grid.voxel_m);
  const std::vector<QPointer<ScenePane>> shown{&pane(0), &pane(1)};
  QTest::keyClick(&beside(), Qt::Key_Escape);
  EXPECT_TRUE(beside().isHidden());
  EXPECT_TRUE(beside().panes().empty());
  EXPECT_TRUE(waitFor([&] { return !shown[0] && !shown[1]; })) << "the memory of the scenes must be freed";
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
}

TEST_F(BesideTest, CamerasMoveTogetherUntilTheyAreSeparated) {
  show({roomFile(1), roomFile(2)});
  EXPECT_LT(apart(0, 1), 1e-6);
  const auto before = pane(0).view()->camera().pose();
  pane(1).view()->camera().look(1, 0, 0);
  ASSERT_TRUE(waitFor(
      [&] { return beside().settled() && pane(0).view()->camera().pose() != before && apart(0, 1) < 1e-6; }));
  beside().findChild<QCheckBox*>("sameCamera")->click();
  pane(0).view()->camera().look(0, 1, 0);
  QTest::qWait(100);
  EXPECT_GT(apart(0, 1), 0.1);
}

TEST_F(BesideTest, ScenesAtOtherPlacesAreShownFromTheSameSide) {
  QByteArray near, far;
  for (int at = 0; at < 400; ++at) {
    near += QString("%1 %2 0\n").arg(at % 20).arg(at / 20).toLatin1();
    far += QString("%1 %2 7\n").arg(5000 + (at % 20)).arg(3000 + (at / 20)).toLatin1();
  }
  show({file("near.xyz", near), file("far.xyz", far)});
  EXPECT_NEAR(apart(0, 1), std::hypot(5000, 3000, 7), 0.01);
  pane(0).view()->camera().look(1, 0, 0);
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  QTest::qWait(100);
  EXPECT_NEAR(apart(0, 1), std::hypot(5000, 3000, 7), 0.01);
}

TEST_F(BesideTest, AllScenesHaveOneColourRange) {
  QByteArray low, high;
  for (int at = 0; at < 400; ++at) {
    low += QString("%1 %2 %3\n").arg(at % 20).arg(at / 20).arg(at % 4).toLatin1();
    high += QString("%1 %2 %3\n").arg(at % 20).arg(at / 20).arg(10 + (at % 4)).toLatin1();
  }
  show({file("low.xyz", low), file("high.xyz", high)});
  std::array<ColourLegend, 2> legends;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}})
    QObject::connect(pane(at).view(), &SceneView::legendChanged, &beside(),
                     [&legend = legends.at(at)](const ColourLegend& shown) { legend = shown; });
  beside().selection().look().setColourBy(ColourBy::points_per_voxel);
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  beside().selection().look().setColourBy(ColourBy::height);
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_EQ(legends[0].title, "height, m");
  EXPECT_EQ(legends[0].range.low, legends[1].range.low);
  EXPECT_EQ(legends[0].range.high, legends[1].range.high);
  EXPECT_LT(legends[0].range.low, 2);
  EXPECT_GT(legends[0].range.high, 12);
  EXPECT_EQ(legends[0].range_text, "middle 98 % of all scenes");
}

TEST_F(BesideTest, ReadingCanBeStopped) {
  child<ScenesBeside>(window).showScenes({roomFile(1), "street"});
  ASSERT_TRUE(waitFor([&] { return pane(0).voxels() && beside().busy(); }));
  beside().findChild<ActivityRow*>()->findChild<QPushButton*>()->click();
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_FALSE(pane(1).voxels());
  EXPECT_THAT(pane(1).message().toStdString(), HasSubstr("stopped"));
  EXPECT_TRUE(pane(0).voxels());
}

TEST_F(BesideTest, AFewFilesThatAreOpenedTogetherCanBeShownSideBySide) {
  app.opening().openAll({roomFile(1), roomFile(2)});
  ASSERT_TRUE(waitFor([&] { return idle() && app.notices().shown(); }));
  ASSERT_EQ(app.notices().shown()->actions.size(), 1U);
  app.notices().answer(0);
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_TRUE(beside().isVisible());
  EXPECT_EQ(beside().panes().size(), 2U);
  beside().close();
  ASSERT_TRUE(app.commands().trigger("view.beside"));
  ASSERT_TRUE(waitFor([&] { return beside().settled(); }));
  EXPECT_EQ(beside().panes().size(), 2U) << "the command must show the open frames";
}

}  // namespace
}  // namespace spira::ui

// Tests the search for the file on which a report was measured. The file must be read and voxelised with the
// settings of the report.
#include "ui/jobs/scene_finder.hpp"

#include "app/common/backends.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/small_session.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

namespace spira::ui {
namespace {

class SceneFinderTest : public testing::Test {
 protected:
  /// Writes a row of points along z. Each point is in the middle of a cell of 0.1 m.
  [[nodiscard]] QString column(int from, int cells) const {
    const QString name = folder.filePath("column.xyz");
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly)) return {};
    for (int z = from; z < from + cells; ++z)
      file.write(QString("0.05 0.05 %1\n").arg((z + 0.5) / 10).toLatin1());
    return name;
  }
  [[nodiscard]] static std::shared_ptr<const Report> runOf(const QString& file, std::int64_t every) {
    Job job;
    LoadOptions options;
    options.limits.every = every;
    test::SmallSession some;
    some.load(load_scene(file.toStdString(), options, job));
    SamplingProtocol how;
    how.min_samples = how.max_samples = 1;
    return std::make_shared<const Report>(
        make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"}));
  }
  [[nodiscard]] bool finds(const std::shared_ptr<const Report>& report, const QString& file) {
    finder.lookIn(report, file);
    return QTest::qWaitFor([&] { return !finder.looksFor(*report); }, 60'000) &&
           finder.sceneOf(*report) != nullptr;
  }

  QTemporaryDir folder;
  Tasks tasks;
  SceneFinder finder{tasks, std::make_shared<const Registry>(app::make_registry())};
};

TEST_F(SceneFinderTest, FindsASceneOfWhichOnlyEveryThirdPointWasRead) {
  const QString file = column(0, 60);
  const auto report = runOf(file, 3);
  ASSERT_EQ(report->scene.every, 3);
  EXPECT_TRUE(finds(report, file)) << finder.unavailableReason(*report).toStdString();
  EXPECT_EQ(finder.sceneOf(*report)->cloud->size(), 20);
}

TEST_F(SceneFinderTest, TheFoundSceneHasThePositionsOfTheRun) {
  const QString file = column(0, 60);
  Network network = test::little_unet();
  set_neighbourhood(network, {NeighbourShape::ball, 1, 0});
  test::SmallSession some(std::move(network));
  Grid grid = test::small_grid;
  grid.positions = PositionKind::grid;
  Job job;
  static_cast<void>(some.session.load(load_scene(file.toStdString(), {}, job), grid, PackSpec::bits32(),
                                      some.plan.precision, job));
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  const auto report = std::make_shared<const Report>(
      make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"}));
  ASSERT_TRUE(finds(report, file)) << finder.unavailableReason(*report).toStdString();
  EXPECT_EQ(finder.sceneOf(*report)->positions.at(1)->kind, PositionKind::grid);
}

TEST_F(SceneFinderTest, FindsASceneThatFitsOnlyWithTheStrideOfTheNetwork) {
  const QString file = column(8, 255);  // The maximum for 8 bits and K = 3, starting at cell 8.
  const auto report = runOf(file, 1);
  EXPECT_TRUE(finds(report, file)) << finder.unavailableReason(*report).toStdString();
}

}  // namespace
}  // namespace spira::ui

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

#include <array>
#include <vector>

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
  [[nodiscard]] static std::shared_ptr<const Report> nativeRunOf(const QString& file, PositionKind kind) {
    Network network = test::little_unet();
    set_neighbourhood(network, {NeighbourShape::ball, 1, 0});
    test::SmallSession some(std::move(network));
    Grid grid = test::small_grid;
    grid.positions = kind;
    Job job;
    static_cast<void>(some.session.load(load_scene(file.toStdString(), {}, job), grid, PackSpec::bits32(),
                                        some.plan.precision, job));
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

TEST_F(SceneFinderTest, RunsThatDifferInPositionsHaveTheirOwnScenes) {
  const QString file = column(0, 60);
  const std::array kinds{PositionKind::grid, PositionKind::nearest};
  std::vector<std::shared_ptr<const Report>> runs;
  for (const PositionKind kind : kinds)
    runs.push_back(nativeRunOf(file, kind));
  ASSERT_EQ(runs.front()->scene.fingerprint, runs.back()->scene.fingerprint);
  ASSERT_TRUE(finds(runs.front(), file)) << finder.unavailableReason(*runs.front()).toStdString();
  EXPECT_EQ(finder.sceneOf(*runs.back()), nullptr);
  ASSERT_TRUE(finds(runs.back(), file)) << finder.unavailableReason(*runs.back()).toStdString();
  for (std::size_t run = 0; run < runs.size(); ++run)
    EXPECT_EQ(finder.sceneOf(*runs[run])->positions.at(1)->kind, kinds.at(run));
  finder.forgetAllBut({scene_key(*runs.back())});
  EXPECT_EQ(finder.sceneOf(*runs.front()), nullptr);
  EXPECT_NE(finder.sceneOf(*runs.back()), nullptr);
}

TEST_F(SceneFinderTest, FindsASceneThatFitsOnlyWithTheStrideOfTheNetwork) {
  const QString file = column(8, 255);  // The maximum for 8 bits and K = 3, starting at cell 8.
  const auto report = runOf(file, 1);
  EXPECT_TRUE(finds(report, file)) << finder.unavailableReason(*report).toStdString();
}

}  // namespace
}  // namespace spira::ui

// Tests the timelines of a compiled network, and that recording a timeline does not change the results. Skips
// its tests if the back end under test cannot compile networks.
#include "tests/support/small_session.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace spira {
namespace {

using testing::HasSubstr;

// The times of marks on two branches may differ by one step of the clock.
constexpr double clock_step_ms = 0.002;

std::vector<std::byte> bytes_of(const Buffer& buffer) {
  const auto span = buffer.host_span<std::byte>();
  return {span.begin(), span.end()};
}

std::vector<float> result_of(const test::SmallSession& some, NetworkRun& run) {
  return test::values_of(run.output(static_cast<int>(some.network->layers.size()) - 1));
}

/// Compares with a tolerance, because the order in which points are averaged differs between runs.
void expect_same(const std::vector<float>& here, const std::vector<float>& there, const char* what) {
  EXPECT_THAT(here, testing::Pointwise(testing::FloatNear(1e-5F), there)) << what;
}

class NetworkTimelines : public testing::Test {
 protected:
  void SetUp() override {
    const auto room = test::small_room();
    some.load(room);
    compiled = &some.session.compiled(some.plan, job);
    if (!compiled->run) GTEST_SKIP() << compiled->why_not;
  }
  test::SmallSession some{test::little_unet(), test::make_subject()};
  Job job;
  const CompiledNetwork* compiled = nullptr;
};

TEST_F(NetworkTimelines, HaveASpanForEveryPieceOfTheWork) {
  constexpr int repetitions = 5;
  const Timeline timeline = compiled->run->timeline(repetitions, job);
  EXPECT_EQ(timeline.mode, TimelineMode::in_situ);
  EXPECT_EQ(timeline.clock, some.backend->stages().clock());
  EXPECT_THAT(timeline.how, HasSubstr("marks"));
  std::map<StageKey, int> spans;
  for (const TimelineSpan& span : timeline.spans) {
    ++spans[span.stage];
    EXPECT_EQ(span.samples_ms.size(), std::size_t{repetitions}) << span.stage.text();
  }
  std::set<std::string> maps;
  for (const Layer& layer : some.network->layers) {
    EXPECT_EQ(spans["features[" + layer.name + "]"], 1) << layer.name;
    if (spans.contains("map[" + layer.name + "]")) maps.insert(layer.name);
  }
  EXPECT_TRUE(maps.contains("stem") && maps.contains("down"))
      << "each map must be recorded for the first layer that reads it";
  for (const char* once : {"voxelize", "input", "clear"})
    EXPECT_EQ(spans[once], 1) << once;
  EXPECT_EQ(spans.size(), some.network->layers.size() + maps.size() + 3);
}

TEST_F(NetworkTimelines, LieWithinTheRunAndDoNotOverlapOnATrack) {
  const Timeline timeline = compiled->run->timeline(7, job);
  EXPECT_EQ(timeline.wall_ms.size(), 7U);
  EXPECT_EQ(timeline.marked_ms.size(), 7U);
  EXPECT_EQ(timeline.unmarked_ms.size(), 7U);
  const double wall = timeline.shown_wall_ms();
  EXPECT_GT(wall, 0);
  std::map<int, std::vector<const TimelineSpan*>> tracks;
  for (const TimelineSpan& span : timeline.spans) {
    EXPECT_GE(span.start_ms, 0) << span.stage.text();
    EXPECT_GE(span.end_ms, span.start_ms) << span.stage.text();
    EXPECT_LE(span.end_ms, wall + clock_step_ms) << span.stage.text();
    ASSERT_GE(span.track, 0);
    ASSERT_LT(span.track, std::ssize(timeline.tracks)) << span.stage.text();
    tracks[span.track].push_back(&span);
  }
  EXPECT_EQ(std::ssize(tracks), std::ssize(timeline.tracks)) << "each track must have a span";
  for (auto& [track, spans] : tracks) {
    std::sort(spans.begin(), spans.end(),
              [](const auto* a, const auto* b) { return a->start_ms < b->start_ms; });
    for (std::size_t at = 1; at < spans.size(); ++at) {
      EXPECT_GE(spans[at]->start_ms, spans[at - 1]->end_ms - clock_step_ms)
          << spans[at]->stage.text() << " on " << timeline.tracks[static_cast<std::size_t>(track)];
    }
  }
  EXPECT_GT(timeline.overlap_factor(), 0);
  EXPECT_LE(timeline.overlap_factor(), static_cast<double>(timeline.tracks.size()) + 0.1);
}

TEST_F(NetworkTimelines, FollowTheOrderOfTheWork) {
  const Timeline timeline = compiled->run->timeline(3, job);
  const auto span = [&](const StageKey& stage) {
    const auto found = std::find_if(timeline.spans.begin(), timeline.spans.end(),
                                    [&](const TimelineSpan& one) { return one.stage == stage; });
    return found == timeline.spans.end() ? TimelineSpan{} : *found;
  };
  EXPECT_LE(span("voxelize").end_ms, span("map[stem]").start_ms + clock_step_ms);
  EXPECT_LE(span("map[stem]").end_ms, span("features[stem]").start_ms + clock_step_ms);
  EXPECT_LE(span("input").end_ms, span("features[stem]").start_ms + clock_step_ms);
  EXPECT_LE(span("features[stem]").end_ms, span("features[last]").start_ms + clock_step_ms);
  EXPECT_LE(span("map[down]").end_ms, span("clear").start_ms + clock_step_ms);
}

TEST_F(NetworkTimelines, LeaveResultsAndTheRunAsTheyWere) {
  NetworkRun& run = *compiled->run;
  run.run();
  const std::string how = run.facts().how;
  const auto features = result_of(some, run);
  const auto keys = bytes_of(run.level(0).keys);
  static_cast<void>(run.timeline(3, job));
  expect_same(result_of(some, run), features, "outputs of the marked runs");
  EXPECT_EQ(run.facts().how, how);
  for (int again = 0; again < 2; ++again) {
    run.run();
    expect_same(result_of(some, run), features, "outputs after the timelines");
    EXPECT_EQ(bytes_of(run.level(0).keys), keys);
  }
  static_cast<void>(run.timeline(1, job));
  run.run();
  expect_same(result_of(some, run), features, "outputs after a second timeline");
}

TEST_F(NetworkTimelines, ReportAPointOutsideTheGrid) {
  NetworkRun& run = *compiled->run;
  const auto room = test::small_room();
  run.run();
  const auto features = result_of(some, run);
  PointCloud far = *room;
  far.positions.front() = {1e4, 0, 0};
  // The new point changes the origin, so both graphs are rebuilt.
  for (int time = 0; time < 2; ++time) {
    run.set_points(far);
    try {
      static_cast<void>(run.timeline(3, job));
      FAIL() << "the timeline must throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
      EXPECT_THAT(error.what(), HasSubstr("outside the bounding box for which the network was compiled"));
    }
    run.set_points(*room);
    run.run();
    expect_same(result_of(some, run), features, "outputs after the error");
    EXPECT_FALSE(run.timeline(1, job).empty());
  }
}

/// Returns 1,000 points in a box of 16 x 16 x 16 voxels. If `spread` is true, each point is in a separate
/// voxel. Otherwise all but two points are in one voxel.
std::shared_ptr<const PointCloud> crowd(bool spread) {
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = spread ? "spread" : "crowded";
  for (int at = 0; at < 1000; ++at) {
    const Point corner{0.05, 0.05, 0.05};
    const Point there{0.05 + (0.1 * (at % 10)), 0.05 + (0.1 * (at / 10 % 10)), 0.05 + (0.1 * (at / 100))};
    cloud->positions.push_back(spread ? there : corner);
  }
  cloud->positions.back() = {1.55, 1.55, 1.55};
  cloud->positions[500] = {0.75, 0.75, 0.75};
  return cloud;
}

TEST(OverfullTimelines, ReportTheExceededCapacityAndLeaveTheRunUsable) {
  test::SmallSession some(test::little_unet(), test::make_subject());
  some.load(crowd(false));
  Job job;
  const CompiledNetwork& compiled = some.session.compiled(some.plan, job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  NetworkRun& run = *compiled.run;
  run.run();
  const auto features = result_of(some, run);
  // The network runs first without marks and then with marks.
  for (int time = 0; time < 3; ++time) {
    run.set_points(*crowd(true));
    try {
      static_cast<void>(run.timeline(3, job));
      FAIL() << "the timeline must throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("spread: "), HasSubstr("voxels of stride 1; ")));
    }
    run.set_points(*crowd(false));
    EXPECT_FALSE(run.timeline(1, job).empty());
    expect_same(result_of(some, run), features, "outputs of the timeline after the error");
    run.run();
    expect_same(result_of(some, run), features, "outputs of a run after that timeline");
  }
}

TEST(CancelledTimelines, LeaveTheRunUsable) {
  test::SmallSession some(test::little_unet(), test::make_subject());
  some.load(crowd(true));
  Job job;
  const CompiledNetwork& compiled = some.session.compiled(some.plan, job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  std::stop_source stop;
  stop.request_stop();
  Job stopped(stop.get_token());
  EXPECT_THROW(static_cast<void>(compiled.run->timeline(3, stopped)), Error);
  EXPECT_FALSE(compiled.run->timeline(2, job).empty());
}

/// Tests the timeline that Session::measure() records for a compiled network.
TEST(MeasuredTimelines, AreOfTheCompiledNetworkWhereThereIsOne) {
  test::SmallSession some(test::little_unet(), test::make_subject());
  some.load();
  Job job;
  SamplingProtocol how;
  how.min_samples = how.max_samples = 4;
  const auto m = some.session.measure(some.plan, how, job);
  EXPECT_FALSE(m->timeline.empty());
  EXPECT_EQ(m->timeline.wall_ms.size(), 4U);
  EXPECT_EQ(m->timeline.mode,
            m->compiled_wall.ms.empty() ? TimelineMode::one_after_another : TimelineMode::in_situ);
}

}  // namespace
}  // namespace spira

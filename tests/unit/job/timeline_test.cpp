#include "engine/job/timeline.hpp"

#include "engine/job/recorder.hpp"
#include "engine/measure/timeline_text.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

Timeline two_tracks() {
  Timeline head;
  head.mode = TimelineMode::in_situ;
  head.clock = Clock::cuda_events;
  head.how = "one graph";
  head.tracks = {"main branch", "side branch 1"};
  return head;
}

/// Returns the spans of one repetition: first voxelize, then a map in parallel with the input features, then
/// the features. All times are multiplied by `times`.
std::vector<TimelineSpan> repetition(double times) {
  return {{"voxelize", 0, -1, 0, 2 * times},
          {"map[a]", 1, -1, 2 * times, 5 * times},
          {"input", 0, -1, 2 * times, 3 * times},
          {"features[a]", 0, -1, 5 * times, 9 * times}};
}

TEST(Timeline, IsOfTheRepetitionInTheMiddle) {
  TimelineBuilder builder(two_tracks());
  for (const double times : {3.0, 1.0, 2.0})
    builder.add(repetition(times), 10 * times);
  const Timeline timeline = builder.take();
  EXPECT_EQ(timeline.repetition, 2);
  EXPECT_EQ(timeline.shown_wall_ms(), 20);
  EXPECT_EQ(timeline.wall_ms, (std::vector<double>{30, 10, 20}));
  ASSERT_EQ(timeline.spans.size(), 4U);
  EXPECT_EQ(timeline.spans[1].stage, "map[a]");
  EXPECT_EQ(timeline.spans[1].start_ms, 4);
  EXPECT_EQ(timeline.spans[1].samples_ms, (std::vector<double>{9, 3, 6}));
  EXPECT_EQ(timeline.how, "one graph");
}

TEST(Timeline, OfAnEvenNumberIsTheLowerOfTheTwoInTheMiddle) {
  TimelineBuilder builder(two_tracks());
  for (const double times : {4.0, 1.0, 3.0, 2.0})
    builder.add(repetition(times), 10 * times);
  EXPECT_EQ(builder.take().repetition, 3);
}

TEST(Timeline, AddsUpTracksAndOverlap) {
  TimelineBuilder builder(two_tracks());
  builder.add(repetition(1), 10);
  Timeline timeline = builder.take();
  EXPECT_EQ(timeline.busy_ms(0), 7);
  EXPECT_EQ(timeline.busy_ms(1), 3);
  EXPECT_DOUBLE_EQ(timeline.overlap_factor(), 1.0);
  timeline.spans.push_back({"features[a].os", 0, 3, 5, 9});
  EXPECT_EQ(timeline.busy_ms(0), 7) << "a nested span must not count again";
  timeline.marked_ms = {11, 12, 13};
  timeline.unmarked_ms = {10, 11};
  EXPECT_DOUBLE_EQ(timeline.mark_cost_ms(), 1.5);
}

TEST(Timeline, ReportsTheCostOfMarksOnlyIfItIsSignificant) {
  Timeline timeline;
  EXPECT_EQ(mark_cost_text(timeline), "timer overhead was not measured");
  timeline.unmarked_ms = {1.0, 1.01, 1.02};
  timeline.marked_ms = {1.2, 1.21, 1.22};
  EXPECT_EQ(mark_cost_text(timeline), "timer overhead is 0.200 ms per run");
  timeline.marked_ms = {0.9, 1.005, 1.1};
  EXPECT_EQ(mark_cost_text(timeline), "timer overhead is below the spread of runs (IQR 0.100 ms)");
}

TEST(Timeline, WithoutARepetitionIsEmpty) {
  const Timeline timeline = TimelineBuilder(two_tracks()).take();
  EXPECT_TRUE(timeline.empty());
  EXPECT_EQ(timeline.overlap_factor(), 0);
  EXPECT_EQ(timeline.shown_wall_ms(), 0);
}

/// A stage source with a simulated clock. The interval between marks is 1 ms in the first repetition and
/// grows by 0.5 ms per repetition.
class SlowingStages final : public StageSource {
 public:
  [[nodiscard]] Clock clock() const noexcept override { return Clock::steady; }
  void mark(int) override {}
  void collect(std::span<double> since_start_ms) override {
    for (std::size_t slot = 0; slot < since_start_ms.size(); ++slot)
      since_start_ms[slot] = static_cast<double>(slot) * step_;
    step_ += 0.5;
  }

 private:
  double step_ = 1;
};

TEST(Recorder, KeepsTheTimesOfMarks) {
  SlowingStages source;
  Recorder recorder(source);
  TimelineBuilder builder(two_tracks());
  recorder.keep_times(builder);
  for (int round = 0; round < 3; ++round) {
    {
      const Recorder::Scope map(&recorder, "map[conv1]");
      const Recorder::Scope search(&recorder, "search");
    }
    for (int twice = 0; twice < 2; ++twice)
      const Recorder::Scope features(&recorder, "features[conv1]");
    recorder.next_repetition();
  }
  const StageTree stages = recorder.take();
  EXPECT_EQ(stages.nodes[2].samples_ms, (std::vector<double>{2, 3, 4}))
      << "the timeline must not change the stage times";
  const Timeline timeline = builder.take();
  EXPECT_EQ(timeline.wall_ms, (std::vector<double>{7, 10.5, 14}));
  EXPECT_EQ(timeline.repetition, 1);
  ASSERT_EQ(timeline.spans.size(), 4U);
  EXPECT_EQ(timeline.spans[0].stage, "map[conv1]");
  EXPECT_EQ(timeline.spans[1].stage, "map[conv1].search");
  EXPECT_EQ(timeline.spans[1].parent, 0);
  EXPECT_EQ(timeline.spans[1].start_ms, 1.5);
  EXPECT_EQ(timeline.spans[1].end_ms, 3);
  EXPECT_EQ(timeline.spans[3].start_ms, 9) << "a stage that runs twice must have two spans";
  EXPECT_EQ(timeline.spans[3].samples_ms, (std::vector<double>{1, 1.5, 2}));
}

}  // namespace
}  // namespace spira

#include "engine/job/recorder.hpp"

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/job/stage_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace spira {
namespace {

/// A stage source with a simulated clock that advances by 1 ms per mark.
class CountingStages final : public StageSource {
 public:
  [[nodiscard]] Clock clock() const noexcept override { return Clock::cuda_events; }
  void mark(int) override {}
  void collect(std::span<double> since_start_ms) override {
    for (std::size_t slot = 0; slot < since_start_ms.size(); ++slot)
      since_start_ms[slot] = static_cast<double>(slot);
  }
};

/// A stage source whose device is lost after a given number of marks.
class LostStages final : public StageSource {
 public:
  explicit LostStages(int marks) : left_(marks) {}
  [[nodiscard]] Clock clock() const noexcept override { return Clock::cuda_events; }
  void mark(int) override {
    if (left_-- == 0) throw Error(ErrorKind::device, "the device is lost");
  }
  void collect(std::span<double> since_start_ms) override {
    std::fill(since_start_ms.begin(), since_start_ms.end(), 0.0);
  }

 private:
  int left_;
};

TEST(Recorder, AMarkThatFailsAtTheEndOfAStageEndsTheStageNotTheProgram) {
  LostStages source(1);
  Recorder recorder(source);
  { const Recorder::Scope search(&recorder, "search"); }
  const StageTree tree = recorder.take();
  ASSERT_EQ(tree.nodes.size(), 1U);
  EXPECT_TRUE(tree.nodes.front().failed);
}

TEST(Recorder, MakesATreeWithOneSamplePerRepetition) {
  CountingStages source;
  Recorder recorder(source);
  for (int repetition = 0; repetition < 2; ++repetition) {
    {
      const Recorder::Scope map(&recorder, "map[conv1]");
      const Recorder::Scope search(&recorder, "search");
      recorder.add_traffic(100, 10);
    }
    recorder.next_repetition();
  }
  const StageTree tree = recorder.take();
  ASSERT_EQ(tree.nodes.size(), 2U);
  EXPECT_EQ(tree.clock, Clock::cuda_events);
  EXPECT_EQ(tree.key(1).text(), "map[conv1].search");
  // This is the time from slot 0 to slot 3.
  EXPECT_EQ(tree.nodes[0].samples_ms, (std::vector<double>{3, 3}));
  EXPECT_EQ(tree.nodes[1].samples_ms, (std::vector<double>{1, 1}));
  EXPECT_EQ(tree.find("map[conv1].search"), 1);
  EXPECT_EQ(tree.find("search"), -1);
}

TEST(Recorder, AStageEnteredTwiceCountsAsItsSum) {
  CountingStages source;
  Recorder recorder(source);
  { const Recorder::Scope first(&recorder, "os"); }
  { const Recorder::Scope second(&recorder, "os"); }
  const StageTree tree = recorder.take();
  ASSERT_EQ(tree.nodes.size(), 1U);
  EXPECT_EQ(tree.nodes[0].samples_ms, (std::vector<double>{2}));
}

TEST(Recorder, MarksAStageLeftByAnException) {
  CountingStages source;
  Recorder recorder(source);
  try {
    const Recorder::Scope stage(&recorder, "search");
    throw Error(ErrorKind::device, "lost");
  } catch (const Error&) {
    EXPECT_TRUE(recorder.take().nodes.at(0).failed);
  }
}

TEST(Recorder, NullRecorderDoesNothing) {
  Job job;
  const auto stage = job.stage("search");
  job.traffic(1, 1);
  EXPECT_EQ(job.recorder(), nullptr);
}

TEST(StageTree, MergeAppendsByPathAndTakesTheMedian) {
  StageTree a;
  a.nodes.push_back({"map[x]", -1, {1, 5}, 0, 0, false});
  StageTree b;
  b.nodes.push_back({"map[x]", -1, {3}, 0, 0, false});
  b.nodes.push_back({"search", 0, {2}, 0, 0, false});
  a.merge(b);
  ASSERT_EQ(a.nodes.size(), 2U);
  EXPECT_EQ(a.median_ms(0), 3.0);
  EXPECT_EQ(a.key(1).text(), "map[x].search");
  a.nodes[0].samples_ms = {1, 2};
  EXPECT_EQ(a.median_ms(0), 1.5);
}

TEST(Recorder, NamesTheKernelsAndTheLayoutOfAStage) {
  CountingStages clock;
  Recorder recorder(clock);
  Job job({}, &recorder);
  job.kernel("outside");  // No stage is open.
  for (int repetition = 0; repetition < 2; ++repetition) {
    const auto features = job.stage("features[a.b]");
    job.layout("z-runs + pair lists");
    for (const char* step : {"os", "ws", "os"}) {
      const auto stage = job.stage(step);
      job.kernel(std::string(step) == "os" ? "rows" : "row");
    }
  }
  {
    const auto features = job.stage("features[c]");
    job.kernel("rows");
  }
  StageTree tree = recorder.take();
  EXPECT_EQ(tree.kernels(tree.find("features[a.b]")), "z-runs + pair lists: rows + row");
  EXPECT_EQ(tree.kernels(tree.find("features[c]")), "rows");
  EXPECT_EQ(tree.kernels(-1), "");
  StageTree other = tree;
  other.nodes.front().layout = "output-major";
  tree.merge(other);
  EXPECT_EQ(tree.kernels(0), "output-major: rows + row");
  Job unrecorded;
  unrecorded.kernel("rows");
  unrecorded.layout("z-runs");
}

TEST(StageNames, GroupsComeFromTheLastPartOfAPath) {
  EXPECT_EQ(StageKey("map[conv1].search").group(), StageGroup::search);
  EXPECT_EQ(StageKey("map[stage1.block.conv].filter").group(), StageGroup::filter);
  EXPECT_EQ(StageKey("map[conv1].transpose").group(), StageGroup::transpose);
  EXPECT_EQ(StageKey("features[conv1].order").group(), StageGroup::order);
  EXPECT_EQ(StageKey("features[sum].rows").group(), StageGroup::epilogue);
  EXPECT_EQ(StageKey("downsample[2]").group(), StageGroup::downsample);
  EXPECT_EQ(StageKey("voxelize.sort").group(), StageGroup::voxelize);
  EXPECT_EQ(StageKey("nonsense").group(), StageGroup::other);
}

TEST(StageNames, TheRowOrderBelongsToTheMap) {
  EXPECT_TRUE(StageKey("map[conv1]").of_map());
  EXPECT_TRUE(StageKey("map[conv1].search").of_map());
  EXPECT_TRUE(StageKey("features[conv1].order").of_map()) << "the row order of a map belongs to the map";
  EXPECT_FALSE(StageKey("features[conv1].os").of_map());
  EXPECT_FALSE(StageKey("voxelize.sort").of_map());
}

TEST(StageTree, AddsUpTheStagesOfMaps) {
  StageTree tree;
  for (const auto& [name, parent, ms] : {std::tuple{"map[a]", -1, 4.0},
                                         {"search", 0, 3.0},
                                         {"filter", 0, 1.0},
                                         {"features[a]", -1, 8.0},
                                         {"order", 3, 2.0},
                                         {"os", 3, 5.0}})
    tree.nodes.push_back({name, parent, {ms}});
  EXPECT_EQ(tree.maps_ms(), 6) << "the map stage and the row order must be counted once each";
  EXPECT_EQ(StageTree{}.maps_ms(), 0);
}

TEST(StageNames, AKeyKeepsItsText) {
  for (const char* text : {"voxelize", "voxelize.sort", "downsample[2]", "map[conv1]", "map[a.b[0]].search",
                           "features[a].gather.copy", "", "one graph"})
    EXPECT_EQ(StageKey(text).text(), text);
  EXPECT_EQ(StageKey("map[a.b[0]].search"), StageKey("map", "a.b[0]", "search"));
}

TEST(StageNames, AStageOfALayerNamesIt) {
  EXPECT_EQ(StageKey("map[stage1.block.conv].filter").layer(), "stage1.block.conv");
  EXPECT_EQ(StageKey("features[conv1]").layer(), "conv1");
  EXPECT_EQ(StageKey("features[a[0]].os").layer(), "a[0]");
  EXPECT_EQ(StageKey("features[conv1].order").group(), StageGroup::order);
  EXPECT_EQ(StageKey("downsample[2]").layer(), "") << "a stride is not a layer name";
  EXPECT_EQ(StageKey("voxelize.sort").layer(), "");
}

TEST(Job, StopsAtTheNextCheckpointAndReportsProgress) {
  std::stop_source stop;
  int reports = 0;
  Job job(stop.get_token(), nullptr, [&](const Progress& progress) {
    ++reports;
    EXPECT_EQ(progress.what, "reading");
  });
  job.checkpoint({"reading", 1, 2});
  // This checkpoint comes less than 50 ms after the first, so it must not be reported.
  job.checkpoint({"reading", 2, 2});
  EXPECT_EQ(reports, 1);
  stop.request_stop();
  try {
    job.checkpoint({"reading", 2, 2});
    FAIL() << "the checkpoint must throw after a stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

}  // namespace
}  // namespace spira

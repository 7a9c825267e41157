#include "engine/run/measurement.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace spira {
namespace {

SamplingProtocol exactly(int samples) {
  SamplingProtocol how;
  how.warmup = 1;
  how.min_samples = how.max_samples = samples;
  return how;
}

TEST(Measurement, KeepsEverySampleOfEveryStage) {
  test::SmallSession some;
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(4), job);
  EXPECT_EQ(m->wall.ms.size(), 4U);
  ASSERT_EQ(m->layers.size(), some.network->layers.size());
  for (const LayerMeasurement& layer : m->layers) {
    const int features = layer.stages.find("features[" + layer.name + "]");
    ASSERT_GE(features, 0) << layer.name;
    EXPECT_EQ(layer.stages.nodes[static_cast<std::size_t>(features)].samples_ms.size(), 4U);
    EXPECT_EQ(layer.stages.find("map[" + layer.name + "]") < 0, layer.map_shared) << layer.name;
    EXPECT_GT(layer.pairs, 0);
    EXPECT_GT(layer.map_bytes, 0U);
  }
  EXPECT_GE(m->indexing.find("voxelize.sort"), 0);
  EXPECT_GE(m->indexing.find("downsample[2]"), 0);
  EXPECT_LT(m->indexing.find("map[stem]"), 0);
  EXPECT_GT(m->peak_bytes, 0U);
}

TEST(Measurement, NoStageHasAPeakAboveThatOfTheRun) {
  test::SmallSession some;
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(2), job);
  std::vector<const StageTree*> trees{&m->indexing};
  for (const LayerMeasurement& layer : m->layers)
    trees.push_back(&layer.stages);
  for (const StageTree* tree : trees) {
    for (const StageNode& node : tree->nodes) {
      ASSERT_TRUE(node.peak_bytes) << node.name;
      EXPECT_LE(*node.peak_bytes, m->peak_bytes) << node.name;
      if (node.parent >= 0) {
        EXPECT_LE(*node.peak_bytes, tree->nodes[static_cast<std::size_t>(node.parent)].peak_bytes);
      }
    }
  }
}

TEST(Measurement, TheDominantLayerHasThePeakOfTheRun) {
  test::SmallSession some(parse_network(R"({"name": "wide", "layers": [
    {"name": "narrow", "out_channels": 8},
    {"name": "wide", "out_channels": 512},
    {"name": "last", "out_channels": 4}]})",
                                        "wide.json"));
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(2), job);
  EXPECT_EQ(m->layers[1].stages.peak_bytes(), m->peak_bytes);
  EXPECT_LT(m->layers[0].stages.peak_bytes(), m->peak_bytes);
  EXPECT_LT(m->layers[2].stages.peak_bytes(), m->peak_bytes)
      << "the last layer has the smallest output, so its peak must be below that of the run";
  EXPECT_LT(m->indexing.peak_bytes(), m->peak_bytes);
  const auto output = static_cast<std::size_t>(m->layers[1].outputs) * 512 * sizeof(float);
  EXPECT_GT(m->peak_bytes, output);
}

TEST(Measurement, PeaksDoNotDependOnOtherMemoryOfTheSession) {
  test::SmallSession some;
  some.load();
  Job job;
  const auto first = some.session.measure(some.plan, exactly(1), job);
  // This memory belongs to another pool, so the measurement must not count it.
  const Buffer held(make_host_pool(), 1);
  const Buffer more = some.backend->to_device(some.session.result(0)->features->data);
  const auto second = some.session.measure(some.plan, exactly(2), job);
  EXPECT_EQ(second->peak_bytes, first->peak_bytes);
  for (std::size_t at = 0; at < first->layers.size(); ++at)
    EXPECT_EQ(second->layers[at].stages.peak_bytes(), first->layers[at].stages.peak_bytes());
}

TEST(Measurement, CountsUsefulWorkByPairs) {
  test::SmallSession some;
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(1), job);
  const auto& stem = m->layers[0];
  const auto result = some.session.result(0);
  EXPECT_EQ(stem.pairs, result->densities.pairs);
  EXPECT_EQ(stem.useful_flops, 2 * stem.pairs * 4 * 8);
  const auto& up = m->layers[static_cast<std::size_t>(some.index("up"))];
  EXPECT_LT(up.inputs, up.outputs);
  // Each fine voxel is inside exactly one coarse voxel.
  EXPECT_EQ(up.pairs, up.outputs);
}

TEST(Measurement, SumOfStagesAddsTopStagesOnly) {
  const auto tree = [](const char* top, double ms) {
    StageTree stages;
    stages.nodes.push_back({top, -1, {ms, ms, ms + 9}, 0, 0, false});
    stages.nodes.push_back({"search", 0, {ms / 2}, 0, 0, false});
    return stages;
  };
  Measurement m;
  m.indexing = tree("voxelize", 3);
  m.layers.push_back({"a", tree("map[a]", 5), 0, 0, 0, 0, 0, false});
  EXPECT_DOUBLE_EQ(m.sum_of_stages_ms(), 8);
}

TEST(Measurement, MeasuresTheCostOfItsMarks) {
  test::SmallSession some;
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(4), job);
  EXPECT_EQ(m->marked_ms.size(), 4U);
  std::size_t stages = m->indexing.nodes.size();
  for (const auto& layer : m->layers)
    stages += layer.stages.nodes.size();
  EXPECT_GE(m->marks, static_cast<std::int64_t>(2 * stages)) << "each stage must have at least two marks";
  EXPECT_TRUE(m->mark_cost_ms().has_value());
  EXPECT_GE(*m->mark_cost_ms(), 0.0);
}

TEST(Measurement, WallPassesRunWithoutARecorder) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  // The measurement must not use the recorder of the caller.
  Recorder outer(backend->stages());
  Job job({}, &outer);
  some.session.run_all(some.plan, job, {});
  backend->convolutions = backend->recorded_convolutions = 0;
  static_cast<void>(some.session.measure(some.plan, exactly(3), job));
  const int layers = static_cast<int>(some.network->layers.size());
  // The passes are one warm-up, 3 wall passes and 3 isolated passes.
  EXPECT_EQ(backend->convolutions, (1 + 3 + 3) * layers);
  EXPECT_EQ(backend->recorded_convolutions, 3 * layers);
}

TEST(Measurement, PointsAreUploadedOnceAndNothingIsDownloaded) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  backend->like_a_device = true;
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  EXPECT_EQ(backend->uploads, 1);
  EXPECT_EQ(backend->lists_made, 1) << "the point lists must be made once per scene";
  EXPECT_FALSE(some.session.scene()->points_per_voxel.empty());
  const int before = backend->downloads;
  static_cast<void>(some.session.measure(some.plan, exactly(3), job));
  some.session.execute_network(some.plan, job);
  EXPECT_EQ(backend->uploads, 1);
  EXPECT_EQ(backend->lists_made, 1);
  EXPECT_EQ(backend->downloads, before);
}

TEST(Measurement, RepeatsTheSceneThatIsLoaded) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), backend);
  Job job;
  std::int64_t voxels = 0;
  backend->alter_scene = [&](Voxelized& scene) { voxels = scene.coords.size.value(); };
  // All scenes in this loop have the same grid. The scene after the loop has a different grid.
  for (const std::int64_t points : {2000, 300, 2500}) {
    some.load(test::small_room(points));
    some.session.execute_network(some.plan, job);
    EXPECT_EQ(voxels, size_of(some.session.scene()->level(1))) << points << " points";
  }
  static_cast<void>(some.session.load(test::small_room(2500), Grid{{0.3, 0.3, 0.3}, {}}, PackSpec::bits64(),
                                      some.plan.precision, job));
  some.session.execute_network(some.plan, job);
  EXPECT_EQ(voxels, size_of(some.session.scene()->level(1)));
}

TEST(Measurement, InterleavesPassesWithAndWithoutMarks) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  backend->convolutions = backend->recorded_convolutions = 0;
  const int layers = static_cast<int>(some.network->layers.size());
  std::vector<bool> marked;
  int recorded = 0;
  backend->before_convolve = [&] {
    if ((backend->convolutions - 1) % layers == 0)
      marked.push_back(backend->recorded_convolutions > recorded);
    recorded = backend->recorded_convolutions;
  };
  static_cast<void>(some.session.measure(some.plan, exactly(3), job));
  EXPECT_EQ(marked, (std::vector<bool>{false, false, true, false, true, false, true}))
      << "the warm-up must run without marks, followed by interleaved passes";
}

TEST(Measurement, HasATimelineOfItsStagesPass) {
  test::SmallSession some;
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(3), job);
  const Timeline& timeline = m->timeline;
  EXPECT_EQ(timeline.mode, TimelineMode::one_after_another);
  EXPECT_EQ(timeline.tracks, (std::vector<std::string>{"host"}));
  EXPECT_EQ(timeline.wall_ms.size(), 3U);
  EXPECT_EQ(timeline.marked_ms.size(), 3U);
  EXPECT_EQ(timeline.unmarked_ms, m->wall.ms);
  double end_ms = 0;
  for (std::size_t at = 0; at < timeline.spans.size(); ++at) {
    const TimelineSpan& span = timeline.spans[at];
    EXPECT_LE(span.end_ms, timeline.shown_wall_ms()) << span.stage.text();
    ASSERT_LT(span.parent, static_cast<int>(at));
    if (span.parent >= 0) {
      EXPECT_LE(span.end_ms, timeline.spans[static_cast<std::size_t>(span.parent)].end_ms)
          << span.stage.text();
      continue;
    }
    EXPECT_GE(span.start_ms, end_ms) << span.stage.text();
    end_ms = span.end_ms;
  }
  for (const LayerMeasurement& layer : m->layers) {
    const StageKey stage("features", layer.name);
    const auto span = std::find_if(timeline.spans.begin(), timeline.spans.end(),
                                   [&](const TimelineSpan& one) { return one.stage == stage; });
    ASSERT_NE(span, timeline.spans.end()) << stage.text();
    const auto& isolated = layer.stages.nodes[static_cast<std::size_t>(layer.stages.find(stage))];
    EXPECT_EQ(span->samples_ms, isolated.samples_ms) << "the timeline must use the marks of the stages";
  }
}

/// A compiled network that runs nothing but has a timeline.
class TimedRun final : public NetworkRun {
 public:
  explicit TimedRun(int& asked) : asked_(asked) {}
  [[nodiscard]] const NetworkRunFacts& facts() const noexcept override { return facts_; }
  void set_points(const PointCloud&) override {}
  void run() override {}
  [[nodiscard]] Timeline timeline(int repetitions, Job& job) override {
    asked_ = repetitions;
    EXPECT_EQ(job.recorder(), nullptr);
    Timeline head;
    head.mode = TimelineMode::in_situ;
    head.tracks = {"main branch"};
    TimelineBuilder builder(head);
    builder.add({{"voxelize", 0, -1, 0, 1}}, 1);
    return builder.take();
  }
  [[nodiscard]] CoordSet level(int) override { return {}; }
  [[nodiscard]] Features output(int) override { return {}; }

 private:
  NetworkRunFacts facts_{"one graph", 1};
  int& asked_;
};

TEST(Measurement, HasTheTimelineOfTheCompiledNetworkWhereThereIsOne) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  int asked = 0;
  backend->compile_instead = [&] { return CompiledNetwork{std::make_unique<TimedRun>(asked), {}}; };
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  Job job;
  const auto m = some.session.measure(some.plan, exactly(3), job);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(m->timeline.mode, TimelineMode::in_situ);
  ASSERT_EQ(m->timeline.spans.size(), 1U);
  EXPECT_EQ(m->layers[0].stages.nodes[0].samples_ms.size(), 3U)
      << "the isolated stages must be measured as without a compiled network";
}

TEST(Measurement, CanBeCancelledAtAnyConvolution) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  for (const int at : {1, 9, 23, 36}) {
    std::stop_source stop;
    Job job(stop.get_token());
    int calls = 0;
    backend->before_convolve = [&] {
      if (++calls == at) stop.request_stop();
    };
    try {
      static_cast<void>(some.session.measure(some.plan, exactly(3), job));
      FAIL() << "the cancelled measurement must throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
    EXPECT_EQ(calls, at);
  }
}

/// Stores the progress reports of a job, such as "layers 2/7".
struct Reports {
  std::vector<std::string> seen{};
  Job job{{}, nullptr, [this](const Progress& now) {
            seen.push_back(std::string(now.what) + " " + std::to_string(now.done) + "/" +
                           std::to_string(now.total));
          }};
};

TEST(Measurement, ItsProgressCountsLayersAndThenRuns) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(single_layer_network(3, 1, 4, 8), backend);
  some.load();
  // Samples report at most every 500 ms. Kernels inside a run must not report, because the progress bar would
  // be full.
  backend->before_convolve = [] { std::this_thread::sleep_for(std::chrono::milliseconds(510)); };
  Reports reports;
  SamplingProtocol how = exactly(1);
  how.warmup = 1;
  static_cast<void>(some.session.measure(some.plan, how, reports.job));
  ASSERT_GE(reports.seen.size(), 3U);
  reports.seen.resize(3);  // After these reports, the network is compiled.
  EXPECT_EQ(reports.seen,
            (std::vector<std::string>{"running the layers once 0/1", "timing the network, warm-up; runs 0/2",
                                      "timing the network; runs 1/2"}));
}

TEST(Measurement, ReportsSamplesRarely) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  // Each run is longer than the 50 ms between the reports of a job.
  backend->before_convolve = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };
  Reports reports;
  static_cast<void>(some.session.measure(some.plan, exactly(10), reports.job));
  const auto samples = std::count_if(reports.seen.begin(), reports.seen.end(), [](const std::string& one) {
    return one.starts_with("timing the network; runs");
  });
  EXPECT_LE(samples, 4) << "a window draws each report, which delays the samples";
}

TEST(Session, ARunCountsItsLayers) {
  const auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), backend);
  some.load();
  backend->before_convolve = [] { std::this_thread::sleep_for(std::chrono::milliseconds(55)); };
  Reports all;
  some.session.run_all(some.plan, all.job, {});
  EXPECT_EQ(all.seen, (std::vector<std::string>{"layers 0/7", "layers 1/7", "layers 2/7", "layers 3/7",
                                                "layers 4/7", "layers 5/7", "layers 6/7"}));
  some.load();
  Reports one;
  static_cast<void>(some.session.run_layer(some.index("deep"), some.plan, one.job));
  EXPECT_EQ(one.seen, (std::vector<std::string>{"layers 0/3", "layers 1/3", "layers 2/3"}))
      << "the layers that a layer needs must count";
}

}  // namespace
}  // namespace spira

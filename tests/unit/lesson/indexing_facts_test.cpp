// Tests the facts of the lesson on indexing. The expected levels come from rounded triplets, and the expected
// times and memory were calculated by hand. Also tests the facts of the recorded runs that are installed with
// the program.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/facts/network_order.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/support/made_timeline.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace spira {
namespace {

using Values = std::map<std::string, double>;

Values values_of(const std::vector<Fact>& facts) {
  const auto names = fact_names();
  Values values;
  for (const Fact& fact : facts) {
    EXPECT_NE(std::find(names.begin(), names.end(), fact.name), names.end()) << fact.name;
    EXPECT_TRUE(values.emplace(fact.name, fact.value).second) << fact.name << " must be listed only once";
  }
  return values;
}

std::shared_ptr<const VoxelScene> room() {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  return voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
}

TEST(LevelCheck, LevelsAreFlooredTripletsInBothWays) {
  Job job;
  const auto scene = room();
  const auto checks = check_levels(*scene, job);
  ASSERT_EQ(checks.size(), 4U);
  const auto finest = all_voxels(scene->level(1));
  std::int64_t before = std::ssize(finest);
  for (std::size_t at = 0; at < checks.size(); ++at) {
    const LevelCheck& check = checks[at];
    EXPECT_EQ(check.stride, 2 << at);
    std::set<Voxel> floored;
    std::int64_t wrong = 0;
    for (const Voxel& v : finest) {
      Voxel cell{};
      // If the mask is added to each component of the packed word, z can carry into y, and y can carry into
      // x.
      std::uint64_t added = 0, wanted = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        cell.at(axis) = v.at(axis) - v.at(axis) % check.stride;
        const int bits = axis == 2 ? 8 : 12;
        const auto low = static_cast<std::uint64_t>(check.stride - 1);
        added = (added << bits) + static_cast<std::uint64_t>(v.at(axis)) + ((1ULL << bits) - 1 - low);
        wanted = (wanted << bits) + static_cast<std::uint64_t>(cell.at(axis));
      }
      wrong += (added & 0xFFFFFFFFULL) != wanted ? 1 : 0;
      floored.insert(cell);
    }
    EXPECT_EQ(check.voxels, std::ssize(floored));
    EXPECT_TRUE(check.closed_form);
    EXPECT_TRUE(check.step_by_step);
    EXPECT_EQ(check.wrong_by_adding, wrong);
    EXPECT_GT(wrong, 0);
    EXPECT_EQ(check.closed_form_reads, std::ssize(finest));
    EXPECT_EQ(check.step_by_step_reads, before);
    EXPECT_EQ(check.waits_for, static_cast<int>(at));
    before = std::ssize(floored);
  }
}

TEST(LevelCheck, FindsAWrongLevel) {
  Job job;
  auto broken = std::make_shared<VoxelScene>(*room());
  const CoordSet& second = broken->level(4);
  std::vector<std::uint64_t> keys;
  for (std::int64_t row = 1; row < size_of(second); ++row)
    keys.push_back(key_at(second, row));
  broken->levels[2] = std::make_shared<const CoordSet>(made_level(second.pack, 4, keys));
  const auto checks = check_levels(*broken, job);
  EXPECT_TRUE(checks[0].closed_form);
  EXPECT_FALSE(checks[1].closed_form);
  EXPECT_FALSE(checks[1].step_by_step);
  EXPECT_TRUE(checks[2].step_by_step) << "the step check must continue from the recomputed level";
  LessonInput input;
  input.scene = broken;
  Values facts = values_of(indexing_facts(input, job));
  EXPECT_EQ(facts["indexing.levels"], 4);
  EXPECT_EQ(facts["indexing.levels_equal"], 3);
  EXPECT_EQ(facts["indexing.v4.closed_form"], 0);
}

TEST(NetworkTime, PartsOfATimelineByHand) {
  const Timeline timeline = test::in_situ_timeline();
  const TimelinePart indexing = timeline_part(timeline, true), features = timeline_part(timeline, false);
  EXPECT_EQ(indexing.spans, 3);
  EXPECT_DOUBLE_EQ(indexing.sum_ms, 2 + 2 + 4);
  EXPECT_DOUBLE_EQ(indexing.wall_ms(), 6);
  EXPECT_DOUBLE_EQ(indexing.overlap_factor(), 8.0 / 6);
  EXPECT_DOUBLE_EQ(features.sum_ms, 1 + 1 + 4);
  EXPECT_DOUBLE_EQ(indexing.sum_ms + features.sum_ms, timeline.overlap_factor() * timeline.shown_wall_ms());
}

TEST(NetworkTime, RatiosUseOnlyStagesThatWereAlsoTimedAlone) {
  Measurement measured;
  measured.timeline = test::in_situ_timeline();
  measured.indexing.nodes.push_back({"voxelize", -1, {2.0, 2.0, 4.0}});
  LayerMeasurement layer;
  layer.name = "stem";
  layer.stages.nodes = {{"map[stem]", -1, {1.0}}, {"features[stem]", -1, {0.5}}};
  measured.layers = {layer};
  const auto ratios = stage_ratios(measured);
  ASSERT_EQ(ratios.size(), 3U) << "a layer that was not timed alone must have no ratio";
  EXPECT_EQ(ratios[0].stage, "voxelize");
  EXPECT_DOUBLE_EQ(ratios[0].ratio(), 1.0);
  EXPECT_EQ(ratios[1].stage, "map[stem]");
  EXPECT_DOUBLE_EQ(ratios[1].ratio(), 2.0);
  EXPECT_DOUBLE_EQ(ratios[2].ratio(), 2.0);
  measured.timeline = test::host_timeline();
  EXPECT_TRUE(stage_ratios(measured).empty()) << "a timeline with one track must have no ratios";
}

TEST(MapMemory, OfALittleUNetByHand) {
  Measurement measured;
  const Network network = test::little_unet();
  measured.plan = default_plan(network);
  // The layers are stem (3^3 at stride 1), down (2^3), deep (3^3 at stride 2), up (uses the pair lists of
  // down), shortcut (1^3), and two layers like stem.
  const std::vector<std::size_t> bytes{100, 10, 30, 7, 4, 100, 100};
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    LayerMeasurement layer;
    layer.name = network.layers[at].name;
    layer.map_bytes = bytes[at];
    measured.layers.push_back(layer);
  }
  const MapMemory memory = map_memory(network, measured);
  ASSERT_EQ(memory.maps.size(), 5U);
  EXPECT_EQ(memory.maps[0].last_layer, 6) << "the last layers read the map of the first layer";
  EXPECT_EQ(memory.total_bytes(), 151U);
  EXPECT_EQ(memory.layer_by_layer, (std::vector<std::size_t>{100, 110, 130, 107, 104, 100, 100}));
  EXPECT_EQ(memory.network_wide, (std::vector<std::size_t>{151, 151, 141, 111, 104, 100, 100}));
}

TEST(NetworkFacts, SayThatNothingWasMeasured) {
  Job job;
  LessonInput input;
  input.scene = room();
  EXPECT_EQ(values_of(network_facts(input, job)), (Values{{"network.measured", 0}}));
  EXPECT_EQ(values_of(threshold_facts(input, job)), (Values{{"threshold.measured", 0}}));
  EXPECT_EQ(values_of(search_time_facts(input, job)), (Values{{"search_times.measured", 0}}));
  input.run = std::make_shared<LessonRun>();
  EXPECT_EQ(values_of(network_facts(input, job)), (Values{{"network.measured", 0}}));
}

TEST(NetworkFacts, OfARunAreThoseOfItsReport) {
  Job job;
  LessonInput input;
  input.scene = room();
  const auto report = std::make_shared<const Report>(test::recorded_report());
  input.run = run_of_report(report);
  EXPECT_EQ(input.run->measurement.get(), &report->measurement)
      << "the run must share the measurement of the report";
  EXPECT_EQ(input.run->network.get(), &report->network);
  EXPECT_EQ(input.run->layer_densities.at(2).get(), &report->layer_densities.at(2));
  Values facts = values_of(network_facts(input, job));
  EXPECT_EQ(input.run->source, "recorded run, A far GPU, little on room, 2026-11-21T20:01:03Z");
  EXPECT_EQ(facts["network.recorded"], 1);
  EXPECT_DOUBLE_EQ(facts["network.wall_ms"], 2.5);
  EXPECT_EQ(facts["network.wall_samples"], 3);
  EXPECT_DOUBLE_EQ(facts["network.compiled_wall_ms"], 1.25);
  EXPECT_DOUBLE_EQ(facts["network.overlap_factor"], 1.4);
  EXPECT_DOUBLE_EQ(facts["network.indexing.overlap_factor"], 8.0 / 6);
  EXPECT_DOUBLE_EQ(facts["network.mark_cost_ms"], 1.0);
  EXPECT_DOUBLE_EQ(facts.at("network.marked_ms") - facts.at("network.unmarked_ms"), 1.0);
  EXPECT_EQ(facts["network.tracks"], 3);
  EXPECT_NEAR(facts["network.sum_of_stages_ms"],
              facts["network.indexing_alone_ms"] + facts["network.features_alone_ms"],
              1e-9 + (1e-6 * facts["network.sum_of_stages_ms"]));
  EXPECT_GE(facts["network.maps.peak_bytes.network_wide"], facts["network.maps.peak_bytes.layer_by_layer"]);
  EXPECT_EQ(facts["network.maps.peak_bytes.network_wide"], facts["network.maps.total_bytes"]);
}

TEST(NetworkFacts, ARatioWithoutStagesIsOmitted) {
  Job job;
  LessonInput input;
  input.scene = room();
  Report report = test::recorded_report();
  std::erase_if(report.measurement.timeline.spans,
                [](const TimelineSpan& span) { return span.stage.phase == "features"; });
  input.run = run_of_report(std::make_shared<const Report>(std::move(report)));
  Values facts = values_of(network_facts(input, job));
  EXPECT_EQ(facts.count("network.in_situ_ratio.largest"), 1U);
  EXPECT_EQ(facts.count("network.in_situ_ratio.maps"), 1U);
  EXPECT_EQ(facts.count("network.in_situ_ratio.features"), 0U);
}

TEST(NetworkFacts, OfTheRecordedRunsAreWhole) {
  Job job;
  LessonInput input;
  input.scene = room();
  const auto report = std::make_shared<const Report>(
      read_report(SPIRA_SOURCE_DIR "/samples/reports/h100-minkunet42-lidar-street.spira.json"));
  input.run = run_of_report(report);
  Values facts = values_of(network_facts(input, job));
  EXPECT_EQ(facts.size(), network_fact_names().size()) << "a run on a GPU must have all facts";
  EXPECT_EQ(facts["network.side_by_side"], 1);
  EXPECT_GT(facts["network.indexing.overlap_factor"], 1.0);
  EXPECT_GT(facts["network.in_situ_ratio.features"], 0.2);
  Values thresholds = values_of(threshold_facts(input, job));
  for (const SweepRow& row : report->threshold_sweep->rows) {
    const std::string name = "threshold.t" + std::to_string(row.threshold);
    EXPECT_DOUBLE_EQ(thresholds.at(name + ".measured_ms"), row.wall.stats().median);
    EXPECT_EQ(thresholds.at(name + ".samples"), 30);
    EXPECT_GT(thresholds.at(name + ".modelled_ms"), 0);
  }
  EXPECT_DOUBLE_EQ(thresholds.at("threshold.t4.modelled_ms"), thresholds.at("threshold.t4.measured_ms"))
      << "the model must equal the measured time at the largest t";
  EXPECT_EQ(thresholds.at("threshold.rates_of_others"), 1)
      << "layers without pairs at the largest t must use the rates of other layers";
  EXPECT_EQ(thresholds.at("threshold.rates_by_work"), 0) << "no rate may come from the amount of work alone";
  EXPECT_EQ(
      thresholds.at("threshold.fastest_t"),
      report->threshold_sweep->rows[static_cast<std::size_t>(report->threshold_sweep->fastest())].threshold);
}

TEST(ThresholdFacts, CountTiedAndUndecidedSettings) {
  Job job;
  LessonInput input;
  input.scene = room();
  auto run = std::make_shared<LessonRun>();
  Sweep sweep;
  for (const auto& [t, standing] : {std::pair(0, ""), {1, "tied"}, {2, "undecided"}, {4, "tied"}}) {
    sweep.rows.emplace_back();
    sweep.rows.back().threshold = t;
    sweep.rows.back().wall.ms = {1.0 + t, 2.0 + t, 3.0 + t};
    sweep.rows.back().standing = standing;
  }
  run->thresholds = std::make_shared<const Sweep>(sweep);
  input.run = run;
  Values facts = values_of(threshold_facts(input, job));
  EXPECT_EQ(facts["threshold.measured"], 1);
  EXPECT_EQ(facts["threshold.tied"], 2);
  EXPECT_EQ(facts["threshold.undecided"], 1);
  EXPECT_EQ(facts["threshold.largest_t"], 4);
  EXPECT_EQ(facts["threshold.t2.measured_ms"], 4);
  sweep.layer = 3;
  run->thresholds = std::make_shared<const Sweep>(sweep);
  EXPECT_EQ(values_of(threshold_facts(input, job)), (Values{{"threshold.measured", 0}}))
      << "the sweep of one layer must not give times of the network";
  EXPECT_TRUE(missing_of(*run, {false, true, false}).sweep);
}

TEST(SearchTimes, AreMeasuredOnTheOpenScene) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene = room();
  auto run = std::make_shared<LessonRun>();
  run->searches = measure_searches(*backend, *input.scene, 3, 2, 3, job);
  ASSERT_EQ(run->searches.size(), 4U);
  for (const SearchTimes& times : run->searches) {
    EXPECT_EQ(times.search_ms.size(), 3U);
    EXPECT_EQ(times.preprocess_ms.size(), times.algorithm == MapAlgorithm::hash ? 3U : 0U);
  }
  input.run = run;
  Values facts = values_of(search_time_facts(input, job));
  EXPECT_EQ(facts["search_times.measured"], 4);
  EXPECT_DOUBLE_EQ(facts["search_times.hash.search_ms"], statistics(run->searches[2].search_ms).median);
  run->timed_on = "a machine";
  for (const Fact& told : search_time_facts(input, job)) {
    if (!told.name.ends_with("search_ms")) continue;
    EXPECT_TRUE(told.source.starts_with("median of 3 samples, IQR ") && told.source.ends_with(", a machine"))
        << told.source;
  }
}

}  // namespace
}  // namespace spira

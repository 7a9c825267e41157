#include "engine/tune/sweep.hpp"

#include "engine/base/error.hpp"
#include "engine/job/pace.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spira {
namespace {

using testing::HasSubstr;

SamplingProtocol rounds(int count) {
  SamplingProtocol how;
  how.warmup = 0;
  how.min_samples = how.max_samples = count;
  return how;
}

TEST(ThresholdSweep, MeasuresFeasibleThresholdsAndGivesReasonsForTheRest) {
  test::SmallSession some;
  some.load();
  Job job;
  const Sweep sweep =
      sweep_thresholds(some.session, some.index("last"), some.plan, {0, 1, 2, 3, 4, 5}, rounds(3), job);
  ASSERT_EQ(sweep.rows.size(), 6U);
  for (std::size_t t = 0; t <= 4; ++t) {
    EXPECT_EQ(sweep.rows[t].threshold, static_cast<int>(t));
    EXPECT_EQ(sweep.rows[t].wall.ms.size(), 3U);
    EXPECT_EQ(sweep.rows[t].stages.find("features[last].ws") >= 0, t < 4) << t;
    EXPECT_EQ(sweep.rows[t].stages.find("features[last].os") >= 0, t > 0) << t;
  }
  EXPECT_THAT(sweep.rows[5].why_not, HasSubstr("0 to 4"));
  EXPECT_TRUE(sweep.rows[5].wall.ms.empty());
  EXPECT_NE(sweep.fastest(), 5);
  EXPECT_GE(sweep.fastest(), 0);
}

TEST(DataflowSweep, MeasuresWhatALayerCanRunAndGivesReasonsForTheRest) {
  test::SmallSession some;
  some.load();
  Job job;
  const int layer = some.index("last");
  const std::vector<std::string> names{"os",     "ws",           "unsorted", "mask-sorted:1", "mask-sorted:5",
                                       "gather", "mask-sorted:8"};
  const Sweep sweep = sweep_dataflows(some.session, layer, some.plan, names, rounds(3), job);
  ASSERT_EQ(sweep.rows.size(), names.size());
  EXPECT_TRUE(sweep.of_dataflows);
  for (std::size_t at = 0; at < names.size(); ++at)
    EXPECT_EQ(sweep.rows[at].label, names[at]);
  for (std::size_t at = 0; at + 1 < names.size(); ++at)
    EXPECT_EQ(sweep.rows[at].wall.ms.size(), 3U) << names[at];
  EXPECT_TRUE(sweep.rows[6].wall.ms.empty());
  EXPECT_THAT(sweep.rows[6].why_not, HasSubstr("2, 3")) << "the reason must name splits that are possible";
  // Each setting must have run as its name says.
  EXPECT_GE(sweep.rows[1].stages.find("features[last].ws"), 0);
  EXPECT_GE(sweep.rows[2].stages.find("map[last].transpose"), 0);
  for (const std::size_t sorted : {3, 4})
    EXPECT_GE(sweep.rows[sorted].stages.find("map[last].argsort"), 0);
  EXPECT_GE(sweep.rows[5].stages.find("features[last].gemm"), 0);
  // More splits never need more slots. Only tiles of rows have slots.
  ASSERT_TRUE(sweep.rows[2].slots_per_pair && sweep.rows[3].slots_per_pair && sweep.rows[4].slots_per_pair);
  EXPECT_GE(*sweep.rows[2].slots_per_pair, *sweep.rows[3].slots_per_pair);
  EXPECT_GE(*sweep.rows[3].slots_per_pair, *sweep.rows[4].slots_per_pair);
  EXPECT_GE(*sweep.rows[4].slots_per_pair, 1);
  EXPECT_FALSE(sweep.rows[0].slots_per_pair || sweep.rows[5].slots_per_pair);
}

TEST(DataflowSweep, OfANetworkUsesADataflowWhereItIsPossible) {
  test::SmallSession some;
  some.load();
  Job job;
  const Sweep sweep = sweep_dataflows(some.session, -1, some.plan, {"os", "hybrid:2"}, rounds(2), job);
  ASSERT_EQ(sweep.rows.size(), 2U);
  EXPECT_GE(sweep.rows[1].stages.find("features[last].ws"), 0);
  EXPECT_GE(sweep.rows[1].stages.find("features[down].os"), 0) << "a strided layer must keep its dataflow";
  EXPECT_LT(*sweep.rows[1].layers, *sweep.rows[0].layers) << "strided layers cannot run hybrids";
  EXPECT_EQ(all_dataflows(some.session.network()).front(), "os");
  EXPECT_EQ(all_dataflows(some.session.network()).back(), "gather-fp16");
}

TEST(InterleavedStages, HoldTheSamplesOfBothSettings) {
  test::SmallSession some;
  some.load();
  Job job;
  const int layer = some.index("last");
  static_cast<void>(some.session.run_layer(layer, some.plan, job));
  LayerPlan sparse = some.plan.layers[static_cast<std::size_t>(layer)], dense = sparse;
  sparse.threshold = 0;
  dense.threshold = 4;
  SamplingProtocol how = rounds(6);
  how.warmup = 2;
  const auto stages = interleaved_stages(some.session, layer, {dense, sparse}, how, job);
  ASSERT_EQ(stages.size(), 2U);
  for (const StageTree& tree : stages) {
    const int features = tree.find("features[last]");
    ASSERT_GE(features, 0);
    EXPECT_EQ(tree.nodes[static_cast<std::size_t>(features)].samples_ms.size(), 6U)
        << "warm-up passes must not be samples";
  }
  EXPECT_GE(stages[0].find("features[last].os"), 0);
  EXPECT_LT(stages[0].find("features[last].ws"), 0) << "t = max must have no weight-stationary part";
  EXPECT_GE(stages[1].find("features[last].ws"), 0);
  EXPECT_LT(stages[1].find("features[last].os"), 0) << "t = 0 must have no output-stationary part";
}

TEST(ThresholdSweep, ItsProgressCountsAllPassesOnce) {
  test::SmallSession some;
  some.load();
  std::vector<Progress> seen;
  Job job({}, nullptr, [&](const Progress& now) {
    if (counts_runs(progress_step(now.what).unit)) seen.push_back({{}, now.done, now.total});
  });
  static_cast<void>(sweep_thresholds(some.session, some.index("last"), some.plan, {0, 4}, rounds(1500), job));
  ASSERT_FALSE(seen.empty());
  for (std::size_t at = 1; at < seen.size(); ++at)
    EXPECT_GE(seen[at].done, seen[at - 1].done) << "the bar must not go back";
  // There are two settings. Each setting has 1 + 5 passes for the stages, 1 warm-up and 1500 samples.
  EXPECT_LE(seen.back().done, seen.back().total);
  EXPECT_EQ(seen.back().total, 2 * (6 + rounds(1500).warmup + 1500));
}

TEST(ThresholdSweep, OfAStridedLayerHasTheTwoEndsOnly) {
  test::SmallSession some(single_layer_network(3, 2, 4, 8));
  some.load();
  Job job;
  const Sweep sweep = sweep_thresholds(some.session, 0, some.plan, {0, 2, 4}, rounds(1), job);
  EXPECT_EQ(sweep.t_max, 4);
  EXPECT_EQ(sweep.rows[0].why_not, "");
  EXPECT_THAT(sweep.rows[1].why_not, HasSubstr("strided"));
  EXPECT_EQ(sweep.rows[2].why_not, "");
}

TEST(ThresholdSweep, ReportsEachRoundAndSurvivesACancel) {
  test::SmallSession some;
  some.load();
  std::stop_source stop;
  Job job(stop.get_token());
  std::vector<std::size_t> samples;
  Sweep kept;
  const auto partial = [&](const Sweep& sweep) {
    kept = sweep;
    samples.push_back(sweep.rows[0].wall.ms.size());
    if (samples.size() == 2) stop.request_stop();
  };
  try {
    static_cast<void>(sweep_thresholds(some.session, -1, some.plan, {0, 4}, rounds(5), job, partial));
    FAIL() << "the cancelled sweep must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
  EXPECT_EQ(samples, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(kept.rows[1].wall.ms.size(), 2U);
  EXPECT_EQ(kept.t_max, 4);
}

TEST(PackingSweep, GivesTheReasonForPackingsThatDoNotFit) {
  test::SmallSession some;
  Job job;
  const Sweep sweep =
      sweep_packings(some.backend, some.network, some.weights, test::small_room(), test::small_grid,
                     some.plan, {PackSpec::bits32(), PackSpec::bits64(), PackSpec{3, 3, 3}}, rounds(2), job);
  ASSERT_EQ(sweep.rows.size(), 3U);
  EXPECT_EQ(sweep.rows[0].wall.ms.size(), 2U);
  EXPECT_EQ(sweep.rows[1].wall.ms.size(), 2U);
  EXPECT_THAT(sweep.rows[2].why_not, HasSubstr("does not fit"));
  EXPECT_TRUE(sweep.rows[2].wall.ms.empty());
}

std::string standing(Sweep& sweep, std::size_t row) {
  judge(sweep);
  return sweep.rows[row].standing;
}

TEST(Sweep, NamesAWinnerOnlyIfItIsSignificant) {
  Sweep sweep;
  sweep.rows.resize(4);
  sweep.rows[0].wall.ms = {10.0, 10.1, 10.2, 10.1, 10.0, 10.2, 10.1};
  sweep.rows[1].wall.ms = {20.0, 20.1, 20.2, 20.1, 20.0, 20.2, 20.1};
  EXPECT_EQ(standing(sweep, 0), "fastest");
  EXPECT_EQ(standing(sweep, 1), "");
  sweep.rows[2].wall.ms = {10.1, 10.0, 10.3, 10.2, 10.0, 10.1, 10.2};
  EXPECT_EQ(standing(sweep, 0), "tied");
  EXPECT_EQ(standing(sweep, 1), "");
  EXPECT_EQ(standing(sweep, 2), "tied");
  EXPECT_EQ(standing(sweep, 3), "") << "a row without samples must have no standing";
  Sweep one_row;
  one_row.rows.resize(1);
  EXPECT_EQ(standing(one_row, 0), "");
}

/// Returns a sweep of t with steady samples around the given medians.
Sweep swept(const std::vector<std::pair<int, double>>& medians) {
  Sweep sweep;
  for (const auto& [t, ms] : medians) {
    SweepRow row;
    row.label = "t = " + std::to_string(t);
    row.threshold = t;
    for (int at = 0; at < 7; ++at)
      row.wall.ms.push_back(ms * (1.0 + 0.01 * (at % 3)));
    sweep.rows.push_back(row);
  }
  sweep.t_max = 3;
  judge(sweep);
  return sweep;
}

int picked_t(const Sweep& sweep) {
  return sweep.rows.at(static_cast<std::size_t>(sweep.pick())).threshold;
}

TEST(Sweep, PicksTheSimplestSettingOfATie) {
  EXPECT_EQ(picked_t(swept({{0, 10.02}, {1, 10.0}, {2, 20}, {3, 10.01}})), 3) << "t = max must win a tie";
  EXPECT_EQ(picked_t(swept({{0, 10.02}, {1, 10.0}, {2, 10.01}, {3, 20}})), 0);
  EXPECT_EQ(picked_t(swept({{0, 20}, {1, 10.0}, {2, 10.01}, {3, 20}})), 2)
      << "the larger of two tied hybrids must win";
  EXPECT_EQ(picked_t(swept({{0, 20}, {1, 10.0}, {2, 12}, {3, 20}})), 1)
      << "a hybrid that is not tied must win";
  Sweep few = swept({{0, 10}, {3, 20}});
  few.rows[0].wall.ms.resize(4);
  judge(few);
  EXPECT_EQ(few.pick(), -1) << "too few samples must give no pick";
  EXPECT_EQ(Sweep{}.pick(), -1);
  Sweep packs = swept({{-1, 10.0}, {-1, 10.01}});
  packs.rows[0].pack = PackSpec::bits64();
  EXPECT_EQ(packs.pick(), 1) << "the packing with 32 bits must win a tie";
  EXPECT_EQ(nlohmann::json::parse(sweep_json(swept({{0, 10.02}, {1, 10.0}, {3, 10.01}})))["pick"], "t = 3");
  Sweep dataflows = swept({{-1, 10.01}, {-1, 10.0}});
  dataflows.of_dataflows = true;
  EXPECT_EQ(dataflows.pick(), 0) << "the dataflow that comes first must win a tie";
}

TEST(Sweep, DoesNotTakeTheLargestMeasuredThresholdForTMax) {
  Sweep some = swept({{0, 10.02}, {3, 10.0}});
  EXPECT_EQ(picked_t(some), 3) << "t = max must win a tie";
  // This is the largest threshold for K = 5.
  some.t_max = 7;
  EXPECT_EQ(picked_t(some), 0) << "t = 3 is a hybrid of K = 5, so it must lose a tie";
  const auto document = nlohmann::json::parse(sweep_json(some));
  EXPECT_EQ(document["t_max"], 7);
  EXPECT_EQ(document["pick"], "t = 0");
  some.t_max.reset();
  EXPECT_EQ(picked_t(some), 0) << "t = 3 must not count as t = max if t = max is unknown";
  EXPECT_FALSE(nlohmann::json::parse(sweep_json(some)).contains("t_max"));
}

TEST(Sweep, ReportsThatFewSamplesAreUndecided) {
  Sweep sweep;
  sweep.rows.resize(3);
  sweep.rows[0].wall.ms = {6.2, 6.3};
  EXPECT_EQ(standing(sweep, 0), "") << "the only measured row must have no standing";
  sweep.rows[1].wall.ms = {12.2, 12.3};
  EXPECT_EQ(standing(sweep, 0), "undecided");
  EXPECT_EQ(standing(sweep, 1), "undecided");
  EXPECT_EQ(standing(sweep, 2), "");
  const auto document = nlohmann::json::parse(sweep_json(sweep));
  EXPECT_EQ(document["rows"][1]["standing"], "undecided");
  EXPECT_EQ(document["protocol"]["order"], "interleaved");
  sweep.rows[0].wall.ms = {6.2, 6.3, 6.2, 6.3, 6.2};
  sweep.rows[1].wall.ms = {12.2, 12.3, 12.2, 12.3, 12.2};
  EXPECT_EQ(standing(sweep, 0), "fastest");
}

TEST(Sweep, IsWrittenWithItsSamplesAndReasons) {
  Sweep sweep;
  sweep.subject = "a \"quoted\", layer";
  SweepRow measured, greyed;
  measured.label = "t = 0";
  measured.threshold = 0;
  measured.wall.ms = {2, 1, 3};
  greyed.label = "t = 9";
  greyed.threshold = 9;
  greyed.why_not = "t, too large";
  sweep.rows = {greyed, measured};
  EXPECT_EQ(sweep.fastest(), 1);
  EXPECT_EQ(sweep_csv(sweep),
            "subject,setting,t,word_bits,n,median_ms,q1_ms,q3_ms,min_ms,max_ms,why_not\r\n"
            "\"a \"\"quoted\"\", layer\",\"t = 9\",9,32,0,,,,,,\"t, too large\"\r\n"
            "\"a \"\"quoted\"\", layer\",\"t = 0\",0,32,3,2.000000,1.500000,2.500000,1.000000,3.000000,\r\n");
  const auto document = nlohmann::json::parse(sweep_json(sweep));
  EXPECT_EQ(document["fastest"], "t = 0");
  EXPECT_EQ(document["rows"][0]["why_not"], "t, too large");
  EXPECT_FALSE(document["rows"][0].contains("stats"));
  EXPECT_EQ(document["rows"][1]["samples_ms"], (std::vector<double>{2, 1, 3}));
}

}  // namespace
}  // namespace spira

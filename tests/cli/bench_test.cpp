// Tests the tables and reports of `spira bench` on a generated scene.
#include "engine/measure/statistics.hpp"
#include "tests/cli/cli_fixture.hpp"
#include "tests/cli/expect_csv.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* heading =
    "group,subject,n,median_ms,iqr_ms,stages_ms,ratio_of,times_first,floor_bytes_ms,floor_flops_ms,times_"
    "floor";

class CliBench : public Cli {
 protected:
  /// Returns the report of one suite of `spira bench` on a small scene.
  json report_of(const std::string& suite, const std::string& only, const std::vector<std::string>& more = {},
                 int samples = 2) const {
    std::vector<std::string> arguments{
        "bench",  suite, "scene.ply", "--grid", "0.5", "--repeat", std::to_string(samples),
        "--only", only,  "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = spira(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(run.out);
  }
};

void expect_positive(const json& value, const std::string& what) {
  ASSERT_TRUE(value.is_number()) << what << ": " << value;
  EXPECT_TRUE(std::isfinite(value.get<double>())) << what;
  EXPECT_GT(value.get<double>(), 0.0) << what;
}

TEST_F(CliBench, ComparesWithinOneRunAndWritesAReport) {
  make_scene();
  const Finished run =
      spira({"bench", "mapping", "scene.ply", "--grid", "0.2", "--repeat", "2", "--csv", "-o", "bench.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  expect_csv(run.out, heading);
  EXPECT_THAT(run.err, HasSubstr("GB/s"));
  const json report = json::parse(read("bench.json"));
  EXPECT_EQ(report.at("schema"), "spira.bench");
  EXPECT_EQ(report.at("suite"), "mapping");
  EXPECT_EQ(report.at("command").at(1), "bench");
  EXPECT_EQ(report.at("device").at("kind"), "cpu");
  EXPECT_EQ(report.at("protocol").at("precision"), "fp32");
  expect_positive(report.at("protocol").at("timer_resolution_us"), "resolution");
  const json& rows = report.at("rows");
  // The rows combine two kernel sizes, four layouts and four algorithms. Then there are the dataflows: two of
  // Spira, "unsorted" and the possible numbers of splits (5 for K = 3, 4 for K = 5).
  EXPECT_EQ(rows.size(), 32U + 8U + 7U);
  EXPECT_EQ(rows.at(0).at("times_first"), 1.0);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("wall").at("samples").size(), 2U);
    EXPECT_EQ(row.at("sum_of_stages").at("samples").size(), 2U);
    EXPECT_EQ(row.at("ratio_of"), "stages");
    expect_positive(row.at("floor_bytes_ms"), "bytes");
    EXPECT_TRUE(row.at("floor_flops_ms").is_null())
        << "a search has no products, so it has no floor by products";
    expect_positive(row.at("times_floor"), "times_floor");
  }
}

TEST_F(CliBench, NativeComparesTheSearchesOfNeighbours) {
  const Finished run =
      spira({"bench", "native", "street", "--grid", "0.8", "--only", "map K=3", "--repeat", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report.at("suite"), "native");
  std::vector<std::string> subjects;
  for (const json& row : report.at("rows")) {
    EXPECT_EQ(row.at("group"), "map K=3");
    subjects.push_back(row.at("subject"));
    expect_positive(row.at("floor_bytes_ms"), subjects.back());
  }
  EXPECT_THAT(subjects, testing::ElementsAre("voxels K=5", "voxels", "cube", "ball", "ball, hash",
                                             "ball, positions grid"));
}

TEST_F(CliBench, FloorsFollowFromWorkAndRatesOfTheSameRun) {
  make_scene();
  const json report = report_of("layers", "K=3 16>32");
  const json& rates = report.at("rates");
  for (const char* which : {"bytes", "flops"}) {
    expect_positive(rates.at(which).at("per_second"), which);
    EXPECT_GE(rates.at(which).at("ms").at("samples").size(), 5U);
  }
  std::set<std::string> subjects;
  for (const json& row : report.at("rows")) {
    const auto name = row.at("subject").get<std::string>();
    subjects.insert(name);
    expect_positive(row.at("bytes"), name);
    expect_positive(row.at("flops"), name);
    EXPECT_EQ(row.at("flops"), report.at("rows").at(0).at("flops"))
        << "all rows run the same layer, so their numbers of products must be equal";
    EXPECT_EQ(std::fmod(row.at("flops").get<double>(), 2.0 * 16 * 32), 0.0) << name;
    const double bytes_ms =
        row.at("bytes").get<double>() / rates.at("bytes").at("per_second").get<double>() * 1e3;
    const double flops_ms =
        row.at("flops").get<double>() / rates.at("flops").at("per_second").get<double>() * 1e3;
    EXPECT_NEAR(row.at("floor_bytes_ms").get<double>(), bytes_ms, bytes_ms * 1e-9);
    EXPECT_NEAR(row.at("floor_flops_ms").get<double>(), flops_ms, flops_ms * 1e-9);
    EXPECT_NEAR(row.at("times_floor").get<double>() * std::max(bytes_ms, flops_ms),
                row.at("stages_ms").get<double>(), 1e-9);
  }
  EXPECT_EQ(subjects,
            (std::set<std::string>{"output-stationary", "unsorted", "mask-sorted:1", "mask-sorted:2",
                                   "mask-sorted:3", "mask-sorted:4", "mask-sorted:5", "weight-stationary",
                                   "hybrid t=1", "hybrid t=2", "hybrid t=3", "gather-GEMM-scatter"}));
  EXPECT_NE(rates, report_of("layers", "K=3 16>16").at("rates")) << "each run must measure the rates again";
}

TEST_F(CliBench, GatherGemmScatterHasItsOwnStages) {
  make_scene();
  const json report = report_of("layers", "K=3 32>32", {"--precision", "fp16"});
  const auto& rows = report.at("rows");
  const auto baseline = std::find_if(
      rows.begin(), rows.end(), [](const json& row) { return row.at("subject") == "gather-GEMM-scatter"; });
  ASSERT_NE(baseline, rows.end());
  std::set<std::string> stages;
  for (const json& stage : baseline->at("stages"))
    stages.insert(stage.at("stage").get<std::string>());
  EXPECT_EQ(stages, (std::set<std::string>{"all", "all.gather", "all.gemm", "all.scatter", "all.epilogue"}));
}

TEST_F(CliBench, TheOtherSuitesHaveTheirGroups) {
  make_scene();
  const auto groups_of = [](const json& report) {
    std::set<std::string> groups;
    for (const json& row : report.at("rows"))
      groups.insert(row.at("group").get<std::string>());
    return groups;
  };
  EXPECT_EQ(groups_of(report_of("indexing", "")), std::set<std::string>{"indexing"});
  const json network = report_of("network", "resn21");
  EXPECT_EQ(groups_of(network), std::set<std::string>{"resn21"});
  expect_positive(network.at("rows").at(0).at("floor_flops_ms"), "a network multiplies");
  EXPECT_EQ(network.at("rows").at(0).at("ratio_of"), "wall");
  EXPECT_EQ(
      groups_of(report_of("ablation", "K=3")),
      (std::set<std::string>{"mapping algorithms K=3", "dataflow K=3 64>64", "dataflow with map K=3 64>64"}));
  EXPECT_EQ(
      groups_of(report_of("ablation", "packed words")),
      (std::set<std::string>{"packed words, map K=3", "packed words, map K=5", "packed words, levels"}));
  const json indexing = report_of("ablation", "indexing of resn21");
  EXPECT_EQ(indexing.at("rows").at(0).at("subject"), "network-wide");
  EXPECT_EQ(indexing.at("rows").size(), 3U);
}

TEST_F(CliBench, NetworksOfTheUserReplaceThePresets) {
  make_scene();
  write("mine.json", R"({"schema": "spira.network 2", "name": "mine", "in_channels": 4, "layers": [
      {"name": "a", "inputs": ["input"], "kernel_size": 3, "in_channels": 4, "out_channels": 8},
      {"name": "b", "inputs": ["a"], "op": "activation", "activation": "gelu", "in_channels": 8, "out_channels": 8},
      {"name": "c", "inputs": ["b"], "kernel_size": 3, "stride": 2, "in_channels": 8, "out_channels": 16}]})");
  const json report = report_of("network", "", {"--network", "mine.json", "--network", "mine.json"});
  ASSERT_EQ(report.at("rows").size(), 2U) << "this back end has one row for each network";
  EXPECT_EQ(report.at("rows").at(0).at("group"), "mine");
  EXPECT_EQ(report.at("rows").at(1).at("group"), "mine #2");
  expect_positive(report.at("rows").at(0).at("floor_flops_ms"), "floor");
  EXPECT_EQ(report.at("rows").at(0).at("flops"), report.at("rows").at(1).at("flops"));

  const Finished layers = spira({"bench", "layers", "scene.ply", "--network", "mine.json"});
  EXPECT_EQ(layers.code, 2);
  EXPECT_THAT(layers.err,
              HasSubstr("--network can only be used with the suites indexing and network, not with layers"));
  const Finished indexing =
      spira({"bench", "indexing", "scene.ply", "--grid", "0.5", "--network", "mine.json"});
  EXPECT_EQ(indexing.code, 2) << "this back end has no CUDA graphs, so nothing can be measured";
  EXPECT_THAT(indexing.err, HasSubstr("indexing as one CUDA graph is skipped"));
}

TEST_F(CliBench, ReportsOfVoxelFilesSayThatTheVoxelSizeIsInCells) {
  const std::string second = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/second/second";
  const Finished run = spira({"bench", "network", second + ".capture.safetensors", "--network",
                              second + ".json", "--repeat", "2", "-o", "bench.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(read("bench.json")).at("scene").at("unit"), "cells");
  EXPECT_EQ(spira({"validate", "bench.json"}).code, 0);

  make_scene();
  EXPECT_FALSE(report_of("layers", "K=3 16>32").at("scene").contains("unit")) << "metres are the default";
}

TEST_F(CliBench, UnknownGroupsAndSuitesAreUsageErrors) {
  make_scene();
  const Finished group = spira({"bench", "layers", "scene.ply", "--grid", "0.5", "--only", "K=4"});
  EXPECT_EQ(group.code, 2);
  EXPECT_THAT(group.err, HasSubstr("no group of the suite layers has this text in its name"));
  EXPECT_EQ(spira({"bench", "everything", "scene.ply"}).code, 2);
}

TEST_F(CliBench, RelationsRunOnGraphsWithoutAScene) {
  ASSERT_EQ(
      spira({"generate", "triples", "--nodes", "50", "--triples", "300", "--relations", "4", "-o", "g.tsv"})
          .code,
      0);
  const Finished run =
      spira({"bench", "relations", "g.tsv", "--backend", "cpu", "--repeat", "2", "--csv", "-o", "b.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  expect_csv(run.out, heading);
  EXPECT_THAT(run.err, HasSubstr("g.tsv: 50 nodes, 300 triples, "));
  const json report = json::parse(read("b.json"));
  EXPECT_FALSE(report.contains("scene"));
  ASSERT_EQ(report.at("rows").size(), 3U);
  EXPECT_EQ(report.at("rows").at(0).at("subject"), "pairs first");
  for (const json& row : report.at("rows"))
    expect_positive(row.at("times_first"), "times_first");
  EXPECT_EQ(spira({"validate", "b.json"}).code, 0);
  const Finished generated = spira(
      {"--quiet", "bench", "relations", "--only", "AIFB", "--backend", "cpu", "--repeat", "1", "--csv"});
  EXPECT_EQ(generated.code, 0) << generated.err;
  EXPECT_THAT(generated.out, HasSubstr("AIFB,\"means first, ws\""));
  const Finished voxels = spira({"bench", "relations", "--only", "AIFB", "--grid", "0.1"});
  EXPECT_EQ(voxels.code, 2);
  EXPECT_THAT(voxels.err, HasSubstr("a graph has no voxels; remove --grid"));
  const Finished no_scene = spira({"bench", "layers"});
  EXPECT_EQ(no_scene.code, 2);
  EXPECT_THAT(no_scene.err, HasSubstr("bench layers: a scene is required"));
  EXPECT_EQ(spira({"bench", "relations", "--only", "nothing", "--backend", "cpu"}).code, 2);
}

/// Returns the samples of a subject. `which` is "wall" or "sum_of_stages".
std::vector<double> samples_of(const json& report, const std::string& group, const std::string& subject,
                               const std::string& which) {
  for (const json& row : report.at("rows")) {
    if (row.at("group") == group && row.at("subject") == subject)
      return row.at(which).at("samples").get<std::vector<double>>();
  }
  ADD_FAILURE() << group << ", " << subject << ": no row";
  return {};
}

/// Returns the result that these verdicts have if the paper claims `claimed`.
std::string result_of(const std::vector<Verdict>& verdicts, Verdict claimed) {
  std::string result = "agrees";
  for (const Verdict one : verdicts) {
    if (one != claimed && one != Verdict::undecided) return "disagrees";
    if (one == Verdict::undecided) result = "undecided";
  }
  return result;
}

json claim_of(const json& report, const std::string& text) {
  for (const json& claim : report.at("claims")) {
    if (claim.at("claim").get<std::string>().find(text) != std::string::npos) return claim;
  }
  ADD_FAILURE() << text << ": no claim";
  return {};
}

TEST_F(CliBench, ResultsOfClaimsFollowFromTheSamples) {
  make_scene();
  const json layers = report_of("dataflows", "K=3", {}, 5);
  std::set<std::string> groups;
  for (const json& row : layers.at("rows"))
    groups.insert(row.at("group").get<std::string>());
  EXPECT_EQ(groups, (std::set<std::string>{"features K=3 64>64", "map and 1 layer K=3 64>64",
                                           "map and 2 layers K=3 64>64", "map and 4 layers K=3 64>64",
                                           "map and 8 layers K=3 64>64"}));
  EXPECT_EQ(layers.at("rows").size(), 5U * 4U);
  const auto times = [&](const char* subject) {
    return samples_of(layers, "features K=3 64>64", subject, "sum_of_stages");
  };
  const auto unsorted = times("unsorted");
  EXPECT_EQ(claim_of(layers, "one layer, without the time of its map").at("result"),
            result_of({verdict(unsorted, times("mask-sorted:1")), verdict(unsorted, times("mask-sorted:2"))},
                      Verdict::faster));
  EXPECT_THAT(layers.at("notes").dump(), HasSubstr("not repeated: the figures of the paper for Jetson"));
  EXPECT_THAT(layers.at("notes").dump(), HasSubstr("mask-sorted:2, including its map, is "));

  const json network = report_of("dataflows", "resn21", {}, 5);
  const auto wall = [&](const char* subject) { return samples_of(network, "resn21", subject, "wall"); };
  const json claim = claim_of(network, "Networks are slower");
  EXPECT_EQ(claim.at("result"), result_of({verdict(wall("unsorted"), wall("mask-sorted:1")),
                                           verdict(wall("unsorted"), wall("mask-sorted:2"))},
                                          Verdict::slower));
  EXPECT_THAT(claim.at("theirs"), HasSubstr("8.15 ms unsorted, 8.91 ms 1 split, 9.48 ms 2 splits"));
  EXPECT_THAT(claim.at("ours"), HasSubstr("(n = 5)"));
}

TEST_F(CliBench, ClaimsAboutTheRedundancyNeedNoTimes) {
  make_scene();
  const json claims = report_of("dataflows", "redundancy").at("claims");
  ASSERT_EQ(claims.size(), 2U);
  const json counts = json::parse(
      spira({"densities", "scene.ply", "--grid", "0.5", "--redundancy", "--tile", "128", "--json"}).out);
  bool falls = true;
  std::int64_t last = 0;
  for (const json& one : counts.at("redundancy")) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f %s", one.at("slots_per_pair").get<double>(),
                  one.at("dataflow").get<std::string>().c_str());
    EXPECT_THAT(claims.at(0).at("ours"), HasSubstr(text));
    const auto active = one.at("active").get<std::int64_t>();
    falls = falls && (last == 0 || active < last);
    last = active;
  }
  EXPECT_TRUE(falls);
  EXPECT_EQ(claims.at(0).at("result"), "agrees");
}

TEST_F(CliBench, SplitsAreComparedInBothPrecisions) {
  make_scene();
  const Finished run = spira(
      {"bench", "dataflows", "scene.ply", "--grid", "4", "--repeat", "5", "--only", "minkunet42", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json report = json::parse(run.out);
  ASSERT_EQ(report.at("rows").size(), 6U);
  for (const json& row : report.at("rows"))
    EXPECT_EQ(row.at("floor_flops_ms").is_null(), row.at("group") == "minkunet42 fp16")
        << "the rate was measured in fp32";
  std::vector<MedianRatio> gains;
  for (const std::string precision : {"fp16", "fp32"}) {
    const auto wall = [&](const char* subject) {
      return samples_of(report, "minkunet42 " + precision, subject, "wall");
    };
    const auto first = wall("mask-sorted:1"), second = wall("mask-sorted:2"), third = wall("mask-sorted:3");
    EXPECT_EQ(claim_of(report, "each further split (" + precision + ")").at("result"),
              result_of({verdict(first, second), verdict(second, third)}, Verdict::faster));
    gains.push_back(median_ratio(first, third).value());
  }
  EXPECT_EQ(claim_of(report, "help fp32 more than fp16").at("result"), gains[1].high < gains[0].low ? "agrees"
                                                                       : gains[1].low > gains[0].high
                                                                           ? "disagrees"
                                                                           : "undecided");
}

TEST_F(CliBench, FewSamplesDecideNoClaim) {
  make_scene();
  const Finished csv = spira({"bench", "dataflows", "scene.ply", "--grid", "0.5", "--repeat", "1", "--only",
                              "features", "--csv", "-o", "b.json"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  expect_csv(csv.out, heading);
  EXPECT_THAT(csv.err, HasSubstr("result   undecided"));
  EXPECT_EQ(spira({"validate", "b.json"}).code, 0);
  const Finished text =
      spira({"bench", "dataflows", "scene.ply", "--grid", "0.5", "--repeat", "1", "--only", "features"});
  EXPECT_THAT(text.out, HasSubstr("paper    tables 3 and 4, CenterPoint on an RTX 3090"));
}

TEST_F(CliBench, TrainingMeasuresPassesAndSteps) {
  make_scene();
  const json report = report_of("training", "K=3 16>16");
  std::vector<std::string> subjects;
  for (const json& row : report.at("rows")) {
    subjects.push_back(row.at("subject").get<std::string>());
    EXPECT_EQ(row.at("flops"), report.at("rows").at(0).at("flops")) << "each pass has the same products";
    expect_positive(row.at("times_floor"), subjects.back());
    for (const json& stage : row.at("stages")) {
      if (stage.at("stage") != "all.wgrad[conv]") continue;
      EXPECT_EQ(row.at("sum_of_stages").at("samples"), stage.at("samples"))
          << "wgrad counts as a whole, although it has an inner stage";
    }
  }
  EXPECT_EQ(subjects,
            (std::vector<std::string>{"forward, os", "dgrad, os", "wgrad, os", "forward, ws", "dgrad, ws",
                                      "wgrad, ws", "forward, gather", "dgrad, gather"}));
  EXPECT_FALSE(report.contains("claims"));

  const json step = report_of("training", "step of resn21");
  ASSERT_EQ(step.at("rows").size(), 2U);
  EXPECT_GT(step.at("rows").at(1).at("times_first").get<double>(), 1.0);
  EXPECT_EQ(report_of("training", "step of resn21", {"--precision", "fp16"}).at("rows").size(), 2U);
}

TEST_F(CliBench, BindingsOfPassesAreComparedByTrainingSteps) {
  make_scene();
  const json report = report_of("training", "bindings of resn21", {}, 5);
  ASSERT_EQ(report.at("rows").size(), 4U);
  EXPECT_THAT(report.at("notes").dump(), HasSubstr("tuning resn21 takes about "));
  const json claim = claim_of(report, "can have different dataflows");
  const auto wall = [&](const char* subject) {
    return samples_of(report, "bindings of resn21", subject, "wall");
  };
  const bool equal =
      claim.at("ours").get<std::string>().find("the best settings are the same") != std::string::npos;
  EXPECT_EQ(
      claim.at("result"),
      equal ? "disagrees" : result_of({verdict(wall("free"), wall("all passes alike"))}, Verdict::slower));
}

TEST_F(CliBench, DataflowsAndTrainingRefuseWrongInput) {
  make_scene();
  write("bad.ply", "ply\nformat ascii 1.0\n");
  for (const char* suite : {"dataflows", "training"}) {
    const Finished bad = spira({"bench", suite, "bad.ply", "--grid", "0.5"});
    EXPECT_EQ(bad.code, 3) << bad.err;
    EXPECT_THAT(bad.err, HasSubstr("bad.ply"));
    const Finished none = spira({"bench", suite});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, HasSubstr(std::string(suite) + ": a scene is required"));
    const Finished group = spira({"bench", suite, "scene.ply", "--grid", "0.5", "--only", "K=4"});
    EXPECT_EQ(group.code, 2);
    EXPECT_THAT(group.err, HasSubstr("no group of the suite " + std::string(suite) + " has this text"));
    EXPECT_EQ(spira({"bench", suite, "scene.ply", "--dataflow", "ws"}).code, 2);
  }
}

}  // namespace
}  // namespace spira::test

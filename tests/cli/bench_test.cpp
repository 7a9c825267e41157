// Tests the tables and reports of `spira bench` on a generated scene.
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
  /// Returns the report of one suite of `spira bench` on a small scene, with two samples per subject.
  json report_of(const std::string& suite, const std::string& only,
                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"bench",    suite, "scene.ply", "--grid", "0.5",
                                       "--repeat", "2",   "--only",    only,     "--json"};
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
  EXPECT_THAT(layers.err, HasSubstr("--network applies to the suites indexing and network, not to layers"));
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
  EXPECT_THAT(group.err, HasSubstr("no group of layers has this text in its name"));
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

}  // namespace
}  // namespace spira::test

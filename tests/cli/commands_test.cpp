// Tests each command of `spira` on a generated scene: the text that it prints, and whether the text goes to
// stdout or to stderr.
#include "tests/cli/cli_fixture.hpp"
#include "tests/cli/expect_csv.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstring>
#include <pty.h>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::string_literals;

TEST_F(Cli, VersionIsOneLineOfData) {
  const Finished run = spira({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, testing::MatchesRegex("spira [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(run.err, "");
}

TEST_F(Cli, ListReadersNamesWhatFormatTakes) {
  const Finished run = spira({"--list-readers"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  std::istringstream lines(run.out);
  std::set<std::string> ids;
  for (std::string line; std::getline(lines, line);)
    ids.insert(line.substr(0, line.find(' ')));
  EXPECT_EQ(ids, (std::set<std::string>{"kitti", "nuscenes", "xyzrgb", "rows", "pcd", "ply", "text", "npy",
                                        "npz", "las", "voxels"}));
}

/// Returns stdout and stderr in the same text, as a terminal shows them.
std::string at_a_terminal(const std::string& command) {
  std::string said;
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::array<char, 4096> block{};
  for (ssize_t got = 1; got > 0;) {
    got = ::read(terminal, block.data(), block.size());
    if (got > 0) said.append(block.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  close(terminal);
  EXPECT_EQ(status, 0) << said;
  return said;
}

TEST_F(Cli, NoOutputHasColoursWhateverTheTerminal) {
  make_scene();
  const std::string run = std::string(SPIRA_PROGRAM) + " info " + (folder() / "scene.ply").string();
  for (const char* setting : {"TERM=xterm-256color ", "NO_COLOR=1 TERM=xterm-256color "}) {
    const std::string said = at_a_terminal(setting + run);
    EXPECT_THAT(said, HasSubstr("scene.ply"));
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
  }
}

TEST_F(Cli, EveryCommandHasHelpWithAnExample) {
  const Finished all = spira({"--help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, HasSubstr("Example: spira "));
  for (const char* command : {"devices", "info", "densities", "neighbours", "run", "layer", "sweep", "verify",
                              "bench", "generate"}) {
    SCOPED_TRACE(command);
    EXPECT_THAT(all.out, HasSubstr(std::string("\n  ") + command));
    const Finished help = spira({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr(std::string("Example: spira ") + command + " "));
    EXPECT_EQ(help.err, "");
  }
}

TEST_F(Cli, DevicesListsTheCpuAndTheReasonsWhyTheOthersCannotRun) {
  const Finished run = spira({"devices", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  bool cpu = false;
  for (const auto& row : json::parse(run.out)) {
    cpu = cpu || (row.at("kind") == "cpu" && row.at("usable").get<bool>());
    EXPECT_EQ(row.at("usable").get<bool>(), row.at("why_not").get<std::string>().empty()) << row;
    if (row.at("usable")) {
      EXPECT_GT(row.at("timer").at("resolution_us").get<double>(), 0.0);
    }
    EXPECT_EQ(row.at("driver") == "", row.at("runtime") == "") << row;
  }
  EXPECT_TRUE(cpu);
  const Finished text = spira({"devices"});
  const bool has_cuda = run.out.find("\"cuda\"") != std::string::npos;
  EXPECT_EQ(text.out.find("built without CUDA") == std::string::npos, has_cuda);
}

TEST_F(Cli, GenerateWritesTheSameSceneForTheSameSeed) {
  for (const char* name : {"a.ply", "b.ply"})
    ASSERT_EQ(spira({"generate", "room", "--points", "3000", "--seed", "5", "-o", name}).code, 0);
  ASSERT_EQ(spira({"generate", "room", "--points", "3000", "--seed", "6", "-o", "c.ply"}).code, 0);
  EXPECT_EQ(read("a.ply"), read("b.ply"));
  EXPECT_NE(read("a.ply"), read("c.ply"));
}

TEST_F(Cli, GenerateWritesWhatInfoReads) {
  for (const char* name : {"a.ply", "a.npy", "a.csv", "a.bin"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(spira({"generate", "random", "--points", "5000", "--seed", "3", "-o", name}).code, 0);
    EXPECT_EQ(json::parse(spira({"info", name, "--json", "--grid", "0.1"}).out).at(0).at("points"), 5000);
  }
}

TEST_F(Cli, InfoCountsPointsVoxelsAndBits) {
  write("cube.csv", "x,y,z\n0.1,0.1,0.1\n0.2,0.2,0.2\n1.1,0.1,0.1\n7.9,0.1,3.5\nnan,0,0\n");
  const Finished run = spira({"info", "cube.csv", "--grid", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json info = json::parse(run.out).at(0);
  EXPECT_EQ(info.at("points"), 4);
  EXPECT_EQ(info.at("dropped_nonfinite"), 1);
  EXPECT_EQ(info.at("voxels"), 3);
  EXPECT_EQ(info.at("duplicates"), 1);
  EXPECT_EQ(info.at("bits"), json({3, 1, 2}));
  EXPECT_EQ(info.at("packings_that_fit"), json({"12/12/8", "11/12/9", "11/11/10", "24/24/16"}))
      << "info must list each packing that a sweep runs";
  write("small.csv", "x,y,z\n0,0,0\n0.0294,0.09,0.01\n");
  EXPECT_THAT(spira({"info", "small.csv", "--grid", "0.001"}).out,
              HasSubstr("extent      0.0294, 0.0900, 0.0100 m, from (0.0000, 0.0000, 0.0000)"));
  EXPECT_THAT(spira({"info", "cube.csv"}).out, HasSubstr("automatic; set it with --grid"));
}

TEST_F(Cli, InfoJudgesPackingsForTheNetworkOrTheKernelAndStrideAskedFor) {
  // The packing 12/12/8 has 4,096 cells along x, minus the guard cells.
  write("long.csv", "x,y,z\n0.5,0.5,0.5\n4084.5,0.5,0.5\n");
  write("k5.json", R"({"layers": [{"name": "a", "kernel_size": 5, "out_channels": 4, "stride": 2}]})");
  const auto judged = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"info", "long.csv", "--grid", "1", "--json"});
    const Finished run = spira(more);
    EXPECT_EQ(run.code, 0) << run.err;
    const json info = json::parse(run.out).at(0);
    return json{info.at("kernel_size"), info.at("max_stride"),
                info.at("packings_that_fit").at(0) == "12/12/8"};
  };
  EXPECT_EQ(judged({}), json({5, 16, false}));                 // 4,064 cells fit, but the scene has 4,085.
  EXPECT_EQ(judged({"--kernel", "3"}), json({3, 16, false}));  // 4,080 cells fit, but the scene has 4,085.
  EXPECT_EQ(judged({"--kernel", "3", "--stride", "8"}), json({3, 8, true}));  // 4,088 cells fit.
  // 4,084 cells fit, but the scene has 4,085.
  EXPECT_EQ(judged({"--kernel", "7", "--stride", "4"}), json({7, 4, false}));
  EXPECT_EQ(judged({"--network", "k5.json"}), json({5, 2, true}));  // 4,092 cells fit.
  EXPECT_EQ(judged({"--network", "resnl20"}).at(0), 5);
  // For K = 3 with padding 2, the packing 12/12/8 holds 254 cells along z. The reached rule adds a voxel
  // above the scene.
  write("tall.csv", "x,y,z\n0.5,0.5,0.5\n0.5,0.5,253.5\n");
  for (const char* rule : {"floor", "reached"}) {
    const std::string name = std::string(rule) + ".json";
    write(name, R"({"schema": "spira.network 2", "layers": [
        {"name": "a", "stride": 2, "padding": 2, "out_channels": 4, "rule": ")" +
                    std::string(rule) + "\"}]}");
    const json info =
        json::parse(spira({"info", "tall.csv", "--grid", "1", "--network", name, "--json"}).out);
    EXPECT_EQ(info.at(0).at("network"), name);
    EXPECT_EQ(info.at(0).at("packings_that_fit").at(0) == "12/12/8", std::string(rule) == "floor");
    EXPECT_EQ(info.at(0).at("fit_cells").at(2), std::string(rule) == "floor" ? 254 : 255);
  }
  EXPECT_THAT(spira({"info", "long.csv", "--grid", "1", "--kernel", "7", "--stride", "1"}).out,
              HasSubstr("K up to 7, strides up to 1)"));
  EXPECT_EQ(spira({"info", "long.csv", "--network", "resn21", "--kernel", "3"}).code, 2);
  EXPECT_EQ(spira({"info", "long.csv", "--kernel", "4"}).code, 2);
  EXPECT_EQ(spira({"info", "long.csv", "--stride", "32"}).code, 2);
  EXPECT_EQ(spira({"info", "long.csv", "--network", "no.json"}).code, 3);
}

TEST_F(Cli, InfoGoesOnAfterAFileThatItCannotRead) {
  make_scene();
  const Finished run = spira({"info", "missing.ply", "scene.ply", "--grid", "0.1"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("missing.ply: file not found"));
  EXPECT_THAT(run.out, HasSubstr("scene.ply\n"));
}

TEST_F(Cli, DensitiesCountNeighboursByHandCheckedNumbers) {
  write("three.csv", "x,y,z\n0.5,0.5,0.5\n1.5,0.5,0.5\n1.5,1.5,0.5\n");
  const Finished run = spira({"densities", "three.csv", "--grid", "1", "--json", "--per-offset"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json found = json::parse(run.out);
  EXPECT_EQ(found.at("voxels"), 3);
  // Each of the three voxels has three neighbours, including itself.
  EXPECT_EQ(found.at("map_entries"), 9);
  EXPECT_EQ(found.at("by_offset").size(), 27U);
  EXPECT_NEAR(found.at("by_l1").at(1).at("mean").get<double>(), 4.0 / 6 / 3, 1e-12);
  EXPECT_NEAR(found.at("by_l1").at(2).at("mean").get<double>(), 2.0 / 12 / 3, 1e-12);
  const Finished redundancy =
      spira({"densities", "three.csv", "--grid", "1", "--redundancy", "--kernel", "5"});
  EXPECT_THAT(redundancy.out,
              HasSubstr("mask-sorted:1: not possible: 125 offsets cannot be divided into 1 split"));
  expect_csv(spira({"densities", "three.csv", "--grid", "1", "--redundancy", "--tile", "64", "--csv"}).out,
             "dataflow,tile_rows,active,slots_per_pair");
  EXPECT_EQ(spira({"densities", "three.csv", "--grid", "1", "--redundancy", "--tile", "20"}).code, 2);
  const auto rows = json::parse(
      spira({"densities", "three.csv", "--grid", "1", "--redundancy", "--json"}).out)["redundancy"];
  ASSERT_EQ(rows.size(), 12U) << "unsorted and 1 to 5 parts, tiles of 16 and 128 rows";
  EXPECT_EQ(rows[0]["dataflow"], "unsorted");
  EXPECT_EQ(rows[0]["slots_per_pair"].get<double>(),
            16 * rows[0]["active"].get<double>() / json::parse(run.out)["map_entries"].get<double>());
  expect_csv(spira({"densities", "three.csv", "--grid", "1", "--csv"}).out, "l1,offsets,mean,min,max");
  expect_csv(spira({"densities", "three.csv", "--grid", "1", "--stride", "2", "--per-offset", "--csv"}).out,
             "dx,dy,dz,l1,matches,density");
}

TEST_F(Cli, RunMeasuresAndWritesTheSameReportItPrints) {
  make_scene();
  const Finished run = spira({"run", "scene.ply", "--network", "resnl20", "--grid", "0.2", "--repeat", "2",
                              "-o", "out.json", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report, json::parse(read("out.json")));
  for (const char* key : {"schema", "created", "tool", "command", "device", "protocol", "scene", "network",
                          "weights", "indexing", "layers", "totals"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report.at("layers").size(), report.at("network").at("layers").size());
  EXPECT_EQ(report.at("totals").at("wall_ms").at("samples").size(), 2U);
  const Finished table =
      spira({"run", "scene.ply", "--network", "resnl20", "--grid", "0.2", "--repeat", "2", "--quiet"});
  for (const char* word : {"GFLOP/s", "sum of stages", "wall time", "(median of 2", "steady clock"})
    EXPECT_THAT(table.out, HasSubstr(word));
  EXPECT_EQ(table.err, "");
}

TEST_F(Cli, RunCountsTheSearchesOfItsKernelMapsOnRequest) {
  make_scene();
  std::vector<std::string> words{"run", "scene.ply", "--network", "resn21", "--grid", "0.2"};
  words.insert(words.end(), {"--repeat", "1", "-o", "out.json"});
  const Finished without = spira(words);
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_THAT(without.out, testing::Not(HasSubstr("searches")));
  EXPECT_FALSE(json::parse(read("out.json")).contains("counters"));
  words.emplace_back("--counters");
  const Finished run = spira(words);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("searches +zdelta [0-9.]+/[0-9.]+, bsearch"));
  const json counters = json::parse(read("out.json")).at("counters");
  EXPECT_EQ(counters.at("maps").size(), 8U);
  EXPECT_LT(counters.at("zdelta_cmp"), counters.at("bsearch_cmp"));
  EXPECT_LT(counters.at("sectors32").at("zdelta"), counters.at("sectors32").at("bsearch"));
}

TEST_F(Cli, RunComparesLayersWithTheMeasuredRatesOnRequest) {
  make_scene();
  std::vector<std::string> words{"run", "scene.ply", "--network", "resn21", "--grid", "0.2"};
  words.insert(words.end(), {"--repeat", "1", "-o", "out.json"});
  const Finished without = spira(words);
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_THAT(without.out, testing::Not(HasSubstr("time / floor")));
  EXPECT_FALSE(json::parse(read("out.json")).contains("rates"));
  words.emplace_back("--rates");
  const Finished run = spira(words);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("GFLOP/s  GB/s  time / floor"));
  EXPECT_THAT(run.out, testing::ContainsRegex("device rates +[0-9.]+ [GT]B/s, copy of .*FLOP/s"));
  const json rates = json::parse(read("out.json")).at("rates");
  EXPECT_GT(rates.at("bytes").at("per_second"), 1e6);
  EXPECT_GT(rates.at("flops").at("per_second"), 1e6);
}

TEST_F(Cli, RunMeasuresForADurationAndPrintsPercentiles) {
  make_scene();
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "scene.ply", "--network", "resn21", "--grid", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished ran = spira(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out);
  };
  const json counted = run({"--iterations", "3"});
  EXPECT_EQ(counted.at("totals").at("wall_ms").at("samples").size(), 3U);
  const auto begin = std::chrono::steady_clock::now();
  const json timed = run({"--iterations", "2", "--duration", "0.3"});
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
  EXPECT_GE(timed.at("totals").at("wall_ms").at("samples").size(), 2U);
  EXPECT_EQ(timed.at("protocol").at("max_time_ms"), 300);
  EXPECT_EQ(timed.at("protocol").at("max_samples"), 10'000) << "the reader refuses reports with more samples";
  const Finished table = spira({"run", "scene.ply", "--network", "resn21", "--grid", "1", "--repeat", "20",
                                "--layer", "stage4.block1.conv1", "--quiet"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, testing::ContainsRegex("percentiles +p90 .* ms, p95 .* ms, p99 - .p99 needs 100"));
  EXPECT_THAT(table.out, testing::ContainsRegex("n +p90 ms +p95 ms +p99 ms"));
}

TEST_F(Cli, RunWithSweepsWritesAllIntoOneReport) {
  make_scene();
  const Finished run = spira({"run", "scene.ply", "--network", "resn21", "--grid", "0.2", "--repeat", "1",
                              "--sweeps", "-o", "out.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("t = 4"));
  EXPECT_THAT(run.out, HasSubstr("24/24/16"));
  const json report = json::parse(read("out.json"));
  EXPECT_EQ(report.at("command").at(0), "spira") << "the report must name the program without its folder";
  EXPECT_EQ(report.at("sweeps").at("thresholds").at("rows").size(), 5U);
  EXPECT_EQ(report.at("sweeps").at("thresholds").at("t_max"), 4);
  EXPECT_GE(report.at("sweeps").at("packings").at("rows").size(), 4U);
  EXPECT_FALSE(report.at("sweeps").at("packings").contains("t_max"));
}

TEST_F(Cli, LayerWritesOneTidyTable) {
  make_scene();
  const Finished run = spira({"layer", "scene.ply", "--cin", "4", "--cout", "8", "--kernel", "5",
                              "--threshold", "2", "--grid", "0.2", "--repeat", "2", "--csv"});
  ASSERT_EQ(run.code, 0) << run.err;
  expect_csv(run.out, measurements_heading);
}

TEST_F(Cli, SweepListsEveryThresholdAndWritesItsReport) {
  make_scene();
  const Finished run = spira({"sweep", "scene.ply", "--cin", "8", "--cout", "8", "--kernel", "3", "--grid",
                              "0.2", "--repeat", "2", "-o", "sweep.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* setting : {"t = 0", "t = 1", "t = 2", "t = 3", "t = 4"})
    EXPECT_THAT(run.out, HasSubstr(setting));
  EXPECT_EQ(json::parse(read("sweep.json")).at("rows").size(), 5U);
  EXPECT_THAT(run.out, HasSubstr("undecided")) << "two samples are too few for a verdict";
  EXPECT_THAT(run.out, testing::Not(HasSubstr("tied")));
}

TEST_F(Cli, SweepOfDataflowsListsTheirSlotsAndTimes) {
  make_scene();
  const auto sweep = [&](const std::string& list) {
    return spira({"sweep", "scene.ply", "--cin", "8", "--cout", "8", "--kernel", "5", "--grid", "0.2",
                  "--repeat", "2", "--dataflows", list, "-o", "sweep.json"});
  };
  const Finished run = sweep("all");
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* setting : {"slots / pair  map ms  order ms  features ms", "os ", "hybrid:6", "unsorted",
                              "mask-sorted:2", "gather-fp16"})
    EXPECT_THAT(run.out, HasSubstr(setting));
  EXPECT_THAT(run.out, testing::Not(HasSubstr("mask-sorted:1 ")));
  const json document = json::parse(read("sweep.json"));
  EXPECT_TRUE(document.at("of_dataflows"));
  for (const json& row : document.at("rows")) {
    const std::string name = row.at("setting");
    EXPECT_EQ(row.contains("slots_per_pair"), name == "unsorted" || name.starts_with("mask-sorted")) << name;
  }
  EXPECT_EQ(sweep("mask-sorted:9").code, 0) << "also splits that the list of all dataflows omits";
  EXPECT_EQ(sweep("os,os").code, 2);
  EXPECT_EQ(sweep("").code, 2);
  const Finished bad = sweep("os,mask-sorted:1");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, testing::AllOf(HasSubstr("'mask-sorted:1' cannot run on this network or layer"),
                                      HasSubstr("mask-sorted:2")));
}

TEST_F(Cli, ADataflowIsInTheTableAndInTheReport) {
  make_scene();
  const Finished run = spira({"run", "scene.ply", "--network", "resn21", "--grid", "0.2", "--repeat", "2",
                              "--dataflow", "hybrid:2", "-o", "r.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(
      run.err,
      HasSubstr("layers cannot run this dataflow and keep their own dataflows, for example stage2.conv"))
      << "strided layers";
  EXPECT_THAT(run.out, testing::AllOf(HasSubstr("dataflow"), HasSubstr("hybrid:2"), HasSubstr("os")));
  const json layers = json::parse(read("r.json")).at("layers");
  EXPECT_EQ(layers.at(0).at("dataflow"), "hybrid:2");
  EXPECT_EQ(layers.at(5).at("dataflow"), "os");
  EXPECT_THAT(spira({"export", "r.json", "--csv", "-o", "-"}).out, HasSubstr(",hybrid:2\r\n"));
  const auto code = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "scene.ply", "--network", "resn21", "--grid", "0.2"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words).code;
  };
  EXPECT_EQ(code({"--dataflow", "sorted"}), 2);
  EXPECT_EQ(code({"--dataflow", "ws", "--threshold", "2"}), 2);
  EXPECT_EQ(code({"--layer-dataflow", "stage1.conv=mask-sorted:99"}), 2);
  EXPECT_EQ(code({"--layer-dataflow", "nobody=ws"}), 2);
  EXPECT_EQ(code({"--dataflow", ""}), 2);
  const auto both = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "scene.ply", "--network", "resn21", "--grid", "0.2"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished refused = spira(words);
    EXPECT_EQ(refused.code, 2);
    return refused.err;
  };
  EXPECT_THAT(both({"--layer-dataflow", "stage1.conv=gather", "--layer-threshold", "stage1.conv=2"}),
              HasSubstr("cannot be used with --layer-threshold of the same layer"));
  EXPECT_THAT(both({"--dataflow", "mask-sorted:2", "--layer-layout", "stage1.conv=z-runs"}),
              HasSubstr("change the dataflow with --layer-dataflow"));
  EXPECT_EQ(spira({"bench", "layers", "street", "--dataflow", "ws"}).code, 2);
  EXPECT_THAT(spira({"layer", "scene.ply", "--cin", "8", "--cout", "8", "--kernel", "7", "--grid", "0.2",
                     "--dataflow", "mask-sorted:5"})
                  .err,
              HasSubstr("343 offsets"))
      << "the error must name the layer with the most offsets";
}

TEST_F(Cli, RunMeasuresTrainingSteps) {
  make_scene();
  std::vector<std::string> words{"run", "scene.ply", "--network", "resn21", "--grid", "0.5"};
  words.insert(words.end(), {"--repeat", "2", "--backend", "cpu", "-o", "out.json"});
  ASSERT_EQ(spira(words).code, 0);
  EXPECT_FALSE(json::parse(read("out.json")).at("totals").contains("training"));
  words.insert(words.end(), {"--training", "--precision", "fp16"});
  const Finished run = spira(words);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              testing::ContainsRegex("layer +forward ms +dgrad ms +wgrad ms +forward +dgrad +wgrad"));
  EXPECT_THAT(run.out, testing::ContainsRegex("stage1.conv +[0-9.]+ +[0-9.]+ +[0-9.]+ +os +- +os"));
  EXPECT_THAT(run.out, testing::ContainsRegex("stage2.conv +[0-9.]+ +[0-9.]+ +[0-9.]+ +os +ws +os"));
  EXPECT_THAT(run.out,
              testing::ContainsRegex(
                  "step [0-9.]+ m?s .median of 2 samples, IQR [0-9.]+ ms.: forward [0-9]+ %, dgrad [0-9]+ "
                  "%, wgrad [0-9]+ %, maps [0-9]+ %, repack [0-9]+ %, voxels [0-9]+ %; loss scale "
                  "1024, no overflow"));
  const json report = json::parse(read("out.json"));
  EXPECT_EQ(report.at("totals").at("training").at("wall_ms").at("samples").size(), 2U);
  EXPECT_EQ(report.at("totals").at("training").at("loss_scale"), 1024);
  EXPECT_FALSE(report.at("layers").at(0).at("backward").at("dgrad").contains("dataflow"));
  EXPECT_EQ(report.at("layers").at(1).at("backward").at("dgrad").at("dataflow"), "os");
  EXPECT_EQ(spira({"validate", "out.json"}).code, 0);
  const Finished same = spira({"compare", "out.json", "out.json"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("training step"));

  write("finite.json", read("out.json"));
  words.insert(words.end(), {"--loss-scale", "1073741824"});
  const Finished overflow = spira(words);
  EXPECT_EQ(overflow.code, 1);
  EXPECT_THAT(overflow.err, HasSubstr("overflow: loss scale 1073741824 is too large"));
  EXPECT_THAT(overflow.out, HasSubstr("loss scale 1073741824, OVERFLOW"));
  EXPECT_TRUE(json::parse(read("out.json")).at("totals").at("training").at("overflow").get<bool>());
  const Finished compared = spira({"compare", "finite.json", "out.json"});
  EXPECT_THAT(compared.out, HasSubstr("the current report has no result: overflow: loss scale"));
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("wgrad")));
  const Finished gated = spira({"compare", "finite.json", "out.json", "--fail-on", "slower:1000%"});
  EXPECT_EQ(gated.code, 7);
  EXPECT_THAT(gated.err, HasSubstr("training step: overflow: loss scale 1073741824 is too large"));
}

TEST_F(Cli, TrainingRefusesWhatItCannotDo) {
  make_scene();
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "scene.ply", "--grid", "0.5", "--repeat", "1", "--backend", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  };
  const Finished scale = run({"--training", "--loss-scale", "1000", "--network", "resn21"});
  EXPECT_EQ(scale.code, 2);
  EXPECT_THAT(scale.err, HasSubstr("--loss-scale 1000: expected a power of two from 1 to 1073741824"));
  EXPECT_EQ(run({"--loss-scale", "8"}).code, 2);
  for (const char* wrong : {"0", "0.5", "1e30", "2147483648"}) {
    const Finished refused = run({"--training", "--loss-scale", wrong, "--network", "resn21"});
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("expected a power of two from 1 to 1073741824")) << wrong;
  }
  write("two.json", R"({"schema": "spira.network 2", "name": "two", "outputs": ["a", "b"],
    "layers": [{"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8}]})");
  const Finished two = run({"--training", "--network", "two.json", "--gradient", "none.npy"});
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("--gradient: the network has 2 outputs"));
  write("pool.json",
        R"({"schema": "spira.network 2", "name": "pooled", "layers": [{"name": "conv", "out_channels": 8},
    {"name": "squeeze", "op": "pool", "reduce": "max", "kernel_size": 2, "stride": 2}]})");
  const Finished pool = run({"--training", "--network", "pool.json"});
  EXPECT_EQ(pool.code, 2) << pool.err;
  EXPECT_THAT(pool.err, HasSubstr("training: squeeze: the operation pool has no gradient yet"));
  std::string array = "\x93NUMPY" + std::string("\x01\x00\x76\x00", 4);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 128), }";
  header.resize(117, ' ');
  write("g.npy", array + header + "\n" + std::string(512, '\0'));
  const Finished shape = run({"--training", "--network", "resn21", "--gradient", "g.npy"});
  EXPECT_EQ(shape.code, 3);
  EXPECT_THAT(shape.err, testing::ContainsRegex(
                             "g.npy: an array of shape 1 x 128; the gradient of this output must have the "
                             "shape [0-9]+ x 128"));
  EXPECT_EQ(run({"--training", "--network", "resn21", "--gradient", "missing.npy"}).code, 3);
}

TEST_F(Cli, VerifyChecksGradientsOnRequest) {
  make_scene();
  write("unet.json", R"({"name": "unet", "layers": [{"name": "stem", "out_channels": 8},
    {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2},
    {"name": "up", "out_channels": 4, "kernel_size": 2, "stride": 2, "transposed": true},
    {"name": "join", "inputs": ["up", "stem"], "out_channels": 6}]})");
  const Finished run =
      spira({"verify", "scene.ply", "--grid", "1", "--network", "unet.json", "--training", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_TRUE(result.at("passed").get<bool>());
  int dgrad = 0, wgrad = 0;
  for (const auto& row : result.at("rows")) {
    const auto setting = row.at("setting").get<std::string>();
    dgrad += setting.starts_with("dgrad, ") ? 1 : 0;
    wgrad += setting.starts_with("wgrad, ") ? 1 : 0;
  }
  EXPECT_GT(dgrad, 40);
  EXPECT_GT(wgrad, 50);
}

TEST_F(Cli, VerifyChecksEachDataflowInEachPassAndPrecision) {
  make_scene();
  write("unet.json", R"({"name": "unet", "layers": [{"name": "stem", "out_channels": 8},
    {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2},
    {"name": "up", "out_channels": 4, "kernel_size": 2, "stride": 2, "transposed": true}]})");
  const auto settings_of = [&](const std::string& dataflows) {
    const Finished run = spira({"verify", "scene.ply", "--grid", "1", "--network", "unet.json", "--dataflows",
                                dataflows, "--training", "--json"});
    EXPECT_EQ(run.code, 0) << run.err;
    std::multiset<std::string> settings;
    const json result = json::parse(run.out);
    for (const auto& row : result.at("rows")) {
      const auto subject = row.at("subject").get<std::string>();
      settings.insert(subject.substr(0, subject.find(' ')) + ": " + row.at("setting").get<std::string>());
    }
    return settings;
  };
  const auto all = settings_of("all");
  for (const std::string precision : {"fp32", "fp16"}) {
    for (const std::string dataflow : {"os", "ws", "unsorted", "mask-sorted:1", "mask-sorted:4"}) {
      // dgrad of a strided layer reads pair lists; the forward pass of a transposed layer too.
      const std::string end = dataflow + ", " + precision;
      const std::size_t lists = dataflow == "ws" ? 1 : 0;
      EXPECT_EQ(all.count("stem: " + end), 1U) << end;
      EXPECT_EQ(all.count("stem: dgrad, " + end), 1U) << end;
      EXPECT_EQ(all.count("stem: wgrad, " + end), 1U) << end;
      EXPECT_EQ(all.count("down: " + end), 1U) << end;
      EXPECT_EQ(all.count("down: dgrad, " + end), lists) << end;
      EXPECT_EQ(all.count("down: wgrad, " + end), 1U) << end;
      EXPECT_EQ(all.count("up: " + end), lists) << end;
      EXPECT_EQ(all.count("up: dgrad, " + end), 1U) << end;
      EXPECT_EQ(all.count("up: wgrad, " + end), 1U) << end;
    }
    EXPECT_EQ(all.count("stem: hybrid:2, " + precision), 1U);
    EXPECT_EQ(all.count("stem: dgrad, gather, " + precision), 1U);
  }
  const auto some = settings_of("ws,mask-sorted:2");
  EXPECT_EQ(some.count("stem: wgrad, mask-sorted:2, fp16"), 1U);
  EXPECT_EQ(some.count("stem: os, fp32") + some.count("stem: wgrad, os, fp32"), 0U);

  const Finished unknown =
      spira({"verify", "scene.ply", "--grid", "1", "--network", "unet.json", "--dataflows", "sideways"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err,
              HasSubstr("'sideways' cannot run on this network or layer; expected \"all\" or a list of "));
}

TEST_F(Cli, SweepOfPackingsGivesTheReasonForWhatDoesNotFit) {
  make_scene();
  const Finished run = spira({"sweep", "scene.ply", "--cin", "8", "--cout", "8", "--packs", "32,64,4/4/4",
                              "--grid", "0.2", "--repeat", "2", "-o", "sweep.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("x spans "));
  EXPECT_THAT(run.out, HasSubstr("24/24/16"));
  EXPECT_EQ(json::parse(read("sweep.json")).at("rows").size(), 3U);
}

/// A network with one layer of each kind.
constexpr const char* layer_kinds = R"({"name": "kinds", "layers": [{"name": "a", "out_channels": 16},
    {"name": "b", "kernel_size": 2, "stride": 2, "out_channels": 16}, {"name": "c", "kernel_size": 5, "out_channels": 8},
    {"name": "d", "kernel_size": 2, "stride": 2, "transposed": true, "out_channels": 16},
    {"name": "e", "inputs": ["a", "d"], "kernel_size": 1, "out_channels": 8}]})";

TEST_F(Cli, VerifyPassesOnASmallScene) {
  make_scene();
  write("kinds.json", layer_kinds);
  const Finished run =
      spira({"verify", "scene.ply", "--grid", "1", "--network", "kinds.json", "--quick", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_TRUE(result.at("passed").get<bool>());
  EXPECT_GT(result.at("rows").size(), 20U);
  for (const auto& row : result.at("rows"))
    EXPECT_LE(row.at("worst_error_over_bound").get<double>(), 1.0) << row;
}

TEST_F(Cli, VerifyPrintsDistinctRows) {
  make_scene();
  write("kinds.json", layer_kinds);
  const Finished run = spira({"verify", "scene.ply", "--grid", "1", "--network", "kinds.json", "--quick"});
  ASSERT_EQ(run.code, 0) << run.err;
  std::set<std::string> seen;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t subject_end = line.find("  ");
    const std::size_t with = line.find_first_not_of(' ', subject_end);
    EXPECT_TRUE(seen.insert(line.substr(0, line.find(' ', with))).second) << line;
  }
  for (const char* word : {"24/24/16", "fp16", "fp32"})
    EXPECT_THAT(run.out, HasSubstr(word));
}

json safetensors_header(const std::string& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  return json::parse(bytes.substr(8, size));
}

TEST_F(Cli, RunWritesOutputsOfLayers) {
  make_scene();
  write("n.json", R"({"name": "two", "layers": [{"name": "a", "out_channels": 8},
    {"name": "down,b", "kernel_size": 2, "stride": 2, "out_channels": 16}, {"name": "c", "out_channels": 4}]})");
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "scene.ply", "--network", "n.json", "--grid", "0.5", "--repeat", "1"});
    return spira(more);
  };
  const Finished last = run({"--outputs", "last.safetensors"});
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("outputs of 1 layer: last.safetensors"));
  json header = safetensors_header(read("last.safetensors"));
  EXPECT_EQ(header.size(), 3U);
  EXPECT_EQ(header["c.features"]["dtype"], "F32");
  EXPECT_EQ(header["c.features"]["shape"][1], 4);
  EXPECT_EQ(header["c.features"]["shape"][0], header["c.coordinates"]["shape"][0]);
  EXPECT_EQ(header["__metadata__"]["c.stride"], "2");
  EXPECT_EQ(header["__metadata__"]["weights"], "seeded He, seed 1");

  ASSERT_EQ(run({"--precision", "fp16", "--outputs", "some.safetensors", "--output-layers", "c,a",
                 "--output-layers", "down,b"})
                .code,
            0);
  header = safetensors_header(read("some.safetensors"));
  EXPECT_EQ(header.size(), 7U);
  EXPECT_EQ(header["down,b.features"]["dtype"], "F16");
  ASSERT_EQ(run({"--outputs", "all.npz", "--output-layers", "all"}).code, 0);
  const std::string npz = read("all.npz");
  for (const char* name : {"a.features.npy", "down,b.coordinates.npy", "c.features.npy", "metadata.npy"})
    EXPECT_NE(npz.find(name), std::string::npos) << name;
}

TEST_F(Cli, OutputsAreCheckedBeforeAnythingRuns) {
  make_scene();
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--quiet", "run", "scene.ply", "--grid", "0.5"});
    return spira(more);
  };
  const std::string whole = read("scene.ply");
  const std::pair<std::vector<std::string>, const char*> all[] = {
      {{"--outputs", "o.csv"},
       "o.csv: unsupported extension; outputs of layers are written as .safetensors or .npz"},
      {{"--outputs", "o.npz", "--output-layers", "stem.conv1,nope"}, "has no layer 'nope'"},
      {{"--output-layers", "all"}, "--outputs"}};
  for (const auto& [options, says] : all) {
    const Finished done = run(options);
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr(says));
    EXPECT_EQ(done.out, "");
  }
  EXPECT_EQ(run({"--outputs", "none/o.npz"}).code, 3);
  write("scene.npz", whole);
  const Finished same = spira({"run", "scene.npz", "--outputs", "./scene.npz"});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("would overwrite the file scene.npz"));
  EXPECT_EQ(read("scene.npz"), whole);
  EXPECT_EQ(spira({"run", "scene.npz", "--outputs", "new.npz", "-o", "./new.npz"}).code, 2)
      << "the report must not overwrite the outputs";
}

TEST_F(Cli, WeightsWithFaultsAreRefusedByName) {
  write("n.json", R"({"layers": [{"name": "a", "kernel_size": 1, "out_channels": 4, "batch_norm": false}]})");
  const std::string header = R"({"a.weight": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  write("w.safetensors", bytes + header + std::string(60, '\0') + "\x00\x00\xC0\x7F"s);
  const Finished run =
      spira({"--quiet", "run", "street", "--network", "n.json", "--weights", "w.safetensors", "--check"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err, "spira: w.safetensors: tensor a.weight has NaN or infinite values: 1 of 16\n");
}

}  // namespace
}  // namespace spira::test

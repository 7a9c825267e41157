// Tests `spira tune`, and `spira run --plan` with the tuning profile that `spira tune` writes. The fastest
// settings depend on the machine, so the tests write the expected settings to the profile.
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

class CliTune : public Cli {
 protected:
  void SetUp() override {
    make_scene();
    write("net.json", R"({"name": "net", "layers": [
      {"name": "stem", "out_channels": 8},
      {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2},
      {"name": "deep", "out_channels": 8},
      {"name": "up", "out_channels": 8, "kernel_size": 2, "stride": 2, "transposed": true},
      {"name": "last", "inputs": ["up", "stem"], "out_channels": 8}]})");
  }
  [[nodiscard]] Finished tune(const Words& more, const Words& scenes = {"scene.ply"}) const {
    Words words{"--threads", "1",   "tune",          "--network", "net.json",      "--backend", "cpu",
                "--grid",    "0.5", "--min-samples", "2",         "--max-samples", "2"};
    words.insert(words.end(), scenes.begin(), scenes.end());
    words.insert(words.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--budget") == more.end()) {
      words.emplace_back("--budget");
      // The time budget is so long that only the number of samples ends the tuning.
      words.emplace_back("10m");
    }
    return spira(words);
  }
  [[nodiscard]] Finished run(const Words& more, const std::string& threads = "1") const {
    Words words{"--threads", threads, "run",      "scene.ply", "--network", "net.json",
                "--backend", "cpu",   "--repeat", "1",         "--plan"};
    words.insert(words.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--grid") == more.end()) {
      words.emplace_back("--grid");
      words.emplace_back("0.5");
    }
    return spira(words);
  }
  void expect_schema(const json& document) const {
    EXPECT_THAT(shipped_schema("tune").faults(document), IsEmpty());
  }
  /// Writes p.tune.json with settings that are not the defaults.
  void make_odd_profile() const {
    const Finished made = tune({"-o", "p.tune.json"});
    ASSERT_EQ(made.code, 0) << made.err;
    json profile = json::parse(read("p.tune.json"));
    for (json& one : profile["choices"]) {
      one["t"] = 0;
      one["map"] = "sorted";
      // Two samples are too few for a verdict. Without this change, the choices would be undecided and would
      // be ignored.
      one["why"] = "fastest";
    }
    write("p.tune.json", profile.dump());
  }
  /// Writes m.tune.json. With t = max, the features take 8 ms for layers with K = 3 and 4 ms for the layer
  /// "down". With t = 0 to 3, they take 2, 3, 4 and 5 ms for K = 3, and 2 ms for "down". Each map takes 1 ms.
  void make_matrix_profile() const {
    const Finished made = tune({"-o", "m.tune.json"});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("will cover all 5 layers, which need about "));
    json profile = json::parse(read("m.tune.json"));
    for (json& one : profile["features"]) {
      const int t = one["t"];
      const bool deep = one["key"]["in_stride"] == 2;
      one["samples_ms"] = std::vector<double>(deep && t == 1 ? 4 : 5, t == 4 ? 8.0 : 2.0 + t);
      if (one["key"]["kernel_size"] == 2) one["samples_ms"] = std::vector<double>(5, t == 4 ? 4.0 : 2.0);
      if (one["key"]["in_channels"] == 4 && t == 2) one["output_vs_t_max"]["ok"] = false;
    }
    for (json& one : profile["maps"])
      one["samples_ms"] = std::vector<double>(5, 1.0);
    for (json& one : profile["choices"]) {
      one["t"] = one["layers"][0] == "last" ? 4 : 0;
      if (one["layers"][0] != "deep") one["why"] = "fastest";
    }
    write("m.tune.json", profile.dump());
  }
  /// Writes a report of a run with t = 2.
  void make_report(const std::string& file, const Words& more) const {
    Words words{"--quiet", "--threads", "1",   "run",      "scene.ply", "--network", "net.json", "--backend",
                "cpu",     "--grid",    "0.5", "--repeat", "2",         "-o",        file};
    words.insert(words.end(), more.begin(), more.end());
    const Finished made = spira(words);
    ASSERT_EQ(made.code, 0) << made.err;
  }
  void expect_one_line(const Finished& finished, int code, const std::string& text) const {
    EXPECT_EQ(finished.code, code) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, AllOf(testing::StartsWith("spira: "), HasSubstr(text)));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
};

TEST_F(CliTune, WritesAProfileThatKeepsToItsSchemaAndPrintsATable) {
  const Finished made = tune({"-o", "p.tune.json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("tuning profile: p.tune.json\n"));
  for (const char* text :
       {"net, fp32\n", "stem", "2x2x2 1>2 8->8", "features ms  IQR ms  n  t = max ms", "2 samples, 5 needed",
        "only setting", "scene 1       scene.ply: ", "output: the largest difference", "device        cpu: "})
    EXPECT_THAT(made.out, HasSubstr(text));
  const json profile = json::parse(read("p.tune.json"));
  expect_schema(profile);
  EXPECT_EQ(profile["stopped"], "");
  EXPECT_EQ(profile["command"][0], "spira");
  EXPECT_EQ(profile["choices"].size(), 5U);
  EXPECT_TRUE(std::filesystem::directory_iterator(folder()) != std::filesystem::directory_iterator());
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".part")))
        << "tune must not leave a temporary file";
}

TEST_F(CliTune, DataflowsAreMeasuredShownAndUsed) {
  const Finished made =
      tune({"-o", "p.tune.json", "--dataflows", "ws,unsorted,mask-sorted:2,gather", "--matrix"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("unsorted"), HasSubstr("mask-sorted:2"), HasSubstr("gather"),
                              Not(HasSubstr("mask-sorted:3"))));
  json profile = json::parse(read("p.tune.json"));
  expect_schema(profile);
  for (json& choice : profile["choices"]) {
    if (choice["layers"][0] != "deep") continue;
    choice.erase("t");
    choice["dataflow"] = "mask-sorted:2";
    choice["why"] = "fastest";
  }
  write("p.tune.json", profile.dump());
  const Finished used = run({"p.tune.json", "-o", "report.json"});
  ASSERT_EQ(used.code, 0) << used.err;
  EXPECT_EQ(json::parse(read("report.json")).at("layers").at(2).at("dataflow"), "mask-sorted:2");

  const Finished both = tune({"--dataflows", "all", "--thresholds", "2"});
  EXPECT_EQ(both.code, 2);
  const Finished unknown = tune({"--dataflows", "ws,fast"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(
      unknown.err,
      HasSubstr(
          "'fast' cannot run on this network or layer; expected \"all\" or a list of os, ws, hybrid:1"));
}

TEST_F(CliTune, TrainingTunesAllPassesAndRunsWithThem) {
  const Words words{"--training", "--dataflows", "ws,unsorted", "-o", "p.tune.json"};
  const Finished made = tune(words);
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("layers            shape  pass     setting"), HasSubstr("  dgrad  "),
                              HasSubstr("  wgrad  "), HasSubstr("training step: ")));
  json profile = json::parse(read("p.tune.json"));
  expect_schema(profile);
  EXPECT_EQ(profile["training"], true);
  for (json& choice : profile["choices"]) {
    if (choice["layers"][0] != "deep") continue;
    choice["why"] = choice["dgrad"]["why"] = choice["wgrad"]["why"] = "fastest";
    choice["t"] = 4;
    choice["dgrad"]["t"] = 0;
    choice["wgrad"].erase("t");
    choice["wgrad"]["dataflow"] = "unsorted";
  }
  write("p.tune.json", profile.dump());
  const auto backward = [&](const Words& more) {
    Words run_words{"p.tune.json", "--training", "-o", "report.json"};
    run_words.insert(run_words.end(), more.begin(), more.end());
    const Finished done = run(run_words);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(spira({"validate", "report.json"}).code, 0);
    const json row = json::parse(read("report.json")).at("layers").at(2).at("backward");
    return row["dgrad"]["dataflow"].get<std::string>() + " " + row["wgrad"]["dataflow"].get<std::string>();
  };
  EXPECT_EQ(backward({}), "ws unsorted");
  EXPECT_EQ(backward({"--layer-dgrad", "deep=mask-sorted:2"}), "mask-sorted:2 unsorted");
  const Finished first = run({"p.tune.json", "--training", "--layer-dgrad", "stem=ws"});
  EXPECT_EQ(first.code, 2);
  EXPECT_THAT(first.err, HasSubstr("the layer reads only the input of the network, so it has no dgrad"));
  const Finished refused = run({"p.tune.json", "--training", "--layer-dgrad", "down=os"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--layer-dgrad down=os: only pair lists (t = 0) can exchange"));
  EXPECT_EQ(run({"p.tune.json", "--layer-wgrad", "deep=ws"}).code, 2) << "--training is required";
  EXPECT_EQ(backward({"--layer-threshold", "deep=2"}), "hybrid:2 hybrid:2")
      << "the backward settings of the profile belong to its forward setting";
  const Finished reduced = tune({"-o", "p.tune.json"});
  EXPECT_EQ(reduced.code, 2);
  EXPECT_THAT(reduced.err,
              HasSubstr("spira: the profile cannot be extended: it was tuned for training steps"));
  const Finished reported = spira({"tune", "p.tune.json", "--network", "net.json", "--groups"});
  EXPECT_EQ(reported.code, 0) << reported.err;
  EXPECT_THAT(reported.out,
              AllOf(HasSubstr("one dataflow  all passes alike  forward = dgrad  dgrad = wgrad  "),
                    HasSubstr("\nbindings      all passes alike: ")));
  profile["features"][0]["pass"] = "sideways";
  write("bad.tune.json", profile.dump());
  expect_one_line(spira({"tune", "bad.tune.json", "--network", "net.json", "--groups"}), 3,
                  "bad.tune.json: features[0].pass: \"sideways\"; expected one of: forward, dgrad, wgrad");
}

TEST_F(CliTune, JsonIsTheProfileItself) {
  const Finished made = tune({"--json", "-o", "p.tune.json"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, read("p.tune.json"));
  EXPECT_EQ(tune({"--json"}).code, 0) << "--json must work without -o";
}

TEST_F(CliTune, SeveralScenesHaveARegretMatrixAndWeights) {
  const Finished text = tune({"--scene-weights", "1,3"}, {"scene.ply", "room"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("settings chosen for  on scene 1  on scene 2\n"), HasSubstr("\nall "),
                              HasSubstr("weight 3\n"), HasSubstr("output on scene 2: ")));
  const Finished made =
      tune({"--json", "--packings", "32,64,3/3/3", "--algorithms", "zdelta,bsearch"}, {"scene.ply", "room"});
  ASSERT_EQ(made.code, 0) << made.err;
  const json profile = json::parse(made.out);
  expect_schema(profile);
  EXPECT_EQ(profile["regret"].size(), 3U);
  EXPECT_EQ(profile["indexing"].size(), 6U);
  EXPECT_THAT(profile["indexing"][2]["why_not"].get<std::string>(), HasSubstr("does not fit"));
  EXPECT_TRUE(profile["packing"]["packing"].is_string());
  EXPECT_TRUE(std::any_of(profile["maps"].begin(), profile["maps"].end(),
                          [](const json& one) { return one["map"] == "bsearch"; }));
}

TEST_F(CliTune, PrintsTheMatrixOfAProfileWithoutMeasuring) {
  make_matrix_profile();
  const std::string before = read("m.tune.json");
  const Finished done = spira({"tune", "m.tune.json", "--network", "net.json", "--matrix"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out, R"(net, fp32
layer            shape     t = 0     t = 1     t = 2     t = 3   t = max
stem    3x3x3 1>1 4->8   [1.00*]    1.33         x      2.00      2.67
down    2x2x2 1>2 8->8   [1.00*]                                  2.50
deep    3x3x3 2>2 8->8    1.00*     1.33?     1.67      2.00     [3.00]
up      2x2x2 2>1 8->8      [-]
last   3x3x3 1>1 16->8    1.00*     2.00      2.50      3.00     [4.50]
cells         median time of all layers of the shape, divided by the time of the fastest setting of the row;
              a cell includes the time of the map if no layer of another shape uses the map
marks         * best, ~ tied with the best, ? undecided (noisy, or fewer than 5 samples), [ ] current choice,
              x output differs from t = max, - not measured
expected      24.0 ms with the current choices, 32.0 ms with t = max: 25.0 % less, faster
              (maps, and features of 4 layers)
undecided     1 layer is undecided and uses t = max: deep
)");
  EXPECT_EQ(read("m.tune.json"), before);
  EXPECT_EQ(spira({"tune", "--network", "net.json", "--matrix", "m.tune.json"}).out, done.out)
      << "the profile may follow --matrix";
}

/// In the sweep, the features take 2 + t ms and each map takes 1 ms.
TEST_F(CliTune, PrintsTheMatrixOfTheSweepInAReport) {
  make_report("r.spira.json", {"--sweeps"});
  json report = json::parse(read("r.spira.json"));
  report["created"] = "2026-11-21T20:01:03Z";
  for (json& row : report["sweeps"]["thresholds"]["rows"]) {
    const int t = row["t"];
    for (json& stage : row["stages"]) {
      const std::string name = stage["stage"];
      const bool top = name.find('.') == std::string::npos;
      stage["samples"] = std::vector<double>(stage["samples"].size(), !top                           ? 0.1
                                                                      : name.starts_with("features") ? 2.0 + t
                                                                                                     : 1.0);
      stage.erase("stats");
    }
  }
  write("r.spira.json", report.dump());
  const std::string before = read("r.spira.json");
  const Finished done = spira({"tune", "r.spira.json", "--matrix"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(done.out, AllOf(HasSubstr("net, fp32\nrecorded      2026-11-21T20:01:03Z on cpu: "),
                              HasSubstr("\nscene         scene.ply, "),
                              HasSubstr("\nsweep         net, whole network\n")));
  EXPECT_THAT(done.out,
              HasSubstr("\nstem    3x3x3 1>1 4->8    1.00*     1.33      1.67      2.00     [2.00]\n"));
  EXPECT_THAT(done.out, HasSubstr("\nup      2x2x2 2>1 8->8      [=]\n"));
  EXPECT_THAT(done.out, HasSubstr("[ ] t of the run"));
  EXPECT_THAT(done.out, HasSubstr("\nnetwork       with the same t in all layers: t = 0 "));
  EXPECT_EQ(read("r.spira.json"), before);
  const Finished csv = spira({"tune", "r.spira.json", "--matrix", "r.csv"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  EXPECT_THAT(read("r.csv"), HasSubstr("\nstem,3,1,1,4,8,3x3x3 1>1,t = 1,1,zdelta,measured,worse,,"));
}

/// The report contains only a sweep of the layer "stem". The run used t = 2, and 1 ms of the feature time
/// does not depend on t.
TEST_F(CliTune, ModelledCellsAreMarkedAndHaveTheirError) {
  make_report("r.spira.json", {"--sweeps", "--threshold", "2"});
  json report = json::parse(read("r.spira.json"));
  const auto set_samples = [](json& stages, double features_ms) {
    for (json& stage : stages) {
      const std::string name = stage["stage"];
      if (!name.starts_with("features")) continue;
      const bool top = name.ends_with("]");
      stage["samples"] = std::vector<double>(stage["samples"].size(), top ? features_ms : 1e-6);
      stage.erase("stats");
    }
  };
  for (json& layer : report["layers"])
    set_samples(layer["stages"], 1.0);
  json& sweep = report["sweeps"]["thresholds"];
  sweep["layer"] = 0;
  sweep["subject"] = "stem";
  const auto matrix_of = [&](double features_ms) {
    for (json& row : sweep["rows"]) {
      row["samples_ms"] = std::vector<double>(5, 2.0);
      set_samples(row["stages"], features_ms);
    }
    write("swept.spira.json", report.dump());
    return spira({"tune", "swept.spira.json", "--matrix"}).out;
  };
  const std::string right = matrix_of(1.0);
  EXPECT_THAT(right,
              HasSubstr("\ndeep    3x3x3 2>2 8->8    1.00m     1.00m    [1.00]     1.00m     1.00m\n"));
  EXPECT_THAT(
      right,
      HasSubstr("\nmodelled      from the time per operation of this layer in this run: median error 0.0 % "
                "on 4 measured cells (m: "));
  EXPECT_THAT(right, HasSubstr("\nlast   3x3x3 1>1 16->8    1.00m     1.00m    [1.00]     1.00m     1.00m\n"))
      << "layer stem has built the map of layer last in the run";
  const std::string wrong = matrix_of(4.0);
  EXPECT_THAT(wrong, HasSubstr("\ndeep    3x3x3 2>2 8->8       -         -     [1.00]        -         -\n"));
  EXPECT_THAT(wrong,
              HasSubstr("median error 75.0 % on 4 measured cells; modelled times are therefore not shown\n"));
}

TEST_F(CliTune, WritesTheMatrixAsCsv) {
  make_matrix_profile();
  const Finished done = spira({"tune", "m.tune.json", "--network", "net.json", "--matrix", "m.csv"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err, "matrix: m.csv\n");
  const std::string csv = read("m.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + (3 * 5) + 2 + 1);
  EXPECT_THAT(csv, HasSubstr("\nstem,3,1,1,4,8,3x3x3 1>1,t = 0,0,zdelta,measured,best,yes,5,2,0,1,1,3,1"));
  EXPECT_THAT(csv, HasSubstr("\nstem,3,1,1,4,8,3x3x3 1>1,t = 2,2,zdelta,unusable,,,5,4,0,1,,,"));
  const Finished measured = tune({"--matrix", "n.csv", "--json"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  expect_schema(json::parse(measured.out));
  EXPECT_THAT(read("n.csv"), HasSubstr("\ndeep,3,2,2,8,8,"));
  EXPECT_THAT(tune({"--matrix"}).out, AllOf(HasSubstr("net, fp32\nlayers "), HasSubstr("net, fp32\nlayer ")));
}

TEST_F(CliTune, PrintsTheGroupsOfAProfileWithoutMeasuring) {
  make_matrix_profile();
  const Finished done = spira({"tune", "m.tune.json", "--network", "net.json", "--groups"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out, R"(net, fp32
      map  layers              t = 0     t = 1     t = 2     t = 3   t = max   choice  one dataflow
3x3x3 1>1  stem and 1 more  (5.000*)   7.000         -    11.000    (17.000)   12.000  -7.000
2x2x2 1>2  down and 1 more  [3.000*]       -         -         -     6.000      3.000  +0.000
3x3x3 2>2  deep              3.000*    4.000?    5.000     6.000    [9.000]     9.000  -6.000
cells         median time in ms of all layers that share the map, if all of them use this setting;
              each map is built once; layers that support only one setting keep it
choice        the time in ms if each layer uses its chosen setting
one dataflow  time of the fastest cell minus the time in column choice
marks         * best, ~ tied with the best (to the right of column choice: tied with the choice),
              ? undecided (fewer than 5 samples), [ ] choice of all layers, ( ) choice of some layers,
              - not measured
expected      24.0 ms with the chosen settings, 11.0 ms with the best single dataflow of each group (3 groups)
)");
  const Finished csv = spira({"tune", "m.tune.json", "--network", "net.json", "--groups", "g.csv"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.err, "groups: g.csv\n");
  const std::string groups = read("g.csv");
  EXPECT_EQ(std::count(groups.begin(), groups.end(), '\n'), 1 + 4 + 2 + 5);
  EXPECT_THAT(groups, HasSubstr("\n3x3x3 1>1,3,1,1,stem last,,t = max,worse,1,5,17,12,-7,best,,,,,,,,\r\n"));
  EXPECT_THAT(groups, HasSubstr("\n3x3x3 2>2,3,2,2,deep,,t = 1,undecided,0,4,4,9,-6,best,,,,,,,,\r\n"));
  EXPECT_THAT(tune({"--groups", "--matrix"}).out,
              AllOf(HasSubstr("net, fp32\nlayer "), HasSubstr("net, fp32\n      map ")));
}

TEST_F(CliTune, FaultsOfTheGroupsAreOneLine) {
  make_matrix_profile();
  const auto groups = [&](const Words& more) {
    Words words{"--quiet", "tune", "--network", "net.json"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  };
  expect_one_line(groups({"m.tune.json", "--groups", "g.txt"}), 2,
                  "--groups g.txt: expected a file name that");
  expect_one_line(groups({"m.tune.json", "--groups", "--json"}), 2, "use --groups FILE.csv");
  expect_one_line(groups({"m.tune.json", "--groups", "g.csv", "-o", "p.json"}), 2,
                  "--groups only prints this");
  expect_one_line(groups({"m.tune.json", "--groups", "g.csv", "--matrix", "g.csv"}), 2,
                  "--matrix and --groups both write to g.csv");
  make_report("r.spira.json", {"--sweeps"});
  expect_one_line(groups({"r.spira.json", "--groups"}), 2,
                  "r.spira.json: this file is a report; --groups requires a tuning profile");
}

TEST_F(CliTune, FaultsOfTheMatrixAreOneLine) {
  make_matrix_profile();
  const auto matrix = [&](const Words& more) {
    Words words{"--quiet", "tune"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  };
  expect_one_line(matrix({"m.tune.json", "--matrix"}), 2,
                  "m.tune.json: the profile was tuned for net; pass the network file with --network");
  expect_one_line(matrix({"m.tune.json", "--network", "resn21", "--matrix"}), 2,
                  "the profile was tuned for network net, but this is network resn21");
  expect_one_line(matrix({"m.tune.json"}), 2, "use --matrix to print its matrix");
  expect_one_line(matrix({"m.tune.json", "--matrix", "--json"}), 2, "--matrix");
  expect_one_line(matrix({"m.tune.json", "--network", "net.json", "--matrix", "x.csv", "-o", "p.json"}), 2,
                  "--matrix only prints this");
  expect_one_line(matrix({"net.json", "--matrix"}), 3, "net.json: this is neither a tuning profile");
  make_report("plain.spira.json", {});
  expect_one_line(matrix({"plain.spira.json", "--matrix"}), 3,
                  "plain.spira.json: the report contains no sweep of t, so it has no matrix");
  expect_one_line(matrix({"plain.spira.json"}), 2, "a report, not a scene; use --matrix to print its matrix");
  expect_one_line(matrix({"none.tune.json", "--matrix"}), 3, "none.tune.json: ");
  expect_one_line(matrix({"scene.ply", "--matrix", "m.tune.json"}), 2,
                  "expected a file name that ends with .csv");
  expect_one_line(matrix({"m.tune.json", "--network", "net.json", "--matrix", "no/m.csv"}), 3,
                  "no/m.csv: cannot be written");
  write("bad.tune.json", read("m.tune.json").substr(0, 300));
  expect_one_line(matrix({"bad.tune.json", "--matrix"}), 3, "bad.tune.json: ");
}

TEST_F(CliTune, APassThatCannotRunAsInTheProfileIsNamedAndTheOthersUseIt) {
  ASSERT_EQ(tune({"--training", "-o", "p.tune.json"}).code, 0);
  json profile = json::parse(read("p.tune.json"));
  for (json& choice : profile["choices"]) {
    choice["why"] = "fastest";
    for (const char* pass : {"dgrad", "wgrad"}) {
      if (choice.contains(pass)) choice[pass]["why"] = "fastest";
    }
    if (choice["layers"][0] != "down") continue;
    choice["t"] = choice["wgrad"]["t"] = 0;
    choice["dgrad"]["t"] = 1;
  }
  write("p.tune.json", profile.dump());
  const Finished done = run({"p.tune.json", "--training", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("5 of 5 layers from profile p.tune.json\n"),
                    HasSubstr("  not applied to dgrad of down: the profile has t = 1; only pair lists")));
  EXPECT_EQ(json::parse(done.out)["layers"][1]["t"], 0) << "the forward pass must use the profile";
  const Finished strict = run({"p.tune.json", "--training", "--strict"});
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(
      strict.err,
      HasSubstr("--strict is set, but a layer cannot run dgrad or wgrad with the setting from the profile"));
}

TEST_F(CliTune, RunUsesAndReportsTheSettingsOfTheProfile) {
  make_odd_profile();
  const Finished done = run({"p.tune.json", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("5 of 5 layers from profile p.tune.json\n"));
  for (const json& layer : json::parse(done.out)["layers"]) {
    EXPECT_EQ(layer["t"], 0);
    EXPECT_EQ(layer["map"], "sorted");
  }
  EXPECT_EQ(run({"p.tune.json", "--strict"}).code, 0);
  const json other = json::parse(run({"p.tune.json", "--json", "--threshold", "3"}).out);
  EXPECT_EQ(other["layers"][0]["t"], 3) << "--threshold must override the profile";
  const Finished late = spira({"run", "missing.ply", "--network", "net.json", "--plan", "p.tune.json",
                               "--layer-threshold", "nope=1"});
  EXPECT_EQ(late.code, 2) << "settings of layers must be checked before the scene is read";
  EXPECT_THAT(late.err, HasSubstr("has no layer with this name"));
}

TEST_F(CliTune, RunLeavesUndecidedSettingsOut) {
  ASSERT_EQ(tune({"-o", "p.tune.json", "--packings", "32,64"}).code, 0);
  json profile = json::parse(read("p.tune.json"));
  int undecided = 0;
  for (json& one : profile["choices"]) {
    if (one["why"] != "few_samples") continue;
    one["t"] = 0;
    ++undecided;
  }
  ASSERT_EQ(undecided, 4) << "all layers except the transposed layer must be undecided";
  write("p.tune.json", profile.dump());
  const Finished done = run({"p.tune.json", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("1 of 5 layers from profile p.tune.json\n"),
                              HasSubstr("  4 layers are undecided and use t = max: stem, down, deep, last\n"),
                              HasSubstr("packing: undecided in the profile")));
  EXPECT_EQ(json::parse(done.out)["layers"][0]["t"], 4)
      << "an undecided layer must keep its default threshold";
  EXPECT_EQ(run({"p.tune.json", "--strict"}).code, 1);
}

TEST_F(CliTune, RunReportsAnotherDensityOfTheScene) {
  make_odd_profile();
  EXPECT_THAT(run({"p.tune.json"}).err, testing::Not(HasSubstr("the density differs")));
  json profile = json::parse(read("p.tune.json"));
  profile["scenes"][0]["densities"]["mean_by_l1"] = {1, 1, 1, 1};
  profile["validity"]["density_distance_limit"] = 0.01;
  write("p.tune.json", profile.dump());
  const Finished done = run({"p.tune.json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("5 of 5 layers from profile p.tune.json\n"),
                              HasSubstr("  the density differs by "),
                              HasSubstr("; the limit is 0.01; the profile is used anyway\n")));
}

TEST_F(CliTune, RunKeepsTheDefaultsForOtherSizesAndPrintsTheReason) {
  make_odd_profile();
  const Finished done = run({"p.tune.json", "--json", "--grid", "4", "--map", "bsearch"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("0 of 5 layers from profile p.tune.json\n"),
                              HasSubstr("  not applied to stem"), HasSubstr("limit: 2x")));
  EXPECT_EQ(json::parse(done.out)["layers"][0]["t"], 4);
  EXPECT_EQ(json::parse(done.out)["layers"][0]["map"], "bsearch");
  EXPECT_EQ(run({"p.tune.json", "--grid", "4", "--strict"}).code, 1);
}

TEST_F(CliTune, AnotherDeviceIsAcceptedOnlyWithTheOption) {
  make_odd_profile();
  const Finished refused = run({"p.tune.json", "--json"}, "2");
  EXPECT_EQ(refused.code, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("0 of 5 layers from profile p.tune.json\n"),
                                 HasSubstr("the number of threads differs (1 in the profile, 2 here)"),
                                 HasSubstr("use --ignore-devices to apply the profile anyway")));
  EXPECT_EQ(json::parse(refused.out)["layers"][0]["t"], 4);
  const Finished taken = run({"p.tune.json", "--json", "--ignore-devices"}, "2");
  EXPECT_THAT(
      taken.err,
      AllOf(
          HasSubstr("5 of 5 layers"),
          HasSubstr("  the profile is applied because of --ignore-devices, although the number of threads")));
  EXPECT_EQ(json::parse(taken.out)["layers"][0]["t"], 0);
}

TEST_F(CliTune, PrecisionAndPackingComeFromTheProfileByDefault) {
  ASSERT_EQ(tune({"-o", "h.tune.json", "--precision", "fp16", "--packings", "64"}).code, 0);
  const Finished done = run({"h.tune.json", "--json"});
  EXPECT_THAT(done.err, AllOf(HasSubstr("layers from profile h.tune.json"),
                              HasSubstr("packing: 24/24/16 of the profile\n")));
  EXPECT_EQ(json::parse(done.out)["protocol"]["precision"], "fp16");
  EXPECT_EQ(json::parse(done.out)["scene"]["packing"]["word"], 64);
  const Finished asked = run({"h.tune.json", "--json", "--precision", "fp32", "--pack", "32"});
  EXPECT_THAT(asked.err, HasSubstr("the precision differs (fp16 in the profile, fp32 here)"));
  EXPECT_EQ(json::parse(asked.out)["scene"]["packing"]["word"], 32);
}

TEST_F(CliTune, TheSameFileIsAddedToAndNothingIsLost) {
  ASSERT_EQ(tune({"-o", "p.tune.json"}).code, 0);
  const json before = json::parse(read("p.tune.json"));
  const Finished more = tune({"-o", "p.tune.json", "--algorithms", "zdelta,hash"});
  ASSERT_EQ(more.code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("p.tune.json: the file already contains "));
  const json after = json::parse(read("p.tune.json"));
  EXPECT_EQ(after["features"], before["features"]);
  EXPECT_EQ(after["maps"].size(), 2 * before["maps"].size());
  EXPECT_EQ(tune({"-o", "p.tune.json", "--precision", "fp16"}).code, 2)
      << "a profile of another precision must be refused";
  EXPECT_EQ(json::parse(read("p.tune.json")), after);
  ASSERT_EQ(tune({"-o", "p.tune.json", "--fresh"}).code, 0);
  EXPECT_EQ(json::parse(read("p.tune.json"))["maps"].size(), before["maps"].size());
}

TEST_F(CliTune, OtherFilesAreNotOverwritten) {
  write("p.tune.json", "something dear");
  expect_one_line(tune({"--quiet", "-o", "p.tune.json"}), 2,
                  "p.tune.json: the file exists but is not a tuning profile");
  EXPECT_EQ(read("p.tune.json"), "something dear");
  expect_one_line(tune({"--quiet", "-o", "no/p.tune.json"}), 3, "no/p.tune.json: cannot be written");
}

TEST_F(CliTune, ABudgetThatIsTooShortIsReportedAndWritesNothing) {
  const Finished done = tune({"--quiet", "--budget", "0.001ms", "-o", "p.tune.json"});
  expect_one_line(done, 7, "no setting could be chosen");
  EXPECT_FALSE(std::filesystem::exists(folder() / "p.tune.json"));
}

TEST_F(CliTune, AnInterruptKeepsTheFinishedSamples) {
  Program program(SPIRA_PROGRAM,
                  {"tune", "street", "--network", "resn21", "--grid", "0.2", "--budget", "1h",
                   "--max-samples", "10000", "-o", "p.tune.json"},
                  folder());
  ASSERT_TRUE(program.wait_for_message("generated street"));
  program.interrupt();
  const Finished done = program.finish();
  EXPECT_EQ(done.code, 130) << done.err;
  const bool kept = std::filesystem::exists(folder() / "p.tune.json");
  EXPECT_EQ(kept, !done.out.empty()) << "a profile must be written exactly if the summary is printed";
  if (kept) {
    EXPECT_EQ(json::parse(read("p.tune.json"))["stopped"], "interrupted");
  }
}

TEST_F(CliTune, FaultsOfAProfileAreOneLineThatNamesFileAndField) {
  make_odd_profile();
  const std::string whole = read("p.tune.json");
  const auto fault = [&](const std::string& bytes, const std::string& text) {
    write("bad.tune.json", bytes);
    const Finished done = run({"bad.tune.json", "--quiet"});
    expect_one_line(done, 3, "bad.tune.json: " + text);
  };
  json profile = json::parse(whole);
  profile["choices"][0]["t"] = 9;
  fault(profile.dump(), "choices[0].t: 9; expected a whole number from 0 to 4");
  profile = json::parse(whole);
  profile["schema_version"] = "2.0";
  fault(profile.dump(), "schema_version: 2.0 is newer");
  profile = json::parse(whole);
  profile["choices"][1].erase("key");
  fault(profile.dump(), "choices[1].key: missing");
  fault(whole.substr(0, whole.size() / 2), "invalid JSON at line ");
  profile["choices"] = json::array();
  profile["regret"] = json::array();
  write("none.tune.json", profile.dump());
  EXPECT_THAT(run({"none.tune.json"}).err, HasSubstr("0 of 5 layers"));
}

TEST_F(CliTune, WrongOptionsAreUsageErrors) {
  const auto usage = [&](const Words& more, const std::string& text) {
    Words words{"--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    expect_one_line(tune(words), 2, text);
  };
  usage({"--packings", "32,32"}, "--packings 32,32: 12/12/8 appears twice");
  usage({"--algorithms", "magic"}, "zdelta");
  usage({"--algorithms", "hash,hash"}, "appears twice");
  usage({"--thresholds", "9"}, "--thresholds 9: expected all, or numbers from 0 to 4");
  usage({"--scene-weights", "1,2"}, "expected a number above 0 for each of 1 scenes");
  usage({"--scene-weights", "0"}, "--scene-weights 0");
  for (const char* budget : {"soon", "-1s", "0", "s", "1e99h", "nan"}) {
    const Finished done = spira({"--quiet", "tune", "scene.ply", "--budget", budget});
    EXPECT_EQ(done.code, 2) << budget;
    EXPECT_THAT(done.err, HasSubstr("--budget")) << budget;
  }
  EXPECT_EQ(spira({"tune"}).code, 2);
  EXPECT_EQ(spira({"tune", "scene.ply", "--min-samples", "0"}).code, 2);
  EXPECT_EQ(spira({"run", "scene.ply", "--strict"}).code, 2) << "--strict must be refused without --plan";
  EXPECT_EQ(tune({"--quiet"}, {"missing.ply"}).code, 3);
}

TEST_F(CliTune, CommandsWithoutPlansRefuseAProfile) {
  make_odd_profile();
  expect_one_line(spira({"--quiet", "sweep", "scene.ply", "--network", "net.json", "--packs", "32", "--grid",
                         "0.5", "--plan", "p.tune.json"}),
                  2,
                  "p.tune.json: this file is a tuning profile; only run, layer and sweeps of the threshold t "
                  "accept a tuning profile");
  write("plan.json", R"({"schema": "spira.plan 1", "layers": []})");
  expect_one_line(run({"plan.json", "--strict", "--quiet"}), 2, "require a tuning profile");
  EXPECT_EQ(run({"plan.json"}).code, 0);
}

}  // namespace
}  // namespace spira::test

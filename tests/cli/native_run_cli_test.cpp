// Tests the commands that run networks on native points: the options --neighbours, --cell, --radius and
// --positions.
#include "engine/report/report_exports.hpp"
#include "engine/report/reproduce.hpp"
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

class NativeRunCli : public Cli {
 protected:
  void SetUp() override {
    make_scene();
    write("net.json", R"({"name": "net", "layers": [
      {"name": "stem", "out_channels": 8},
      {"name": "down", "out_channels": 8, "stride": 2},
      {"name": "up", "out_channels": 8, "stride": 2, "transposed": true},
      {"name": "last", "inputs": ["up", "stem"], "out_channels": 8}]})");
  }
  [[nodiscard]] Finished spira_on_scene(const std::string& command, const Words& more) const {
    Words words{"--threads", "1", command, "scene.ply", "--grid", "0.5"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  }
  [[nodiscard]] Finished run(const Words& more) const {
    Words words{"--network", "net.json", "--repeat", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return spira_on_scene("run", words);
  }
  [[nodiscard]] Report report(const std::string& name, const Words& more) const {
    Words words{"-o", name};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = run(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return parse_report(read(name), name);
  }
};

TEST_F(NativeRunCli, ReportsContainTheNetworkAndItsMaps) {
  const Report native = report("native.json", {"--neighbours", "ball", "--radius", "1.5", "--sweeps"});
  EXPECT_THAT(shipped_schema("report").faults(json::parse(read("native.json"))), IsEmpty());
  const Neighbourhood ball{NeighbourShape::ball, 1, 1.5};
  for (const Layer& layer : native.network.layers)
    EXPECT_EQ(layer.neighbourhood, ball) << layer.name;
  const json document = json::parse(read("native.json"));
  EXPECT_EQ(document["kernel_maps"][0]["neighbours"], "ball");
  EXPECT_EQ(document["kernel_maps"][0]["radius"], 1.5);
  ASSERT_TRUE(native.threshold_sweep);
  EXPECT_EQ(native.threshold_sweep->rows.size(), 1U) << "native layers have only t = 0";
}

TEST_F(NativeRunCli, TheTextNamesTheNeighbours) {
  EXPECT_THAT(run({"--neighbours", "ball", "--cell", "2"}).out,
              HasSubstr("\nneighbours    ball, cell 2: 4 of 4 layers\n"));
  EXPECT_THAT(run({}).out, Not(HasSubstr("neighbours")));
}

TEST_F(NativeRunCli, PositionsOnTheGridGiveTheMapsOfVoxels) {
  const Report voxels = report("voxels.json", {"--threshold", "0"});
  const Report grid = report("grid.json", {"--neighbours", "cube", "--positions", "grid"});
  const Report nearest = report("nearest.json", {"--neighbours", "cube"});
  ASSERT_EQ(voxels.measurement.layers.size(), 4U);
  for (std::size_t at = 0; at < 4; ++at)
    EXPECT_EQ(grid.measurement.layers[at].pairs, voxels.measurement.layers[at].pairs);
  EXPECT_NE(nearest.measurement.layers[0].pairs, voxels.measurement.layers[0].pairs);
}

TEST_F(NativeRunCli, IsComparedWithVoxelsWithAWarning) {
  static_cast<void>(report("voxels.json", {}));
  static_cast<void>(report("native.json", {"--neighbours", "ball"}));
  const Finished compared = spira({"compare", "voxels.json", "native.json"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("another convolution: results differ by design"));
  EXPECT_THAT(compared.out, Not(HasSubstr("NOT COMPARABLE")));
}

TEST_F(NativeRunCli, TheCommandOfAPresetRunsTheSame) {
  const Finished run = spira_on_scene("run", {"--network", "resn21", "--neighbours", "ball", "--cell", "2",
                                              "--positions", "grid", "--repeat", "1", "-o", "first.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Report first = parse_report(read("first.json"), "first.json");
  Words command = command_of_layer(measured_with(first), -1);
  EXPECT_THAT(shell_text(command), HasSubstr("--network resn21 --neighbours ball --cell 2 --positions grid"));
  command.erase(command.begin());
  command.insert(command.end(), {"-o", "second.json"});
  const Finished again = spira(command);
  ASSERT_EQ(again.code, 0) << again.err;
  const Report second = parse_report(read("second.json"), "second.json");
  EXPECT_EQ(network_json(second.network), network_json(first.network));
  for (std::size_t at = 0; at < first.measurement.layers.size(); ++at)
    EXPECT_EQ(second.measurement.layers[at].pairs, first.measurement.layers[at].pairs);
}

TEST_F(NativeRunCli, OtherCommandsTakeTheNeighbours) {
  const Finished counted = run({"--neighbours", "ball", "--counters"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  EXPECT_THAT(counted.err, HasSubstr("searches for native neighbours are not counted"));
  EXPECT_THAT(counted.out, Not(HasSubstr("0 of 0 queries")));
  const Finished layer =
      spira_on_scene("layer", {"--cin", "4", "--cout", "8", "--neighbours", "cube", "--repeat", "1"});
  EXPECT_EQ(layer.code, 0) << layer.err;
  const Finished sweep = spira_on_scene(
      "sweep", {"--network", "net.json", "--neighbours", "ball", "--packs", "32,64", "--repeat", "1"});
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  const Finished verify = spira_on_scene("verify", {"--network", "net.json", "--neighbours", "ball"});
  EXPECT_EQ(verify.code, 0) << verify.out;
  EXPECT_THAT(verify.out, HasSubstr("positions of stride 2"));
  std::filesystem::create_directory(folder() / "frames");
  std::filesystem::copy_file(folder() / "scene.ply", folder() / "frames/scene.ply");
  const Finished infer = spira(
      {"infer", "frames", "--network", "net.json", "--neighbours", "ball", "--grid", "0.5", "-o", "results"});
  EXPECT_EQ(infer.code, 0) << infer.err;
  EXPECT_TRUE(std::filesystem::exists(folder() / "results/scene.ply.safetensors"));
  const Finished info = spira_on_scene("info", {"--network", "resn21", "--neighbours", "ball", "--json"});
  EXPECT_EQ(info.code, 0) << info.err;
  const Finished bench = spira({"bench", "network", "scene.ply", "--grid", "0.5", "--network", "net.json",
                                "--neighbours", "ball", "--repeat", "1", "--warmup", "0"});
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("layer by layer"));
  const Finished mapping = spira({"bench", "mapping", "scene.ply", "--neighbours", "ball"});
  EXPECT_EQ(mapping.code, 2);
  EXPECT_THAT(mapping.err, HasSubstr("--neighbours can only be used with the suites indexing and network"));
}

TEST_F(NativeRunCli, DensitiesCountNativeNeighbours) {
  const Finished ball = spira_on_scene("densities", {"--kernel", "3", "--neighbours", "ball", "--json"});
  ASSERT_EQ(ball.code, 0) << ball.err;
  const json native = json::parse(ball.out);
  EXPECT_EQ(native["neighbours"], "ball");
  const json voxels = json::parse(spira_on_scene("densities", {"--kernel", "3", "--json"}).out);
  EXPECT_FALSE(voxels.contains("neighbours"));
  EXPECT_GT(native["map_entries"], voxels["map_entries"]);
  const json grid = json::parse(
      spira_on_scene("densities", {"--neighbours", "cube", "--positions", "grid", "--stride", "2", "--json"})
          .out);
  const json coarse = json::parse(spira_on_scene("densities", {"--stride", "2", "--json"}).out);
  EXPECT_EQ(grid["map_entries"], coarse["map_entries"]);
  const json of_layer = json::parse(spira_on_scene("densities", {"--network", "net.json", "--layer", "down",
                                                                 "--neighbours", "ball", "--json"})
                                        .out);
  EXPECT_EQ(of_layer["neighbours"], "ball");
}

TEST_F(NativeRunCli, TuningTriesTheSearchesThatArePossible) {
  const Finished tuned = spira_on_scene(
      "tune", {"--network", "net.json", "--neighbours", "ball", "--algorithms", "all", "--min-samples", "2",
               "--max-samples", "2", "--budget", "10m", "-o", "p.tune.json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("bsearch: not possible in 4 layers: "));
  EXPECT_THAT(tuned.err, HasSubstr("sorted: not possible in 4 layers: "));
  EXPECT_THAT(tuned.out, HasSubstr("the tuned plan and of t = 0 is 0 "));
  EXPECT_THAT(tuned.out, HasSubstr("network: the plan uses t = 0 for all layers"));
  const json profile = json::parse(read("p.tune.json"));
  EXPECT_THAT(shipped_schema("tune").faults(profile), IsEmpty());
  std::set<std::string> searches;
  for (const json& map : profile["maps"]) {
    searches.insert(map["map"].get<std::string>());
    EXPECT_EQ(map["key"]["neighbours"], "ball");
    EXPECT_EQ(map["t"], 0);
  }
  EXPECT_EQ(searches, (std::set<std::string>{"hash", "zdelta"}));
  const Finished planned = run({"--neighbours", "ball", "--plan", "p.tune.json", "--strict"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  const Finished voxels = run({"--plan", "p.tune.json", "--strict"});
  EXPECT_NE(voxels.code, 0) << "the profile belongs to another convolution";
  const Finished none =
      spira_on_scene("tune", {"--network", "net.json", "--neighbours", "ball", "--algorithms", "bsearch"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("use zdelta or hash"));
}

TEST_F(NativeRunCli, WrongOptionsAreRefusedWithARemedy) {
  const auto refused = [&](const Words& more, const std::string& text) {
    const Finished done = run(more);
    EXPECT_EQ(done.code, 2) << done.out;
    EXPECT_THAT(done.err, HasSubstr(text));
  };
  refused({"--cell", "2"}, "--cell requires --neighbours");
  refused({"--radius", "2"}, "--radius requires --neighbours");
  refused({"--neighbours", "sphere"}, "sphere");
  refused({"--neighbours", "ball", "--radius", "0"}, "--radius");
  refused({"--neighbours", "cube", "--radius", "2"}, "--radius: a cube has none; remove it");
  refused({"--neighbours", "voxels", "--cell", "2"}, "--cell: only a cube or a ball has cells");
  refused({"--neighbours", "cube", "--cell", "16"},
          "--cell: the neighbours would be more than 16 cells away");
  refused({"--positions", "grid"}, "reads no positions; add --neighbours");
  refused({"--neighbours", "ball", "--map", "bsearch"}, "--map bsearch: layer stem: ");
  refused({"--neighbours", "ball", "--layer-threshold", "stem=2"}, "t = 0");
  const Finished folder = spira({"densities", ".", "--frames", "--neighbours", "ball"});
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.err, HasSubstr("--neighbours cannot be used with a folder"));
}

TEST_F(NativeRunCli, AMisfitNamesTheWindow) {
  const Finished done = run({"--neighbours", "ball", "--cell", "4", "--pack", "3,3,3"});
  EXPECT_EQ(done.code, 4) << done.err;
  EXPECT_THAT(done.err, HasSubstr("neighbours up to 8 cells away"));
}

}  // namespace
}  // namespace spira::test

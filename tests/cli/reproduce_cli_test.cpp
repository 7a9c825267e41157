// Tests that the command line can reproduce results of the window that use crops or single layers. Runs the
// commands that a report suggests, and compares their results with the report.
#include "engine/backend/dataflow.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/reproduce.hpp"
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ReproduceCli : public Cli {
 protected:
  void SetUp() override {
    make_scene();
    const Finished run = spira({"run", "scene.ply", "--grid", "0.2", "--crop", "-10,-10,-3,10,10,1",
                                "--network", "resn21", "--threshold", "1", "--layer-threshold",
                                second() + "=2", "--repeat", "2", "--seed", "3", "-o", "first.json"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  static std::string second() { return network_preset("resn21").layers.at(1).name; }
  Finished again(std::vector<std::string> command, const std::vector<std::string>& more = {}) const {
    // Remove the name of the program.
    command.erase(command.begin());
    command.insert(command.end(), more.begin(), more.end());
    return spira(command);
  }
};

TEST_F(ReproduceCli, ReportsKeepTheCropAndInfoCountsWhatItKeeps) {
  const json scene = json::parse(read("first.json")).at("scene");
  EXPECT_EQ(scene.at("crop").at("low_m"), json({-10.0, -10.0, -3.0}));
  EXPECT_EQ(scene.at("crop").at("high_m"), json({10.0, 10.0, 1.0}));
  const Finished info =
      spira({"info", "scene.ply", "--grid", "0.2", "--crop", "-10,-10,-3,10,10,1", "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  const json seen = json::parse(info.out).at(0);
  EXPECT_EQ(seen.at("crop").at("points_kept"), scene.at("crop").at("points_kept"));
  EXPECT_EQ(seen.at("voxels"), scene.at("voxels"));
  EXPECT_LT(seen.at("crop").at("points_kept"), seen.at("points"));
  EXPECT_EQ(seen.at("duplicates").get<int>() + seen.at("voxels").get<int>(),
            seen.at("crop").at("points_kept"));
}

TEST_F(ReproduceCli, EveryNthPointIsInTheReportAndInTheCommand) {
  const Finished run = spira({"run", "scene.ply", "--grid", "0.2", "--every", "4", "--network", "resn21",
                              "--repeat", "1", "-o", "part.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Report part = parse_report(read("part.json"), "part.json");
  EXPECT_EQ(part.scene.every, 4);
  EXPECT_THAT(part.scene.reading, testing::HasSubstr("every 4th of"));
  const auto command = command_of_layer(measured_with(part), -1);
  const auto option = std::find(command.begin(), command.end(), "--every");
  ASSERT_NE(option, command.end());
  EXPECT_EQ(*std::next(option), "4");
  const Finished folder = spira({"info", ".", "--every", "4"});
  EXPECT_EQ(folder.code, 2) << "a survey must refuse --every";
}

TEST_F(ReproduceCli, TheCommandOfARunRunsTheSame) {
  const Report first = parse_report(read("first.json"), "first.json");
  const MeasuredWith how = measured_with(first);
  const Finished run = again(command_of_layer(how, 1), {"-o", "second.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Report second = parse_report(read("second.json"), "second.json");
  EXPECT_EQ(second.scene.fingerprint, first.scene.fingerprint);
  EXPECT_EQ(second.scene.crop_m, first.scene.crop_m);
  EXPECT_EQ(second.scene.pack, first.scene.pack);
  EXPECT_EQ(second.weights, first.weights);
  EXPECT_EQ(second.measurement.plan.layers, first.measurement.plan.layers);
  EXPECT_EQ(second.measurement.wall.ms.size(), 2U);
  EXPECT_THAT(run.out, HasSubstr("features[" + first.network.layers[1].name + "]"));
  EXPECT_THAT(run.out, Not(HasSubstr("\n" + first.network.layers[2].name + " ")));
  EXPECT_NE(report_id(first), report_id(second)) << "two runs must have different ids";
  EXPECT_EQ(json::parse(read("first.json")).at("id"), report_id(first))
      << "the id must not change when the report is read";
}

TEST_F(ReproduceCli, OptionsBeforeTheSceneAndPlansOfLayersAreRepeated) {
  const std::string first = network_preset("resn21").layers.at(0).name;
  const Finished run =
      spira({"--threads", "1", "run", "--network", "resn21", "--layer-map", first + "=hash", "--layer-layout",
             first + "=offset-major", "--grid", "1", "--repeat", "2", "-o", "mixed.json", "street:3"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Report mixed = parse_report(read("mixed.json"), "mixed.json");
  EXPECT_EQ(mixed.measurement.plan.layers.at(0).algorithm, MapAlgorithm::hash);
  const Finished second = again(command_of_layer(measured_with(mixed), -1), {"-o", "again.json"});
  ASSERT_EQ(second.code, 0) << second.err;
  const Report repeated = parse_report(read("again.json"), "again.json");
  EXPECT_EQ(repeated.scene.fingerprint, mixed.scene.fingerprint);
  EXPECT_EQ(repeated.measurement.device.threads, 1);
  EXPECT_EQ(repeated.measurement.plan.layers, mixed.measurement.plan.layers);
  EXPECT_THAT(repeated.notes, testing::IsEmpty())
      << "a report of the current version must have no note about newer fields";
  const Finished compared = spira({"compare", "mixed.json", "again.json"});
  EXPECT_THAT(compared.out, Not(HasSubstr("not comparable: device")));
  for (const char* wrong : {"none=hash", "stem=magic", "stem"})
    EXPECT_EQ(spira({"run", "street", "--network", "resn21", "--layer-map", wrong}).code, 2) << wrong;
  EXPECT_EQ(spira({"run", "street", "--network", "resn21", "--layer-layout", first + "=pairs"}).code, 2);
}

TEST_F(ReproduceCli, Trap16_EachDataflowRunsAsPlannedAndIsRepeated) {
  const Network network = network_preset("resn21");
  const std::string first = network.layers.at(0).name, second = network.layers.at(1).name;
  for (const std::string& name : {std::string("mask-sorted:3"), std::string("unsorted"),
                                  std::string("gather"), std::string("gather-fp16")}) {
    const Finished run =
        spira({"run", "--network", "resn21", "--layer-dataflow", first + "=" + name, "--layer-dataflow",
               second + "=hybrid:1", "--grid", "1", "--repeat", "2", "-o", "one.json", "street:3"});
    ASSERT_EQ(run.code, 0) << run.err;
    const Report one = parse_report(read("one.json"), "one.json");
    EXPECT_EQ(dataflow_text(network.layers[0], one.measurement.plan.layers.at(0)), name);
    const StageTree& stages = one.measurement.layers.at(0).stages;
    EXPECT_EQ(stages.find("map[" + first + "].argsort") >= 0, name == "mask-sorted:3");
    EXPECT_EQ(stages.find("map[" + first + "].transpose") >= 0, name == "unsorted");
    EXPECT_EQ(stages.find("features[" + first + "].gemm") >= 0, name.starts_with("gather"));
    const std::string layout = name.starts_with("mask-sorted") ? name
                               : name == "unsorted"            ? "output-major"
                                                               : "pair lists";
    EXPECT_THAT(kernel_text(one.measurement.layers[0]),
                AllOf(StartsWith(layout + ": "),
                      EndsWith(name.starts_with("gather") ? " gather-GEMM-scatter" : " panels")));
    EXPECT_THAT(kernel_text(one.measurement.layers[1]), StartsWith("z-runs + pair lists: "));
    const auto& counted = one.measurement.layers[0].redundancy;
    EXPECT_EQ(counted.has_value(), !name.starts_with("gather"));
    if (counted) {
      EXPECT_EQ(counted->pairs, one.measurement.layers[0].pairs);
      EXPECT_GE(counted->slots_per_pair(), 1);
      EXPECT_THAT(run.out, HasSubstr("slots per pair"));
    }
    const Finished repeated = again(command_of_layer(measured_with(one), -1), {"-o", "two.json"});
    ASSERT_EQ(repeated.code, 0) << repeated.err;
    const Report two = parse_report(read("two.json"), "two.json");
    EXPECT_EQ(two.measurement.plan.layers, one.measurement.plan.layers) << name;
  }
}

TEST_F(ReproduceCli, Trap16_EachPassRunsAsPlannedAndIsRepeated) {
  const std::string layer = network_preset("resn21").layers.at(2).name;
  for (const auto& [dgrad, wgrad] :
       {std::pair("mask-sorted:2", "unsorted"), std::pair("gather", "ws"), std::pair("unsorted", "os")}) {
    write("plan.json", R"({"schema": "spira.plan 1", "layers": [{"layer": ")" + layer + R"(", "dgrad": ")" +
                           dgrad + R"(", "wgrad": ")" + wgrad + R"("}]})");
    const Finished run = spira({"run", "--network", "resn21", "--training", "--plan", "plan.json", "--grid",
                                "1", "--repeat", "2", "-o", "one.json", "street:3"});
    ASSERT_EQ(run.code, 0) << run.err;
    const Report one = parse_report(read("one.json"), "one.json");
    const LayerMeasurement& measured = one.measurement.layers.at(2);
    EXPECT_EQ(measured.backward->dgrad.dataflow, dgrad);
    EXPECT_EQ(measured.backward->wgrad.dataflow, wgrad);
    const auto layout_of = [](const std::string& dataflow) -> std::string {
      if (dataflow == "mask-sorted:2") return "mask-sorted:2: ";
      if (dataflow == "unsorted") return "output-major: ";
      return dataflow == "os" ? "z-runs: " : "pair lists: ";
    };
    const json row = json::parse(read("one.json")).at("layers").at(2);
    EXPECT_THAT(row.at("backward").at("dgrad").at("kernel"), StartsWith(layout_of(dgrad)));
    EXPECT_THAT(row.at("backward").at("wgrad").at("kernel"), StartsWith(layout_of(wgrad)));
    EXPECT_THAT(row.at("kernel"), StartsWith("z-runs: "));
    EXPECT_THAT(run.out, testing::ContainsRegex("kernel of forward +kernel of dgrad +kernel of wgrad"));
    const Finished repeated = again(command_of_layer(measured_with(one), -1), {"-o", "two.json"});
    ASSERT_EQ(repeated.code, 0) << repeated.err;
    const LayerMeasurement two = parse_report(read("two.json"), "two.json").measurement.layers.at(2);
    EXPECT_EQ(kernel_text(two.backward->dgrad, LayerPass::dgrad, layer),
              kernel_text(measured.backward->dgrad, LayerPass::dgrad, layer));
    EXPECT_EQ(kernel_text(two.backward->wgrad, LayerPass::wgrad, layer),
              kernel_text(measured.backward->wgrad, LayerPass::wgrad, layer));
  }
}

/// dgrad of a transposed layer is a strided convolution, so it can read all layouts.
TEST_F(ReproduceCli, Trap16_DgradOfATransposedLayerReadsTheMapOfItsDataflow) {
  write("net.json", R"({"name": "net", "layers": [{"name": "stem", "out_channels": 8},
      {"name": "down", "out_channels": 8, "kernel_size": 2, "stride": 2},
      {"name": "up", "out_channels": 8, "kernel_size": 2, "stride": 2, "transposed": true}]})");
  const auto kernel_with = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"run",      "--network", "net.json", "--training", "--grid",  "2",
                                       "--repeat", "1",         "-o",       "one.json",   "street:3"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished run = spira(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(read("one.json"))
        .at("layers")
        .at(2)
        .at("backward")
        .at("dgrad")
        .at("kernel")
        .get<std::string>();
  };
  EXPECT_THAT(kernel_with({}), StartsWith("z-runs: "));
  EXPECT_THAT(kernel_with({"--layer-dgrad", "up=mask-sorted:2"}), StartsWith("mask-sorted:2: "));
  EXPECT_THAT(kernel_with({"--layer-dgrad", "up=ws"}), StartsWith("pair lists: "));
}

TEST_F(ReproduceCli, NamedPlansRunAsOtherEnginesDo) {
  const Finished run = spira({"run", "--network", "minkunet42", "--plan", "torchsparse:2", "--grid", "4",
                              "--repeat", "1", "-o", "one.json", "street:3"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("plan torchsparse:2: mask-sorted:2 in 38 layers, os in 7 layers, ws in 4 "
                                 "layers"));
  const Report one = parse_report(read("one.json"), "one.json");
  EXPECT_EQ(one.measurement.plan.layers.at(0).algorithm, MapAlgorithm::hash);
  EXPECT_EQ(one.measurement.plan.layers.at(0).splits, 2);
  const Finished repeated = again(command_of_layer(measured_with(one), -1), {"-o", "two.json"});
  ASSERT_EQ(repeated.code, 0) << repeated.err;
  EXPECT_EQ(parse_report(read("two.json"), "two.json").measurement.plan.layers, one.measurement.plan.layers);
  const Finished bad = spira({"run", "street", "--grid", "1", "--plan", "torchsparse:12"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("plan 'torchsparse:12': expected torchsparse:S with 1 to 8 splits"));
  write("torchsparse", R"({"schema": "spira.plan 1", "layers": [{"layer": "nobody"}]})");
  EXPECT_EQ(
      spira({"run", "street", "--network", "resn21", "--grid", "1", "--repeat", "1", "--plan", "torchsparse"})
          .code,
      0);
  EXPECT_THAT(spira({"run", "street", "--grid", "1", "--plan", "./torchsparse"}).err, HasSubstr("nobody"));
}

TEST_F(ReproduceCli, AReportNamesTheMapThatEachDataflowReads) {
  const Finished run =
      spira({"run", "street", "--grid", "1", "--network", "resn21", "--layer-dataflow", "stage1.conv=ws",
             "--layer-dataflow", "stage1.block1.conv1=mask-sorted:3", "--layer-dataflow",
             "stage1.block1.conv2=gather", "--repeat", "1", "-o", "maps.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto maps = kernel_maps(parse_report(read("maps.json"), "maps.json"));
  ASSERT_GE(maps.size(), 3U);
  EXPECT_EQ(maps[0].used_by, (std::vector<int>{0, 2})) << "ws and gather share the pair lists";
  EXPECT_EQ(maps[1].used_by, (std::vector<int>{1}));
}

TEST_F(ReproduceCli, AContradictingDataflowIsRefused) {
  ASSERT_EQ(
      spira({"run", "street", "--grid", "1", "--network", "resn21", "--repeat", "1", "-o", "r.json"}).code,
      0);
  const json good = json::parse(read("r.json"));
  const auto fault = [&](const json& changes) {
    json bad = good;
    bad["layers"][0].update(changes);
    write("bad.json", bad.dump());
    const Finished validated = spira({"validate", "bad.json"});
    EXPECT_EQ(validated.code, 1) << changes;
    return validated.out;
  };
  EXPECT_THAT(fault({{"t", 0}, {"dataflow", "os"}}), HasSubstr("contradicts t and dense_layout"));
  EXPECT_THAT(fault({{"dense_layout", "output-major"}}), HasSubstr("contradicts"));
  EXPECT_THAT(fault({{"t", 2}, {"dataflow", "hybrid:3"}}), HasSubstr("hybrid:2"));
  EXPECT_THAT(fault({{"dense_layout", "mask-sorted"}}), HasSubstr("contradicts"));
}

TEST_F(ReproduceCli, AWarmUpIsRecordedAndRepeated) {
  const Finished run = spira({"layer", "street", "--grid", "1", "--cin", "4", "--cout", "4", "--repeat", "1",
                              "--warmup", "3", "-o", "warm.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Report warm = parse_report(read("warm.json"), "warm.json");
  EXPECT_EQ(warm.measurement.protocol.warmup, 3);
  EXPECT_THAT(shell_text(command_of_layer(measured_with(warm), -1)), HasSubstr(" --warmup 3"));
  const Finished sweep = spira({"sweep", "street", "--grid", "1", "--cin", "4", "--cout", "4", "--repeat",
                                "1", "--warmup", "0", "--json"});
  ASSERT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_EQ(json::parse(sweep.out).at("protocol").at("warmup"), 0);
  EXPECT_EQ(spira({"run", "street", "--warmup", "-1"}).code, 2);
}

TEST_F(ReproduceCli, TheCommandOfASweepPointMeasuresThatSetting) {
  const MeasuredWith how = measured_with(parse_report(read("first.json"), "first.json"));
  const Finished sweep = again(command_of_threshold(how, 1, 3), {"--json"});
  ASSERT_EQ(sweep.code, 0) << sweep.err;
  const json document = json::parse(sweep.out);
  EXPECT_EQ(document.at("layer"), 1);
  ASSERT_EQ(document.at("rows").size(), 1U);
  EXPECT_EQ(document.at("rows").at(0).at("t"), 3);
  const Finished packs = again(command_of_packing(how, {11, 12, 9}), {"--json"});
  ASSERT_EQ(packs.code, 0) << packs.err;
  EXPECT_THAT(packs.out, HasSubstr("11/12/9"));
}

TEST_F(ReproduceCli, TheCommandOfDensitiesCountsTheSameMatches) {
  const Report first = parse_report(read("first.json"), "first.json");
  const MeasuredWith how = measured_with(first);
  int strided = 0;
  const Levels levels = levels_of(first.network);
  while (levels.layers.at(static_cast<std::size_t>(strided)).map.submanifold())
    ++strided;
  for (const int layer : {1, strided}) {
    SCOPED_TRACE(layer);
    const Finished found = again(command_of_densities(how, layer), {"--json"});
    ASSERT_EQ(found.code, 0) << found.err;
    const json document = json::parse(found.out);
    const Densities& known = first.layer_densities.at(static_cast<std::size_t>(layer));
    EXPECT_EQ(document.at("voxels"), known.outputs);
    ASSERT_EQ(document.at("by_offset").size(), known.columns.size());
    for (std::size_t at = 0; at < known.columns.size(); ++at)
      EXPECT_EQ(document.at("by_offset").at(at).at("matches"), known.columns[at].matches);
  }
}

TEST_F(Cli, BadCropsAndLayersAreRefusedWithTheReason) {
  make_scene();
  for (const char* crop : {"1,2,3", "1,2,3,4,5,6,7", "0,0,0,1,1,nan", "5,0,0,1,1,1"}) {
    const Finished run = spira({"info", "scene.ply", "--crop", crop});
    EXPECT_EQ(run.code, 2) << crop;
    EXPECT_THAT(run.err, HasSubstr("six numbers in metres"));
  }
  const Finished empty = spira({"info", "scene.ply", "--crop", "900,900,900,901,901,901"});
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.err, HasSubstr("no point lies inside the crop"));
  const Finished layer = spira({"run", "scene.ply", "--network", "resn21", "--layer", "none"});
  EXPECT_EQ(layer.code, 2);
  EXPECT_THAT(layer.err, HasSubstr("network resn21 has no layer with this name"));
  EXPECT_EQ(spira({"run", "scene.ply", "--network", "resn21", "--layer-threshold", "none=1"}).code, 2);
  EXPECT_EQ(spira({"densities", "scene.ply", "--layer", "stem"}).code, 2);
  const std::string gates = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/gates/gates.json";
  for (const char* command : {"densities", "sweep"}) {
    const Finished sum = spira({command, "scene.ply", "--network", gates, "--layer", "block"});
    EXPECT_EQ(sum.code, 2) << sum.err;
    EXPECT_THAT(sum.err, HasSubstr("--layer block: the operation add has no kernel map"));
  }
}

}  // namespace
}  // namespace spira::test

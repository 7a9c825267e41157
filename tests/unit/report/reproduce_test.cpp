// Tests the command lines that repeat a measurement. They must contain every setting, and a shell must parse
// them without changes.
#include "engine/report/reproduce.hpp"

#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::HasSubstr;
using testing::Not;

MeasuredWith of_preset() {
  MeasuredWith how;
  how.scene = "scan 1.bin";
  how.format = "kitti";
  how.network = "resn21";
  how.layers = network_preset("resn21");
  how.plan = default_plan(how.layers);
  how.facts.voxel_m = {0.05, 0.05, 0.1};
  how.facts.crop_m = Bounds{{-20, -20, -3}, {20, 20.5, 1}};
  how.weights = "seeded He, seed 7";
  how.repetitions = 12;
  return how;
}

TEST(Reproduce, ALayerHasEverySettingOnItsLine) {
  const MeasuredWith how = of_preset();
  EXPECT_EQ(
      shell_text(command_of_layer(how, 0)),
      "spira run 'scan 1.bin' --format kitti --grid 0.05,0.05,0.1 --crop -20,-20,-3,20,20.5,1 --pack 12,12,8 "
      "--network resn21 --backend cpu --precision fp32 --seed 7 --repeat 12 --layer " +
          how.layers.layers[0].name);
}

TEST(Reproduce, OnlyLayersWithAThresholdOfTheirOwnAreNamed) {
  MeasuredWith how = of_preset();
  set_threshold(how.plan, how.layers, 1);
  const std::string uniform = shell_text(command_of_layer(how, -1));
  EXPECT_THAT(uniform, HasSubstr(" --threshold 1"));
  EXPECT_THAT(uniform, Not(HasSubstr("--layer-threshold")));
  how.plan.layers[0].threshold = 2;
  EXPECT_THAT(shell_text(command_of_layer(how, -1)),
              HasSubstr(" --threshold 1 --layer-threshold " + how.layers.layers[0].name + "=2"));
}

TEST(Reproduce, AWarmUpIsOnTheLineIfItIsNotTheDefault) {
  Report report = test::recorded_report();
  EXPECT_THAT(shell_text(command_of_layer(measured_with(report), -1)), Not(HasSubstr("--warmup")));
  report.measurement.protocol.warmup = 3;
  EXPECT_THAT(shell_text(command_of_layer(measured_with(report), -1)), HasSubstr(" --warmup 3"));
  EXPECT_THAT(shell_text(command_of_threshold(measured_with(report), -1, 1)), HasSubstr(" --warmup 3"));
}

TEST(Reproduce, PointsOfSweepsAndDensitiesNameTheirSetting) {
  const MeasuredWith how = of_preset();
  EXPECT_THAT(shell_text(command_of_threshold(how, 1, 2)),
              HasSubstr("--layer " + how.layers.layers[1].name + " --thresholds 2"));
  EXPECT_THAT(shell_text(command_of_packing(how, {11, 12, 9})), HasSubstr("--packs 11/12/9"));
  EXPECT_THAT(shell_text(command_of_packing(how, {11, 12, 9})), Not(HasSubstr("--pack ")));
  EXPECT_THAT(shell_text(command_of_densities(how, 1)),
              HasSubstr(how.layers.layers[1].name + " --per-offset"));
  EXPECT_THAT(shell_text(command_of_scene_densities(how, 5, 2)), HasSubstr("--kernel 5 --stride 2"));
}

TEST(Reproduce, NativeNeighboursOfAPresetAreOptions) {
  MeasuredWith how = of_preset();
  set_neighbourhood(how.layers, {NeighbourShape::ball, 2, 1.5});
  EXPECT_EQ(network_argument(how.layers), "resn21");
  how.plan = default_plan(how.layers);
  how.positions = PositionKind::grid;
  const std::string options = " --network resn21 --neighbours ball --cell 2 --radius 1.5 --positions grid ";
  EXPECT_THAT(shell_text(command_of_layer(how, -1)), HasSubstr(options));
  EXPECT_THAT(shell_text(command_of_packing(how, {11, 12, 9})), HasSubstr(options));
  EXPECT_THAT(shell_text(command_of_densities(how, 1)), HasSubstr(options));
  EXPECT_THAT(shell_text(command_of_threshold(how, 1, 0)), HasSubstr(options));
  // No option leads to a network in which a layer cannot have the neighbourhood of the other layers.
  MeasuredWith mixed = how;
  set_neighbourhood(mixed.layers, {NeighbourShape::ball, 8, 0});
  mixed.layers.layers[1].kernel_size = 7;
  mixed.layers.layers[1].neighbourhood = {};
  EXPECT_THAT(shell_text(command_of_packing(mixed, {11, 12, 9})), Not(HasSubstr("--neighbours")));
  how.layers.layers[1].neighbourhood = {};
  EXPECT_EQ(network_argument(how.layers), "resn21.json") << "no option leads to this network";
  EXPECT_THAT(shell_text(command_of_layer(how, -1)), Not(HasSubstr("--neighbours")));
}

TEST(Reproduce, ThePositionsAreThoseOfTheScene) {
  Report report = test::recorded_report();
  set_neighbourhood(report.network, {NeighbourShape::cube});
  report.measurement.plan = default_plan(report.network);
  report.command = {"spirascope", "--positions", "nearest"};
  report.scene.positions = PositionFacts{PositionKind::grid};
  EXPECT_THAT(shell_text(command_of_layer(measured_with(report), -1)), HasSubstr(" --positions grid"));
  report.scene.positions->kind = PositionKind::nearest;
  EXPECT_THAT(shell_text(command_of_layer(measured_with(report), -1)), Not(HasSubstr("--positions")));
}

TEST(Reproduce, NamesAllScenesOfABatch) {
  Report report = test::recorded_report();
  report.scene.batch = 3;
  report.scene.name = "batch of 3: a.bin, b.ply, c.ply";
  report.scene.format = "kitti";
  report.command = {"spira", "run", "in/a.bin", "--batch", "in/b.ply", "in/c.ply", "--repeat", "5"};
  const MeasuredWith how = measured_with(report);
  EXPECT_THAT(shell_text(command_of_layer(how, -1)),
              testing::StartsWith("spira run in/a.bin --batch in/b.ply in/c.ply --grid "));
  EXPECT_THAT(shell_text(command_of_scene(how)),
              testing::StartsWith("spira info in/a.bin in/b.ply in/c.ply "));
}

TEST(Reproduce, UsesTheSceneThatTheReportNames) {
  Report report = test::recorded_report();
  report.scene.name = "far.bin";
  report.scene.format = "kitti";
  report.command = {"spira", "run", "far.bin", "--grid", "1"};
  EXPECT_EQ(measured_with(report).scene, "far.bin");
  EXPECT_EQ(measured_with(report).repetitions, 3);
  report.command = {"spirascope"};
  EXPECT_EQ(measured_with(report).scene, report.scene.name);
}

TEST(Reproduce, TheSceneIsFoundAnywhereInTheCommand) {
  Report report = test::recorded_report();
  report.scene.name = "far.bin";
  report.scene.format = "kitti";
  using Words = std::vector<std::string>;
  for (const Words& command : {Words{"spira", "--threads", "1", "run", "a/far.bin", "-o", "b/far.bin"},
                               Words{"spira", "run", "--network", "resn21", "a/far.bin"},
                               Words{"spira", "run", "--check", "a/far.bin"},
                               Words{"spira", "run", "-o", "x.json", "--", "a/far.bin"}}) {
    report.command = command;
    EXPECT_EQ(measured_with(report).scene, "a/far.bin") << shell_text(command);
  }
  report.scene.name = "street";
  report.scene.format = "generated";
  report.command = {"spira", "--threads", "1", "run", "-o", "street.json", "street:7"};
  EXPECT_EQ(measured_with(report).scene, "street:7");
}

TEST(Reproduce, ThreadsOfTheCpuAreOnTheLine) {
  Report report = test::recorded_report();
  EXPECT_THAT(shell_text(command_of_layer(measured_with(report), -1)), Not(HasSubstr("--threads")))
      << "the command of a GPU run must not set --threads";
  report.measurement.device.kind = BackendKind::cpu;
  report.measurement.device.threads = 3;
  EXPECT_THAT(shell_text(command_of_layer(measured_with(report), -1)), HasSubstr(" --threads 3 "));
}

TEST(Reproduce, LayersWithAMapOfTheirOwnAreNamed) {
  MeasuredWith how = of_preset();
  for (LayerPlan& layer : how.plan.layers)
    layer.algorithm = MapAlgorithm::hash;
  how.plan.layers[0].algorithm = MapAlgorithm::binary_search;
  how.plan.layers[1].dense_layout = MapLayout::offset_major;
  const std::string line = shell_text(command_of_layer(how, -1));
  EXPECT_THAT(line, HasSubstr(" --map hash --layer-map " + how.layers.layers[0].name + "=bsearch"));
  EXPECT_THAT(line, HasSubstr(" --layer-layout " + how.layers.layers[1].name + "=offset-major"));
  EXPECT_THAT(line, Not(HasSubstr("--layer-map " + how.layers.layers[2].name)));
}

TEST(Reproduce, AShellReadsWordsAsTheyAre) {
  EXPECT_EQ(shell_text({"spira", "info", "it's here.bin"}), "spira info 'it'\\''s here.bin'");
  EXPECT_EQ(shell_text({"spira", ""}), "spira ''");
}

}  // namespace
}  // namespace spira

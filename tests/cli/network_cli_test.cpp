// Tests networks of other libraries: `spira network`, `run --voxels` and `verify --capture`.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace spira::test {
namespace {

using testing::HasSubstr;

const std::string fixture = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/minkunet18/minkunet18";

TEST_F(Cli, NetworkDescribesInputLevelsAndLayers) {
  const Finished text = spira({"network", fixture + ".json"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("input: 4 features from a voxel file\n"));
  EXPECT_THAT(text.out, HasSubstr("levels: stride 1, 2, 4, 8\n"));
  const auto json = nlohmann::json::parse(spira({"network", "resn21", "--json"}).out);
  ASSERT_EQ(json["levels"].size(), 5U);
  EXPECT_EQ(json["levels"][4],
            (nlohmann::json{{"number", 16}, {"text", "16"}, {"stride", {16, 16, 16}}, {"rule", "floor"}}));
  // stage1.conv has 27 cells, 4 to 16 channels, and the scale and shift of its norm.
  EXPECT_EQ(json["layers"][0]["parameters"], (27 * 4 * 16) + (2 * 16));
  EXPECT_EQ(json["layers"][0]["map"], "K3 1>1");
}

class CliBatch : public Cli {
 protected:
  /// Writes three small scenes.
  void make_scenes() const {
    for (const std::string seed : {"1", "2", "3"}) {
      const Finished made =
          spira({"generate", "street", "--points", "1500", "--seed", seed, "-o", "s" + seed + ".ply"});
      ASSERT_EQ(made.code, 0) << made.err;
    }
    write("net.json", R"({"name": "net", "layers": [{"name": "a", "out_channels": 8},
        {"name": "b", "out_channels": 8, "stride": 2}]})");
  }
};

TEST_F(CliBatch, RunReportsTheBatchAndTimesPerFrame) {
  make_scenes();
  const std::vector<std::string> how{"--network", "net.json", "--grid", "0.5", "--repeat", "3"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), how.begin(), how.end());
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  };
  const Finished run = with({"run", "s1.ply"}, {"--batch", "s2.ply", "s3.ply", "-o", "three.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("batch         3 frames in one run, packing "));
  EXPECT_THAT(run.out, HasSubstr(" per frame, batch of 3, measured without timers"));
  EXPECT_THAT(run.err, HasSubstr("read as a batch of 3 frames"));
  EXPECT_EQ(spira({"validate", "three.json"}).code, 0);
  const auto report = nlohmann::json::parse(read("three.json"));
  EXPECT_EQ(report["scene"]["batch"], 3);
  EXPECT_EQ(report["scene"]["packing"]["batch_bits"], 2);
  EXPECT_THAT(spira({"export", "three.json", "--markdown", "-o", "-"}).out,
              HasSubstr("wall, per frame, batch of 3"));
  ASSERT_EQ(with({"run", "s1.ply"}, {"-o", "one.json"}).code, 0);
  EXPECT_FALSE(nlohmann::json::parse(read("one.json"))["scene"].contains("batch"));
  const Finished compared = spira({"compare", "one.json", "three.json"});
  EXPECT_THAT(compared.out, HasSubstr("NOT COMPARABLE"));
  EXPECT_THAT(compared.out + compared.err,
              HasSubstr("batch differs: 1 frame in the baseline, 3 frames in the current report"));

  const Finished refused = with({"run", "s1.ply"}, {"--batch", "s2.ply", "--pack", "32"});
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("12/12/8 and 1 bit for the batch does not fit"));
  const Finished verified =
      spira({"verify", "s1.ply", "--batch", "s2.ply", "--network", "net.json", "--grid", "0.5"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
}

TEST_F(CliBatch, BenchNetworkShowsTheTimePerFrame) {
  make_scenes();
  const Finished bench = spira({"bench", "network", "s1.ply", "--batch", "s2.ply", "--only", "resn21",
                                "--grid", "1", "--repeat", "2", "--csv", "-o", "bench.json"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("times_floor,ms_per_frame"));
  const auto report = nlohmann::json::parse(read("bench.json"));
  EXPECT_EQ(report["scene"]["batch"], 2);
  EXPECT_DOUBLE_EQ(report["rows"][0]["median_ms_per_frame"].get<double>() * 2,
                   report["rows"][0]["median_ms"].get<double>());
  const Finished mapping = spira({"bench", "mapping", "s1.ply", "--batch", "s2.ply", "--grid", "1"});
  EXPECT_EQ(mapping.code, 2);
  EXPECT_THAT(mapping.err,
              HasSubstr("this scene is a batch of 2 frames; bench mapping accepts only one frame"));
}

TEST_F(CliBatch, AProfileOfABatchIsUsedOnlyForBatchesOfItsSize) {
  make_scenes();
  const auto with = [&](std::vector<std::string> words) {
    for (const char* word : {"--network", "net.json", "--grid", "0.5", "--backend", "cpu"})
      words.emplace_back(word);
    return spira(words);
  };
  const Finished tuned = with({"tune", "s1.ply", "--batch", "s2.ply", "--min-samples", "5", "--max-samples",
                               "5", "--packings", "all", "--matrix", "-o", "two.tune.json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("scene 1       batch of 2: s1.ply, s2.ply: 2 frames, "));
  EXPECT_THAT(tuned.out, HasSubstr("net, fp32, batch of 2\n"));
  EXPECT_EQ(spira({"validate", "two.tune.json"}).code, 0);
  const auto profile = nlohmann::json::parse(read("two.tune.json"));
  // --packings all measures packings with space for the batch index.
  EXPECT_EQ(tuned.out.find("is excluded"), std::string::npos) << tuned.out;
  ASSERT_GE(profile["indexing"].size(), 2U);
  for (const auto& one : profile["indexing"])
    EXPECT_FALSE(one.at("samples_ms").empty()) << one.dump();
  EXPECT_EQ(profile["scenes"][0]["batch"], 2);
  EXPECT_THAT(spira({"tune", "two.tune.json", "--network", "net.json", "--matrix"}).out,
              HasSubstr("net, fp32, batch of 2\n"));
  const auto run = [&](std::vector<std::string> scenes) {
    for (const char* word : {"--repeat", "1", "--plan", "two.tune.json"})
      scenes.emplace_back(word);
    return with(std::move(scenes)).err;
  };
  EXPECT_THAT(run({"run", "s1.ply", "--batch", "s2.ply"}), HasSubstr("2 of 2 layers from profile"));
  EXPECT_THAT(run({"run", "s2.ply", "--batch", "s3.ply"}), HasSubstr("2 of 2 layers from profile"));
  for (const auto& scenes : {std::vector<std::string>{"run", "s1.ply"},
                             std::vector<std::string>{"run", "s1.ply", "--batch", "s2.ply", "s3.ply"}}) {
    const std::string err = run(scenes);
    EXPECT_THAT(err, HasSubstr("0 of 2 layers from profile"));
    EXPECT_THAT(err, HasSubstr("the number of frames of the batch differs (2 in the profile, " +
                               std::to_string(scenes.size() == 2 ? 1 : 3) + " here)"));
  }
  // The profile is extended by one frame and then applies to both.
  ASSERT_EQ(with({"tune", "s1.ply", "--min-samples", "5", "--max-samples", "5", "-o", "two.tune.json"}).code,
            0);
  EXPECT_THAT(run({"run", "s1.ply"}), HasSubstr("2 of 2 layers from profile"));
  const Finished unclear = with({"tune", "s1.ply", "s2.ply", "--batch", "s3.ply"});
  EXPECT_EQ(unclear.code, 2);
  EXPECT_THAT(unclear.err, HasSubstr("--batch combines one scene and further scenes"));
}

TEST_F(CliBatch, VoxelFilesOfABatchRunAndAreDescribed) {
  const std::string second = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/second/second";
  const std::string file = second + ".batch.safetensors";
  const Finished run = spira({"run", "--voxels", file, "--network", second + ".json", "--weights",
                              second + ".safetensors", "--repeat", "1", "--save-voxels", "again.npz"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" per frame, batch of 4"));
  EXPECT_THAT(spira({"info", "again.npz"}).out,
              HasSubstr("batch       4 frames, 2 bits above x in each packed word"));
  const auto info = nlohmann::json::parse(spira({"info", "again.npz", "--json"}).out);
  EXPECT_EQ(info.is_array() ? info[0]["batch"] : info["batch"], 4);
  const Finished verified = spira(
      {"verify", "--network", second + ".json", "--weights", second + ".safetensors", "--capture", file});
  EXPECT_EQ(verified.code, 0) << verified.out;
  const Finished tuned = spira({"tune", "again.npz", "--network", second + ".json", "--weights",
                                second + ".safetensors", "--min-samples", "1", "--max-samples", "1"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("again.npz: 4 frames, "));
  EXPECT_EQ(spira({"densities", "again.npz"}).code, 0);
  // A survey of a folder counts one frame per file, and names the command for a batch.
  std::filesystem::create_directory(folder() / "frames");
  std::filesystem::copy_file(folder() / "again.npz", folder() / "frames/again.npz");
  const auto survey = nlohmann::json::parse(spira({"info", "frames", "--json"}).out);
  EXPECT_THAT(survey["frames"][0]["fault"].get<std::string>(),
              HasSubstr("is a batch of 4 frames; a survey reads one frame per file. To describe the batch, "
                        "run spira info FILE"));
  const Finished both = spira({"run", "--voxels", file, "--batch", file, "--network", second + ".json"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("is already a batch of 4 frames; run this scene alone"));
}

TEST_F(Cli, NetworkNamesTheRuleOfItsLevels) {
  const std::string second = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/second/second.json";
  EXPECT_THAT(spira({"network", second}).out,
              HasSubstr("levels: stride 1, 2 (reached), 4 (reached), 8 (reached), 8x8x16 (reached)\n"
                        "limits: 2 (reached) 20x22x14, 4 (reached) 10x11x7, 8 (reached) 5x6x3, "
                        "8x8x16 (reached) 5x6x1 cells\n"));
  const auto json = nlohmann::json::parse(spira({"network", second, "--json"}).out);
  EXPECT_EQ(json["levels"][4], (nlohmann::json{{"number", 1003},
                                               {"text", "8x8x16 (reached)"},
                                               {"stride", {8, 8, 16}},
                                               {"rule", "reached"},
                                               {"cells", {5, 6, 1}}}));
}

TEST_F(Cli, NetworkDescribesPoolsAndNorms) {
  const Finished text = spira({"network", SPIRA_SOURCE_DIR "/tests/fixtures/oracle/pools/pools.json"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("pool mean_of_cells 3x2x1"));
  EXPECT_THAT(text.out,
              HasSubstr("norm2 normalizes over all voxels, so each output depends on the whole scene"));
}

TEST_F(Cli, NetworkDescribesJoinedAndFlatLevels) {
  const std::string voxelnext = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/voxelnext/voxelnext.json";
  const std::string out = spira({"network", voxelnext}).out;
  EXPECT_THAT(out, HasSubstr("32 (reached), 8 (joined), 8x8x1 (flat), 8x8x1 (flat #2)\n"));
  EXPECT_THAT(out, HasSubstr("8 (reached)+16 (reached)+32 (reached)>8 (joined)"));
}

TEST_F(Cli, VerifyComparesJoinedAndFlatLevelsWithTheReference) {
  write("net.json", R"({"schema": "spira.network 2", "name": "joined", "layers": [
      {"name": "a", "stride": 2, "rule": "reached", "out_channels": 8}, {"name": "b", "stride": 2, "out_channels": 8},
      {"name": "c", "stride": 2, "rule": "reached", "padding": 0, "out_channels": 8},
      {"name": "join", "op": "union_add", "inputs": ["a", "b", "c"], "activation": "relu"},
      {"name": "deep", "out_channels": 8}, {"name": "flat", "op": "drop_axis"},
      {"name": "grow", "kernel_size": [3, 3, 1], "rule": "reached", "out_channels": 8}]})");
  make_scene();
  const Finished text = spira({"verify", "scene.ply", "--network", "net.json"});
  EXPECT_EQ(text.code, 0) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("join union_add 8->8"));
  EXPECT_THAT(text.out, HasSubstr("level of stride 2 (joined)"));
  EXPECT_THAT(text.out, HasSubstr("level of stride 2x2x1 (flat #2)"));
  const Finished run = spira({"run", "scene.ply", "--network", "net.json", "--outputs", "out.npz"});
  EXPECT_EQ(run.code, 0) << run.err;
}

/// Returns the bytes of a .safetensors file after its header.
std::string data_of(const std::string& bytes) {
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return bytes.substr(8 + header);
}

/// Returns the last `count` floats of a .safetensors file.
std::vector<float> last_floats(const std::string& bytes, std::size_t count) {
  const std::string data = data_of(bytes);
  std::vector<float> values(count);
  std::memcpy(values.data(), data.data() + data.size() - (count * sizeof(float)), count * sizeof(float));
  return values;
}

/// A network that reads voxels at the points of the scene, and the points themselves.
const std::string on_points =
    R"({"schema": "spira.network 2", "name": "on_points", "outputs": ["v", "sum"], "layers": [
    {"name": "a", "out_channels": 8}, {"name": "b", "stride": 4, "out_channels": 8},
    {"name": "z", "op": "to_points"}, {"name": "near", "op": "to_points", "inputs": ["a"], "mode": "nearest"},
    {"name": "skip", "op": "linear", "inputs": ["points"], "out_channels": 8},
    {"name": "v", "op": "to_voxels", "inputs": ["skip"], "voxels_of": "b", "activation": "gelu"},
    {"name": "sum", "op": "add", "inputs": ["z", "near", "skip"]}]})";

TEST_F(Cli, NetworkDescribesPoints) {
  write("net.json", on_points);
  const Finished text = spira({"network", "net.json"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("levels: stride 1, 4; and the points of the scene\n"));
  EXPECT_THAT(text.out, HasSubstr("to_points trilinear"));
  EXPECT_THAT(text.out, HasSubstr("to_voxels mean in the voxels of b"));
  EXPECT_THAT(text.out, HasSubstr("points>4"));
  const auto json = nlohmann::json::parse(spira({"network", "net.json", "--json"}).out);
  EXPECT_EQ(json["levels"][2]["rule"], "points");
}

TEST_F(Cli, PointsOfAScanAreRunVerifiedAndWritten) {
  write("net.json", on_points);
  make_scene();
  const Finished verified = spira({"verify", "scene.ply", "--network", "net.json"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("z to_points 8->8"));
  EXPECT_THAT(verified.out, HasSubstr("v to_voxels 8->8"));
  const Finished run = spira({"run", "scene.ply", "--network", "net.json", "--repeat", "2", "-o", "r.json",
                              "--check", "--outputs", "out.safetensors", "--save-voxels", "v.npz"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("z      points"));
  EXPECT_EQ(spira({"validate", "r.json"}).code, 0);
  const auto report = nlohmann::json::parse(read("r.json"));
  EXPECT_EQ(report["layers"][2]["outputs"], report["scene"]["points"]);
  // The voxel file contains the points, so the network has the same outputs. Positions are rounded to
  // float32.
  const Finished again = spira({"run", "--voxels", "v.npz", "--network", "net.json", "--repeat", "1",
                                "--outputs", "again.safetensors"});
  ASSERT_EQ(again.code, 0) << again.err;
  const std::size_t values = report["scene"]["points"].get<std::size_t>() * 8;
  const auto first = last_floats(read("out.safetensors"), values),
             second = last_floats(read("again.safetensors"), values);
  double largest = 0, worst = 0;
  for (std::size_t at = 0; at < values; ++at) {
    largest = std::max(largest, std::abs(static_cast<double>(first[at])));
    worst = std::max(worst, std::abs(static_cast<double>(first[at]) - static_cast<double>(second[at])));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(worst, 1e-5 * largest);
}

TEST_F(Cli, BenchesAndDensitiesKnowPoints) {
  write("net.json", on_points);
  make_scene();
  const Finished bench =
      spira({"bench", "indexing", "scene.ply", "--network", "net.json", "--grid", "0.2", "--repeat", "2"});
  EXPECT_EQ(bench.code, 2) << "nothing else is measured";
  EXPECT_THAT(bench.err,
              HasSubstr("is skipped: network on_points reads points, so it only runs layer by layer"));
  const Finished network =
      spira({"bench", "network", "scene.ply", "--network", "net.json", "--grid", "0.2", "--repeat", "2"});
  EXPECT_EQ(network.code, 0) << network.err;
  EXPECT_THAT(network.out, HasSubstr("layer by layer"));
  const std::vector<std::string> of_layer{"densities", "scene.ply", "--network", "net.json",
                                          "--grid",    "0.2",       "--layer"};
  const auto densities = [&](const char* layer) {
    auto words = of_layer;
    words.emplace_back(layer);
    return spira(words);
  };
  EXPECT_EQ(densities("b").code, 0);
  const Finished refused = densities("skip");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--layer skip: this layer runs on points, which have no neighbours"));
}

TEST_F(Cli, PointsOfAVoxelFileAreRequired) {
  const std::string spvcnn = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/spvcnn/spvcnn";
  const Finished verified = spira({"verify", "--network", spvcnn + ".json", "--weights",
                                   spvcnn + ".safetensors", "--capture", spvcnn + ".capture.safetensors"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  const Finished wrong =
      spira({"run", "--voxels", fixture + ".capture.safetensors", "--network", spvcnn + ".json"});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.err,
              HasSubstr("contains no points, but layer voxelize of network spvcnn needs them; add the "
                        "array points to the voxel file"));
}

TEST_F(Cli, VerifyComparesPoolsAndNormsWithTheReference) {
  write("net.json", R"({"schema": "spira.network 2", "name": "pools", "layers": [
      {"name": "a", "out_channels": 8}, {"name": "p", "op": "pool", "reduce": "max", "kernel_size": 2, "stride": 2},
      {"name": "m", "op": "pool", "reduce": "mean", "kernel_size": 3, "activation": "gelu"},
      {"name": "l", "op": "layer_norm"}, {"name": "i", "op": "instance_norm", "activation": "relu"},
      {"name": "up", "kernel_size": 2, "transposed": true, "map_of": "p", "out_channels": 8},
      {"name": "corner", "kernel_size": 1, "stride": 2, "out_channels": 8}]})");
  make_scene();
  const Finished text = spira({"verify", "scene.ply", "--network", "net.json"});
  EXPECT_EQ(text.code, 0) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("p pool max 2x2x2 down 8->8"));
  EXPECT_THAT(text.out, HasSubstr("i instance_norm 8->8"));
}

TEST_F(Cli, RunRefusesAScanIfTheNetworkCountsCellsFromTheOriginOfItsLibrary) {
  make_scene();
  write("limited.json", R"({"schema": "spira.network 2", "name": "limited", "layers": [
      {"name": "a", "stride": 2, "rule": "reached", "cells": [9, 9, 9], "out_channels": 8}]})");
  const Finished run = spira({"run", "scene.ply", "--network", "limited.json"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("has a limited number of cells"));
}

/// A network with two results. Its library voxelised scans in a grid with a limited size.
const std::string gridded = R"({"schema": "spira.network 2", "name": "gridded",
    "input": {"features": ["x", "intensity"],
              "grid": {"voxel_m": [0.2, 0.2, 0.4], "low_m": [-8.1, -8, -3], "cells": [80, 80, 10], "most_points": 2}},
    "origin": {"library": "spconv 2.3.8"}, "outputs": ["a", "c"],
    "layers": [{"name": "a", "stride": 2, "rule": "reached", "cells": [40, 40, 5], "out_channels": 8},
               {"name": "b", "out_channels": 8}, {"name": "c", "out_channels": 8}]})";

TEST_F(Cli, NetworkShowsGridOutputsAndOrigin) {
  write("gridded.json", gridded);
  EXPECT_THAT(spira({"network", "gridded.json"}).out,
              HasSubstr("input: x, intensity\n"
                        "grid: 0.2,0.2,0.4 m from -8.1,-8,-3; 80 x 80 x 10 cells; floor; mean of at most 2 "
                        "points per voxel\n"
                        "outputs: a, c\norigin: library spconv 2.3.8\n"));
}

TEST_F(Cli, RunVoxelisesAScanAsTheNetworkFileDescribes) {
  make_scene();
  write("gridded.json", gridded);
  const Finished run = spira({"run", "scene.ply", "--network", "gridded.json", "--repeat", "1", "-o",
                              "r.json", "--outputs", "out.safetensors"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("grid: 0.2,0.2,0.4 m (from the network file)"));
  EXPECT_THAT(run.err,
              HasSubstr(" points are outside the input grid of the network (80 x 80 x 10 cells of "));
  EXPECT_THAT(run.err, HasSubstr("because the network reads only the first 2 points of each voxel"));
  EXPECT_THAT(run.err, HasSubstr("outputs of 2 layers: out.safetensors"));
  EXPECT_THAT(read("out.safetensors"), HasSubstr(R"("low_m":"-8.1,-8,-3")"));
  EXPECT_EQ(spira({"validate", "r.json"}).code, 0);
  const auto report = nlohmann::json::parse(read("r.json"));
  EXPECT_EQ(report["network"]["origin"]["library"], "spconv 2.3.8");
  EXPECT_EQ(report["network"]["input"]["grid"]["cells"], (nlohmann::json{80, 80, 10}));
  EXPECT_LE(report["scene"]["extent_cells"][0].get<int>(), 80);
  EXPECT_THAT(spira({"export", "r.json", "--markdown", "-o", "-"}).out, HasSubstr("library spconv 2.3.8"));

  const Finished grid = spira({"run", "scene.ply", "--network", "gridded.json", "--grid", "0.2"});
  EXPECT_EQ(grid.code, 2);
  EXPECT_THAT(grid.err,
              HasSubstr("the voxel size is 0.2 m, but network gridded reads voxels of 0.2,0.2,0.4 m"));
  const Finished crop = spira({"run", "scene.ply", "--network", "gridded.json", "--crop", "0,0,0,5,5,5"});
  EXPECT_EQ(crop.code, 2);
  EXPECT_THAT(crop.err, HasSubstr("remove the crop"));
}

TEST_F(Cli, OutputLayersReplaceTheResultsOfTheNetwork) {
  make_scene();
  write("gridded.json", gridded);
  const Finished run = spira({"run", "scene.ply", "--network", "gridded.json", "--repeat", "1", "--outputs",
                              "out.npz", "--output-layers", "b"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("outputs of 1 layer: out.npz"));
}

TEST_F(Cli, SavedVoxelsGiveTheOutputsOfTheScan) {
  make_scene();
  write("gridded.json", gridded);
  const Finished scan = spira({"run", "scene.ply", "--network", "gridded.json", "--repeat", "1", "--outputs",
                               "scan.safetensors", "--save-voxels", "voxels.npz"});
  ASSERT_EQ(scan.code, 0) << scan.err;
  const Finished voxels = spira({"run", "--voxels", "voxels.npz", "--network", "gridded.json", "--repeat",
                                 "1", "--outputs", "again.safetensors", "--save-voxels", "again.npz"});
  ASSERT_EQ(voxels.code, 0) << voxels.err;
  EXPECT_EQ(data_of(read("scan.safetensors")), data_of(read("again.safetensors")));
  const Finished same =
      spira({"run", "--voxels", "voxels.npz", "--network", "gridded.json", "--save-voxels", "voxels.npz"});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("--save-voxels voxels.npz would overwrite the file voxels.npz"));
}

TEST_F(Cli, LengthsOfAVoxelFileAreInCells) {
  make_scene();
  write("gridded.json", gridded);
  ASSERT_EQ(
      spira({"run", "scene.ply", "--network", "gridded.json", "--repeat", "1", "--save-voxels", "voxels.npz"})
          .code,
      0);
  const Finished info = spira({"info", "voxels.npz"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr(" cells, from ("),
                              HasSubstr("1, 1, 1 cells (the voxels of the file)"), Not(HasSubstr(" m,"))));
  EXPECT_EQ(json::parse(spira({"info", "voxels.npz", "--json"}).out).at(0).at("unit"), "cells");
  EXPECT_EQ(json::parse(spira({"densities", "voxels.npz", "--json"}).out).at("unit"), "cells");
  EXPECT_EQ(json::parse(spira({"info", "scene.ply", "--json"}).out).at(0).at("unit"), "metres");
  ASSERT_EQ(spira({"run", "--voxels", "voxels.npz", "--network", "gridded.json", "--repeat", "1", "-o",
                   "r.spira.json"})
                .code,
            0);
  EXPECT_EQ(json::parse(read("r.spira.json")).at("scene").at("unit"), "cells");
}

TEST_F(Cli, AVoxelOutsideADenseOutputIsAnsweredWithTheRightAdvice) {
  make_scene();
  const auto fault = [&](const std::string& input) {
    write("dense.json", R"({"schema": "spira.network 2", "name": "dense", )" + input + R"( "layers": [
        {"name": "a", "out_channels": 8}, {"name": "bev", "op": "dense", "cells": [4, 80, 80]}]})");
    const Finished run = spira({"--quiet", "run", "scene.ply", "--network", "dense.json", "--repeat", "1",
                                "--outputs", "out.safetensors"});
    EXPECT_EQ(run.code, 3);
    return run.err;
  };
  EXPECT_THAT(
      fault(R"("input": {"grid": {"voxel_m": 0.2, "low_m": [-8, -8, -8], "cells": [80, 80, 80]}},)"),
      testing::AllOf(testing::ContainsRegex("layer bev has a voxel outside the 4 x 80 x 80 cells of its "
                                            "dense output: cells along x must be at least [0-9]+ in"),
                     testing::Not(HasSubstr("voxel file"))));
  EXPECT_THAT(fault(""), HasSubstr("open a voxel file of that library, or add input.grid"));
}

TEST_F(Cli, RunNamesTheLevelOfARowOperationOnce) {
  const std::string net = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/unetv2/unetv2";
  const Finished run =
      spira({"run", "--voxels", net + ".capture.safetensors", "--network", net + ".json", "--repeat", "1"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("up4.concat +8 \\(reached\\) +concat"));
}

TEST_F(Cli, OutputsNameTheLowCornerOfANetworkThatRoundsToTheNearestCell) {
  make_scene();
  std::string nearest = gridded;
  nearest.replace(nearest.find("\"most_points\": 2"), 16, "\"round\": \"nearest\"");
  write("nearest.json", nearest);
  const Finished run = spira(
      {"run", "scene.ply", "--network", "nearest.json", "--repeat", "1", "--outputs", "out.safetensors"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(read("out.safetensors"), HasSubstr(R"("low_m":"-8.2,-8.1,-3.2")"));
}

TEST_F(Cli, RunReadsVoxelFiles) {
  const Finished run =
      spira({"run", "--voxels", fixture + ".capture.safetensors", "--network", fixture + ".json", "--weights",
             fixture + ".safetensors", "--repeat", "1", "-o", "r.json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("read as voxels with 4 features; 281 voxels"));
  EXPECT_EQ(spira({"validate", "r.json"}).code, 0);
  const auto report = nlohmann::json::parse(read("r.json"));
  EXPECT_EQ(report["network"]["schema"], "spira.network 2");
  EXPECT_EQ(report["layers"][0]["outputs"], 281);
}

TEST_F(Cli, RunRefusesAnInputThatDoesNotMatchTheNetwork) {
  make_scene();
  const Finished scan = spira({"run", "scene.ply", "--network", fixture + ".json"});
  EXPECT_EQ(scan.code, 3);
  EXPECT_THAT(scan.err,
              HasSubstr("scene.ply: is a point cloud, but network minkunet18 reads 4 input features"));
  const Finished voxels = spira({"run", "--voxels", "scene.ply", "--network", fixture + ".json"});
  EXPECT_EQ(voxels.code, 3);
  EXPECT_THAT(voxels.err, HasSubstr("; --voxels requires the arrays coords (int32, [N, 3]"));
  const Finished grid = spira({"run", "--voxels", fixture + ".capture.safetensors", "--network",
                               fixture + ".json", "--grid", "0.05"});
  EXPECT_EQ(grid.code, 2);
  EXPECT_THAT(
      grid.err,
      HasSubstr("the voxels of this file have an edge length of 1; --grid 0.05 would split or merge them"));
  const std::string other = SPIRA_SOURCE_DIR "/tests/fixtures/oracle/spunet/spunet.capture.safetensors";
  const Finished channels = spira({"run", "--voxels", other, "--network", "resn21"});
  EXPECT_EQ(channels.code, 3);
  EXPECT_THAT(channels.err, HasSubstr("each voxel has 6 input features, but network resn21 reads 4"));
  EXPECT_EQ(spira({"run"}).code, 2);
  EXPECT_EQ(spira({"run", "scene.ply", "--voxels", other}).code, 2);
}

TEST_F(Cli, VerifyComparesEachLayerWithACapture) {
  const std::vector<std::string> command{
      "verify", "--network", fixture + ".json", "--capture", fixture + ".capture.safetensors", "--weights"};
  const auto with = [&](const std::string& weights) {
    auto arguments = command;
    arguments.push_back(weights);
    return spira(arguments);
  };
  const Finished good = with(fixture + ".safetensors");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("30 layers against the capture: all passed"));

  std::string bytes = read(fixture + ".safetensors");
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const auto tensors = nlohmann::json::parse(bytes.substr(8, header));
  const std::string layer = "enc4a.conv1";
  const auto begin = tensors[layer + ".weight"]["data_offsets"][0].get<std::size_t>();
  const auto end = tensors[layer + ".weight"]["data_offsets"][1].get<std::size_t>();
  for (std::size_t at = 8 + header + begin; at < 8 + header + end; at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    value *= 1.01F;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  }
  write("changed.safetensors", bytes);
  const Finished bad = with("changed.safetensors");
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("the first layer that differs from the capture is " + layer));
  EXPECT_THAT(bad.err, HasSubstr("the capture contains only some rows of the earlier layers"));
}

/// A network with an opaque layer. "c", "up" and "sum" need its output.
const std::string opaque = R"({"schema": "spira.network 2", "name": "attends", "layers": [
    {"name": "a", "out_channels": 8, "multiply_adds": 3000},
    {"name": "down", "kernel_size": 2, "stride": 2, "out_channels": 8, "multiply_adds": 1000},
    {"name": "attention", "op": "opaque", "operation": "torch softmax", "output_shape": [5, 8], "multiply_adds": 4000},
    {"name": "c", "out_channels": 4, "residual": "attention", "norm": false, "activation": "none", "multiply_adds": 2000},
    {"name": "up", "kernel_size": 2, "stride": 2, "transposed": true, "out_channels": 8},
    {"name": "sum", "op": "add", "inputs": ["up", "a"]}]})";

TEST_F(Cli, NetworkShowsWhatRunsOfANetworkWithOpaqueParts) {
  write("net.json", opaque);
  const Finished text = spira({"network", "net.json"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out,
              HasSubstr("partial: 2 of 6 layers; no total of the network\n"
                        "multiply-adds of the exported frame: 10.0 k, of which 40.0 % can run; unknown "
                        "for 1 layer\n"));
  EXPECT_THAT(text.out, HasSubstr("not run: attention is opaque (torch softmax)\n"
                                  "  not run: c reads 'attention', which does not run\n"));
  const auto json = nlohmann::json::parse(spira({"network", "net.json", "--json"}).out);
  EXPECT_EQ(json["partial"], true);
  EXPECT_EQ(json["skipped"][3]["name"], "sum");
  EXPECT_EQ(json["layers"].size(), 2U);
}

TEST_F(Cli, ANetworkWithOpaquePartsRunsUpToThem) {
  make_scene();
  write("net.json", opaque);
  const Finished run =
      spira({"run", "scene.ply", "--network", "net.json", "--grid", "0.2", "--repeat", "1", "-o", "r.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("partial: 2 of 6 layers; no total of the network. All times below are for "
                                 "the layers that run\n  not run: attention is opaque (torch softmax)\n"));
  EXPECT_EQ(spira({"validate", "r.json"}).code, 0);
  const auto report = nlohmann::json::parse(read("r.json"));
  EXPECT_EQ(report["layers"].size(), 2U);
  EXPECT_EQ(report["network"]["layers"].size(), 6U);
  const std::string markdown = spira({"export", "r.json", "--markdown", "-o", "-"}).out;
  EXPECT_THAT(markdown, HasSubstr("partial: 2 of 6 layers; no total of the network"));
  EXPECT_THAT(markdown, HasSubstr("| layers that run |"));
  EXPECT_THAT(markdown, testing::Not(HasSubstr("whole network")));
  const Finished tuned = spira(
      {"tune", "scene.ply", "--network", "net.json", "--grid", "0.2", "--budget", "2s", "-o", "t.json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out + tuned.err, HasSubstr("partial: 2 of 6 layers; no total of the network"));
  EXPECT_EQ(spira({"run", "scene.ply", "--network", "net.json", "--grid", "0.2", "--repeat", "1", "--plan",
                   "t.json"})
                .code,
            0);
  const Finished compared = spira({"compare", "r.json", "r.json"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("partial: 2 of 6 layers; no total of the network"));
}

/// Returns a .safetensors file of I32 and F32 tensors.
std::string tensor_file(
    const std::vector<std::pair<std::string, std::vector<std::vector<std::int32_t>>>>& ints,
    const std::vector<std::pair<std::string, std::vector<std::vector<float>>>>& floats) {
  nlohmann::json header;
  std::string data;
  const auto add = [&](const auto& tensors, const char* type) {
    for (const auto& [name, rows] : tensors) {
      const std::size_t begin = data.size();
      for (const auto& row : rows)
        data.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(row[0]));
      header[name] = {{"dtype", type},
                      {"shape", {rows.size(), rows.front().size()}},
                      {"data_offsets", {begin, data.size()}}};
    }
  };
  add(ints, "I32");
  add(floats, "F32");
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + text + data;
}

TEST_F(Cli, LayersBehindOpaquePartsRunFromTheirCapturedInputs) {
  write("net.json", opaque);
  const std::vector<std::vector<std::int32_t>> cells{{0, 0, 0}, {0, 0, 1}, {5, 5, 5}};
  const std::vector<std::vector<float>> rows(3, std::vector<float>(8, 1.0F));
  write(
      "net.capture.safetensors",
      tensor_file({{"coords", cells}, {"c.in_coords", cells}},
                  {{"features", std::vector<std::vector<float>>(3, {1, 2, 3, 4})}, {"c.in_features", rows}}));
  // The weight of the centre is 1, all others are 0, so that each output is the sum of 8 inputs.
  std::vector<std::vector<float>> weight(27 * 8, std::vector<float>(4, 0.0F));
  std::fill(weight.begin() + (13 * 8), weight.begin() + (14 * 8), std::vector<float>(4, 1.0F));
  std::string weights = tensor_file({}, {{"c.weight", weight}});
  const std::string shape = "[216,4]";
  ASSERT_NE(weights.find(shape), std::string::npos);
  nlohmann::json header = nlohmann::json::parse(weights.substr(8, weights.size() - 8 - (27 * 8 * 4 * 4)));
  header["c.weight"]["shape"] = {27, 8, 4};
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  write("net.safetensors", std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + text +
                               weights.substr(weights.size() - (27 * 8 * 4 * 4)));
  const std::vector<std::string> command{"run",      "--capture", "net.capture.safetensors", "--network",
                                         "net.json", "--weights", "net.safetensors",         "--repeat",
                                         "1"};
  const auto with = [&](const std::vector<std::string>& more) {
    auto words = command;
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  };
  const Finished all = with({});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, testing::ContainsRegex("c +captured +3 +8>4 +3 +3 +5 "));
  EXPECT_THAT(
      all.out,
      HasSubstr("  c not compared: the capture has no residual of this layer\n  c ran without its residual\n"
                "partial: 2 of 6 layers; no total of the network"));
  EXPECT_THAT(all.out, HasSubstr("not run: up is transposed: its voxels come from another layer"));
  EXPECT_THAT(all.out, HasSubstr("not run: sum is not a convolution"));
  const Finished one = with({"--layer", "c", "-o", "c.json", "--outputs", "c.safetensors"});
  ASSERT_EQ(one.code, 0) << one.err;
  const auto report = nlohmann::json::parse(read("c.json"));
  EXPECT_EQ(report["network"]["title"], "layer c of attends, from its captured input");
  EXPECT_EQ(report["network"]["origin"]["captured input of layer"], "c");
  EXPECT_EQ(report["scene"]["name"], "net.capture.safetensors, input of c");
  const std::string bytes = data_of(read("c.safetensors"));
  const std::vector<float> eights(12, 8.0F);  // three voxels with four channels
  EXPECT_NE(bytes.find(std::string(reinterpret_cast<const char*>(eights.data()), 12 * sizeof(float))),
            std::string::npos);
  EXPECT_EQ(with({"-o", "all.json"}).code, 2);
  EXPECT_THAT(with({"--layer", "up"}).err, HasSubstr("--layer up: is transposed"));
  EXPECT_EQ(with({"--layer", "a"}).code, 2);
  write("net.capture.safetensors",
        tensor_file({{"coords", cells}, {"c.in_coords", cells}},
                    {{"features", std::vector<std::vector<float>>(3, {1, 2, 3, 4})}}));
  const Finished half = with({});
  EXPECT_EQ(half.code, 3);
  EXPECT_THAT(half.err, HasSubstr("tensor c.in_features is missing"));
}

TEST_F(Cli, DamagedFilesEndWith3AndOneLine) {
  make_scene();
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& file) {
    std::vector<std::string> words{"--quiet"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished done = spira(words);
    EXPECT_EQ(done.code, 3) << file;
    EXPECT_THAT(done.err, HasSubstr(file));
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  };
  write("map.json",
        R"({"schema": "spira.network 2", "layers": [{"name": "a", "map_of": "input", "out_channels": 8}]})");
  refused({"network", "map.json"}, "map.json");
  const std::string sound = read(fixture + ".safetensors");
  write("short.safetensors", sound.substr(0, sound.size() / 2));
  refused({"run", "--voxels", fixture + ".capture.safetensors", "--network", fixture + ".json", "--weights",
           "short.safetensors"},
          "short.safetensors");
  write("capture.safetensors", read(fixture + ".capture.safetensors").substr(0, 100));
  refused({"run", "--voxels", "capture.safetensors", "--network", fixture + ".json"}, "capture.safetensors");
  refused({"verify", "--network", fixture + ".json", "--weights", fixture + ".safetensors", "--capture",
           "capture.safetensors"},
          "capture.safetensors");
  const std::string bad = SPIRA_SOURCE_DIR "/tests/fuzz/corpus/npz/voxels_of_2_64_values.npz";
  refused({"run", "--voxels", bad, "--network", fixture + ".json"}, "voxels_of_2_64_values.npz");
}

TEST_F(Cli, VerifyRefusesACaptureOfAnotherNetwork) {
  const Finished other = spira({"verify", "--network", "resn21", "--weights", fixture + ".safetensors",
                                "--capture", fixture + ".capture.safetensors"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("contains no output of network resn21"));
  EXPECT_EQ(spira({"verify", "--capture", fixture + ".capture.safetensors"}).code, 2);
}

}  // namespace
}  // namespace spira::test

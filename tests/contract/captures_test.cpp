// Compares networks with captures of spconv (tests/fixtures/oracle, recorded by scripts/record-oracle).
#include "engine/base/error.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/session.hpp"
#include "engine/run/verify/capture.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace spira {
namespace {

using testing::IsEmpty;

struct Recorded {
  std::filesystem::path capture_file;
  std::shared_ptr<const Network> network;
  std::shared_ptr<NetworkWeights> weights;
};

Recorded recorded(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(SPIRA_SOURCE_DIR "/tests/fixtures/oracle") / name;
  Recorded all;
  all.capture_file = folder / (name + ".capture.safetensors");
  all.network = std::make_shared<const Network>(read_network(folder / (name + ".json")));
  all.weights =
      std::make_shared<NetworkWeights>(read_safetensors(folder / (name + ".safetensors"), *all.network));
  return all;
}

std::unique_ptr<Session> loaded_session(const Recorded& all, Precision precision) {
  Job job;
  const auto cloud = load_scene(all.capture_file, {"voxels"}, job);
  auto session = std::make_unique<Session>(test::make_subject(), all.network, all.weights);
  static_cast<void>(session->load(cloud, suggest_grid(*cloud), PackSpec::bits32(), precision, job));
  return session;
}

std::vector<CaptureRow> compared(const Recorded& all, Plan plan, Precision precision) {
  Job job;
  plan.precision = precision;
  const auto session = loaded_session(all, precision);
  return compare_with_capture(*session, plan, read_capture(all.capture_file, *all.network), job);
}

/// Captures that spconv recorded with a batch of 4 frames, one of them empty.
TEST(BatchCaptures, HaveTheOutputsOfSpconv) {
  for (const char* name : {"minkunet18", "second", "unetv2"}) {
    SCOPED_TRACE(name);
    Recorded all = recorded(name);
    all.capture_file = all.capture_file.parent_path() / (std::string(name) + ".batch.safetensors");
    Job job;
    const auto cloud = load_scene(all.capture_file, {"voxels"}, job);
    ASSERT_EQ(cloud->batch(), 4);
    const Grid grid = suggest_grid(*cloud);
    const PackNeeds needs = levels_of(*all.network).needs.with_batch(4);
    const auto packs = packings_that_fit(voxel_range(*cloud, grid, job).extent(needs.levels), needs);
    ASSERT_EQ(packs.size(), 2U) << "one of 32 bits and one of 64 bits";
    for (const PackSpec& pack : packs) {
      for (const Precision precision : {Precision::fp32, Precision::fp16}) {
        Session session(test::make_subject(), all.network, all.weights);
        Plan plan = default_plan(*all.network);
        plan.precision = precision;
        static_cast<void>(session.load(cloud, grid, pack, precision, job));
        const auto rows =
            compare_with_capture(session, plan, read_capture(all.capture_file, *all.network), job);
        EXPECT_EQ(rows.size(), all.network->layers.size());
        for (const CaptureRow& row : rows)
          EXPECT_THAT(row.fault, IsEmpty()) << row.layer << ", " << pack.batch_text();
      }
    }
  }
}

TEST(BatchCaptures, NameTheFrameOfADifference) {
  Recorded all = recorded("second");
  all.capture_file = all.capture_file.parent_path() / "second.batch.safetensors";
  Job job;
  const auto cloud = load_scene(all.capture_file, {"voxels"}, job);
  Capture capture = read_capture(all.capture_file, *all.network);
  CapturedLayer& layer = capture.layers.at(1);
  const auto in_frame = [](const CapturedVoxel& voxel) { return voxel[0] == 3; };
  const auto found = std::find_if(layer.coords.begin(), layer.coords.end(), in_frame);
  ASSERT_NE(found, layer.coords.end());
  const auto row = static_cast<std::size_t>(found - layer.coords.begin());
  layer.output[row * (layer.output.size() / layer.coords.size())] += 1000;
  Session session(test::make_subject(), all.network, all.weights);
  const PackNeeds needs = levels_of(*all.network).needs.with_batch(4);
  const auto packs =
      packings_that_fit(voxel_range(*cloud, suggest_grid(*cloud), job).extent(needs.levels), needs);
  static_cast<void>(session.load(cloud, suggest_grid(*cloud), packs.front(), Precision::fp32, job));
  const auto rows = compare_with_capture(session, default_plan(*all.network), capture, job);
  EXPECT_THAT(rows.at(1).fault, testing::HasSubstr(" of frame 3"));
  EXPECT_EQ(rows.at(1).worst[0], 3);
}

/// The extent of a compiled network contains the cells that its levels reach around the scene. A point of
/// another scene in one of them reaches cells outside the extent.
TEST(ReachedLevels, RefuseAPointThatReachesCellsOutsideTheExtent) {
  const auto network = std::make_shared<const Network>(parse_network(
      R"({"schema": "spira.network 2", "name": "grow", "layers": [{"name": "a", "rule": "reached", "out_channels": 8}]})",
      "grow"));
  const auto cloud_at = [](double first) {
    auto cloud = std::make_shared<PointCloud>();
    cloud->name = "row";
    for (int at = 0; at < 4; ++at)
      cloud->positions.push_back({first + at, 2.5, 2.5});
    return cloud;
  };
  Job job;
  Session session(test::make_subject(), network,
                  std::make_shared<const NetworkWeights>(seeded_weights(*network, 1)));
  static_cast<void>(
      session.load(cloud_at(2.5), Grid{{1, 1, 1}, {}}, PackSpec::bits32(), Precision::fp32, job));
  const CompiledNetwork& compiled = session.compiled(default_plan(*network), job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  compiled.run->run();
  compiled.run->set_points(*cloud_at(1.5));
  EXPECT_THROW(compiled.run->run(), Error);
  compiled.run->set_points(*cloud_at(2.5));
  EXPECT_NO_THROW(compiled.run->run()) << "the run after a refused one must work again";
}

/// The kernels read the rows of a residual in words of several channels. If a later layer concatenates the
/// output of a sum with other outputs, this output may begin in the middle of a word.
TEST(OperationsInOneGraph, ARefusedResidualDoesNotBeginAtAWord) {
  const auto network = std::make_shared<const Network>(parse_network(
      R"({"schema": "spira.network 2", "name": "between", "layers": [
          {"name": "s", "out_channels": 32}, {"name": "b", "out_channels": 4},
          {"name": "a", "op": "add", "inputs": ["s", "s"]}, {"name": "e", "inputs": ["s"], "out_channels": 4},
          {"name": "d", "inputs": ["b", "a", "e"], "out_channels": 32},
          {"name": "c", "out_channels": 32, "residual": "a"},
          {"name": "g", "op": "multiply", "inputs": ["c", "a"], "activation": "sigmoid"}]})",
      "between"));
  const auto cloud = std::make_shared<PointCloud>();
  cloud->name = "row";
  for (int at = 0; at < 40; ++at)
    cloud->positions.push_back({at + 0.5, 2.5, 2.5});
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    Job job;
    Session session(test::make_subject(), network,
                    std::make_shared<const NetworkWeights>(seeded_weights(*network, 1)));
    static_cast<void>(session.load(cloud, Grid{{1, 1, 1}, {}}, PackSpec::bits32(), precision, job));
    Plan plan = default_plan(*network);
    plan.precision = precision;
    const CompiledNetwork& compiled = session.compiled(plan, job);
    if (test::subject_name() != "cuda") GTEST_SKIP() << compiled.why_not;
    if (precision == Precision::fp16) {
      EXPECT_EQ(compiled.run, nullptr);
      EXPECT_THAT(compiled.why_not, testing::HasSubstr("c: the rows of its residual a"));
      continue;
    }
    ASSERT_NE(compiled.run, nullptr) << compiled.why_not;
    compiled.run->run();
    session.run_all(plan, job, [](const std::shared_ptr<const LayerResult>&) {});
    const OutputDifference difference =
        output_difference(session.backend().download(compiled.run->output(6)), *session.result(6)->features);
    EXPECT_LE(difference.max_rel, 1e-6);
  }
}

TEST(OperationsInOneGraph, JoinedLevelsOnlyRunLayerByLayer) {
  Job job;
  const Recorded all = recorded("voxelnext");
  const auto session = loaded_session(all, Precision::fp32);
  const CompiledNetwork& compiled = session->compiled(default_plan(*all.network), job);
  EXPECT_EQ(compiled.run, nullptr);
  if (test::subject_name() != "cuda") GTEST_SKIP() << compiled.why_not;
  EXPECT_EQ(compiled.why_not, "join: the operation union_add only runs layer by layer");
}

using Case = std::tuple<const char*, Precision>;
class Captures : public testing::TestWithParam<Case> {};

TEST_P(Captures, OfSpconvAreRepeatedWithEveryThreshold) {
  const auto& [name, precision] = GetParam();
  const Recorded all = recorded(name);
  for (int threshold = 0; threshold <= 7; ++threshold) {
    Plan plan = default_plan(*all.network);
    for (std::size_t at = 0; at < plan.layers.size(); ++at) {
      LayerPlan changed = plan.layers[at];
      changed.threshold = threshold;
      if (why_not_threshold(all.network->layers[at], threshold).empty()) plan.layers[at] = changed;
    }
    const auto rows = compared(all, plan, precision);
    EXPECT_EQ(rows.size(), all.network->layers.size());
    for (const CaptureRow& row : rows)
      EXPECT_THAT(row.fault, IsEmpty()) << row.layer << ", t = " << threshold;
  }
}

TEST_P(Captures, AreRepeatedByTheCompiledNetwork) {
  const auto& [name, precision] = GetParam();
  const Recorded all = recorded(name);
  Job job;
  const auto session = loaded_session(all, precision);
  Plan plan = default_plan(*all.network);
  plan.precision = precision;
  const CompiledNetwork& compiled = session->compiled(plan, job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  compiled.run->run();
  session->run_all(plan, job, [](const std::shared_ptr<const LayerResult>&) {});
  const auto last = session->result(static_cast<int>(all.network->layers.size()) - 1);
  const Features output = compiled.run->output(static_cast<int>(all.network->layers.size()) - 1);
  const OutputDifference difference = output_difference(session->backend().download(output), *last->features);
  EXPECT_LE(difference.max_rel, capture_tolerance(precision));
  EXPECT_EQ(difference.non_finite, 0);
}

INSTANTIATE_TEST_SUITE_P(Networks, Captures,
                         testing::Combine(testing::Values("spunet", "minkunet34c", "minkunet18", "bottleneck",
                                                          "second", "second_res", "parta2", "cylinder",
                                                          "two_rules", "unetv2", "gates", "preact", "pools",
                                                          "voxelnext", "spvcnn"),
                                          testing::Values(Precision::fp32, Precision::fp16)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) == Precision::fp16 ? "_fp16" : "_fp32");
                         });

TEST(CaptureFaults, NameTheLayerWhoseWeightWasChanged) {
  Recorded all = recorded("minkunet18");
  const int changed = 7;
  auto& weight = all.weights->layers[changed].weight;
  const auto largest = std::max_element(weight.begin(), weight.end());
  *largest *= 1.01F;
  const auto rows = compared(all, default_plan(*all.network), Precision::fp32);
  const auto first =
      std::find_if(rows.begin(), rows.end(), [](const CaptureRow& row) { return !row.fault.empty(); });
  ASSERT_NE(first, rows.end());
  EXPECT_EQ(first->layer, all.network->layers[changed].name);
}

TEST(CaptureFaults, NameAVoxelThatTheNetworkDoesNotHave) {
  const Recorded all = recorded("minkunet18");
  Capture capture = read_capture(all.capture_file, *all.network);
  capture.layers[2].coords.front() = {0, std::int64_t{1} << 30U, -7, 0};
  Job job;
  const auto session = loaded_session(all, Precision::fp32);
  const auto rows = compare_with_capture(*session, default_plan(*all.network), capture, job);
  EXPECT_THAT(rows[1].fault, IsEmpty());
  EXPECT_EQ(rows[2].fault, "voxel (1073741824, -7, 0) of the capture is missing");
}

TEST(CaptureFaults, AnotherNetworkIsRefused) {
  const Recorded all = recorded("minkunet18");
  EXPECT_THROW(static_cast<void>(read_capture(all.capture_file, network_preset("resn21"))), Error);
}

TEST(CaptureFaults, AScanIsRefusedByANetworkThatReadsVoxelFiles) {
  const Recorded all = recorded("minkunet18");
  Job job;
  Session session(test::make_subject(), all.network, all.weights);
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "scan.bin";
  cloud->positions = {{0, 0, 0}};
  try {
    static_cast<void>(session.load(cloud, Grid{}, PackSpec::bits32(), Precision::fp32, job));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("scan.bin: is a point cloud"));
  }
}

}  // namespace
}  // namespace spira

// Compares a compiled network with the same network run layer by layer. Skips its tests if the back end under
// test cannot compile networks.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/verify/verify.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace spira {
namespace {

using test::SmallSession;
using testing::HasSubstr;

PointCloud points_of(const std::vector<Point>& positions) {
  PointCloud cloud;
  cloud.positions = positions;
  cloud.name = "points";
  return cloud;
}

/// Expects that all rows of verify_compiled() pass. Returns false if the back end can only run the network
/// layer by layer.
bool expect_right(const std::shared_ptr<const PointCloud>& cloud, const Network& network, PackSpec pack,
                  Precision precision) {
  const auto subject = test::make_subject();
  const auto reference = app::make_registry().make("reference");
  const Levels levels = levels_of(network);
  const NetworkWeights weights = seeded_weights(network, 3);
  Job job;
  const LevelRequest request{pack, precision, levels.needs, levels.sets};
  const BuiltLevels truth = build_levels(*reference, cloud, test::small_grid, request, job);
  VerifyResult result;
  const CompiledCheck check{network, levels, weights, pack, precision, false};
  verify_compiled(*subject, *reference, check, truth, result, job);
  for (const VerifyRow& row : result.rows)
    EXPECT_TRUE(row.passed) << row.layer << ", " << row.setting << ": " << row.fault << " "
                            << row.worst_ratio;
  return result.notes.empty();
}

constexpr std::array packs{PackSpec::bits32(), PackSpec::bits64(), PackSpec{11, 11, 10}};
constexpr std::array precisions{Precision::fp32, Precision::fp16};

class CompiledNetworks : public testing::Test {
 protected:
  void expect_all(const std::shared_ptr<const PointCloud>& cloud, const Network& network) {
    for (const PackSpec& pack : packs) {
      for (const auto precision : precisions) {
        if (!expect_right(cloud, network, pack, precision))
          GTEST_SKIP() << "the network is not compiled on this back end";
      }
    }
  }
};

TEST_F(CompiledNetworks, ARoomThroughALittleUnet) {
  expect_all(test::small_room(), test::little_unet());
}

/// Networks of segmentation end with 19 or 20 classes. The fp16 kernels read and write words of several
/// channels.
TEST_F(CompiledNetworks, ChannelsThatDoNotFillWords) {
  expect_all(test::small_room(), parse_network(R"({"name": "odd", "schema": "spira.network 2", "layers": [
      {"name": "a", "out_channels": 8, "kernel_size": 3},
      {"name": "b", "out_channels": 5, "kernel_size": 3},
      {"name": "c", "inputs": ["a", "b"], "out_channels": 20, "kernel_size": 3},
      {"name": "d", "op": "activation", "activation": "sigmoid"},
      {"name": "e", "out_channels": 19, "kernel_size": 3, "stride": 2},
      {"name": "f", "out_channels": 19, "kernel_size": 1, "residual": "e"}]})",
                                               "odd.json"));
}

TEST_F(CompiledNetworks, KernelsWithThreeSizesDownAndUp) {
  expect_all(test::small_room(), parse_network(R"({"name": "sizes", "schema": "spira.network 2", "layers": [
      {"name": "a", "out_channels": 16, "kernel_size": [3, 1, 5]},
      {"name": "down", "out_channels": 24, "kernel_size": [5, 2, 3], "stride": 2},
      {"name": "up", "out_channels": 16, "kernel_size": [5, 2, 3], "stride": 2, "transposed": true, "map_of": "down"},
      {"name": "b", "out_channels": 16, "kernel_size": [1, 3, 3]}]})",
                                               "sizes.json"));
}

TEST_F(CompiledNetworks, RefuseJoinedChannelsThatDoNotFillWords) {
  SmallSession some(parse_network(R"({"name": "odd", "schema": "spira.network 2", "layers": [
      {"name": "a", "out_channels": 5, "kernel_size": 3},
      {"name": "b", "inputs": ["input"], "out_channels": 8, "kernel_size": 3},
      {"name": "c", "inputs": ["a", "b"], "out_channels": 8, "kernel_size": 3}]})",
                                  "odd.json"),
                    test::make_subject());
  some.plan.precision = Precision::fp16;
  some.load(test::small_room());
  Job job;
  const CompiledNetwork& compiled = some.session.compiled(some.plan, job);
  if (test::subject_name() != "cuda") GTEST_SKIP() << compiled.why_not;
  EXPECT_EQ(compiled.run, nullptr);
  EXPECT_THAT(compiled.why_not, HasSubstr("a: 5 output channels; must be a multiple of 4"));
}

/// Each combination is a separate test case, because a race detector needs minutes for one combination.
class EverySizeOfKernel : public testing::TestWithParam<std::tuple<int, PackSpec, Precision>> {};

TEST_P(EverySizeOfKernel, UpAndDown) {
  const auto& [kernel_size, pack, precision] = GetParam();
  const std::string k = std::to_string(kernel_size);
  const Network network = parse_network(
      R"({"name": "sizes", "layers": [
        {"name": "wide", "out_channels": 16, "kernel_size": 3},
        {"name": "down", "out_channels": 32, "kernel_size": )" +
          k + R"(, "stride": 2},
        {"name": "far", "out_channels": 32, "kernel_size": )" +
          k + R"(, "stride": 4},
        {"name": "back", "out_channels": 16, "kernel_size": )" +
          k + R"(, "stride": 4, "transposed": true},
        {"name": "up", "out_channels": 16, "kernel_size": )" +
          k + R"(, "stride": 2, "transposed": true},
        {"name": "last", "inputs": ["up", "wide"], "out_channels": 24, "kernel_size": 3}]})",
      "sizes.json");
  if (!expect_right(test::small_room(2000, 5), network, pack, precision))
    GTEST_SKIP() << "the network is not compiled on this back end";
}

INSTANTIATE_TEST_SUITE_P(Sizes, EverySizeOfKernel,
                         testing::Combine(testing::Values(2, 3, 5, 7), testing::ValuesIn(packs),
                                          testing::ValuesIn(precisions)),
                         [](const auto& info) {
                           return test::case_name("K", std::get<0>(info.param),
                                                  std::get<1>(info.param).word_bits(), info.index,
                                                  text_of(std::get<2>(info.param)));
                         });

TEST_F(CompiledNetworks, KeepTheResultsOfTheNetwork) {
  Network network = test::little_unet();
  network.outputs = {"stem", "deep"};
  SmallSession scene(network, test::make_subject());
  scene.load();
  Job job;
  const CompiledNetwork& compiled = scene.session.compiled(scene.plan, job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  compiled.run->run();
  scene.session.run_all(scene.plan, job, {});
  for (const auto& name : network.outputs) {
    const Features output = compiled.run->output(scene.index(name));
    const auto expected = scene.session.result(scene.index(name))->features;
    EXPECT_LE(output_difference(scene.backend->download(output), *expected).max_rel, 1e-5) << name;
  }
}

struct Joins {
  const char* name;
  const char* layers;
  std::vector<std::string> outputs;
};
std::ostream& operator<<(std::ostream& out, const Joins& joins) {
  return out << joins.name;
}

/// Networks whose layers read the input, joined parts, or one output several times. All layers run on the
/// input level unless they are strided.
class JoinedNetworks : public testing::TestWithParam<std::tuple<Joins, Precision>> {
 protected:
  static Network network() {
    const Joins& joins = std::get<0>(GetParam());
    Network made = parse_network(
        R"({"schema": "spira.network 2", "name": "joined", "layers": [)" + std::string(joins.layers) + "]}",
        "joined.json");
    made.outputs = joins.outputs;
    return made;
  }
  /// Returns a session on this back end, with the scene loaded.
  static std::unique_ptr<SmallSession> loaded(std::shared_ptr<Backend> backend) {
    auto made = std::make_unique<SmallSession>(network(), std::move(backend));
    made->plan.precision = std::get<1>(GetParam());
    made->load(test::small_room(1500, 7));
    return made;
  }
  static double limit() { return output_tolerance(std::get<1>(GetParam())); }
};

TEST_P(JoinedNetworks, GiveTheOutputsOfTheReferenceLayerByLayer) {
  const auto subject = loaded(test::make_subject()),
             reference = loaded(app::make_registry().make("reference"));
  Job job;
  subject->session.run_all(subject->plan, job, {});
  reference->session.run_all(reference->plan, job, {});
  for (std::size_t at = 0; at < subject->network->layers.size(); ++at) {
    const auto layer = static_cast<int>(at);
    const auto ours = subject->session.result(layer), truth = reference->session.result(layer);
    ASSERT_NE(ours, nullptr);
    const OutputDifference difference = output_difference(*ours->features, *truth->features);
    EXPECT_LE(difference.max_rel, limit()) << subject->network->layers[at].name;
    EXPECT_EQ(difference.non_finite, 0) << subject->network->layers[at].name;
  }
}

/// Outputs that are no longer needed are freed during a run, and all others are read by later layers.
TEST_P(JoinedNetworks, GiveTheSameResultsIfOutputsAreFreedEarly) {
  const auto subject = loaded(test::make_subject());
  Job job;
  const std::size_t before = subject->backend->memory().used_bytes();
  subject->session.execute_network(subject->plan, job);
  EXPECT_EQ(subject->backend->memory().used_bytes(), before);
  const CompiledNetwork& compiled = subject->session.compiled(subject->plan, job);
  if (!compiled.run) return;
  // The second run begins with the buffers that the first one left.
  for (int time = 0; time < 2; ++time)
    compiled.run->run();
  subject->session.run_all(subject->plan, job, {});
  std::vector<std::string> names = subject->network->outputs;
  if (names.empty()) names = {subject->network->layers.back().name};
  for (const std::string& name : names) {
    const int layer = subject->index(name);
    const Features output = subject->backend->download(compiled.run->output(layer));
    EXPECT_LE(output_difference(output, *subject->session.result(layer)->features).max_rel, limit()) << name;
  }
}

TEST_P(JoinedNetworks, AreCompiledAsTheReferenceComputesThem) {
  static_cast<void>(
      expect_right(test::small_room(1500, 7), network(), PackSpec::bits32(), std::get<1>(GetParam())));
}

const Joins row_operations_on_the_input{
    "RowOperationsOnTheInput",
    R"({"name": "gate", "op": "activation", "inputs": ["input"], "activation": "sigmoid"},
       {"name": "square", "op": "multiply", "inputs": ["input", "gate"]},
       {"name": "scaled", "op": "affine", "inputs": ["input"]},
       {"name": "all", "op": "concat", "inputs": ["gate", "input", "scaled"]},
       {"name": "conv", "inputs": ["all", "square"], "out_channels": 16})",
    {}};
const Joins concat_over_joined_parts{
    "ConcatOverJoinedParts",
    R"({"name": "a", "out_channels": 16}, {"name": "b", "inputs": ["input"], "out_channels": 8},
       {"name": "join", "inputs": ["a", "b"], "out_channels": 8},
       {"name": "swapped", "op": "concat", "inputs": ["b", "a"]},
       {"name": "nested", "op": "concat", "inputs": ["swapped", "join", "a"], "activation": "relu"},
       {"name": "last", "inputs": ["nested", "swapped"], "out_channels": 8})",
    {}};
const Joins residual_of_the_input{
    "ResidualOfTheInputWithAnOrder",
    R"({"name": "first", "out_channels": 4, "residual": "input", "order": ["add", "norm", "activation"]},
       {"name": "second", "out_channels": 4, "residual": "first", "order": ["activation", "norm", "add"]},
       {"name": "third", "out_channels": 4, "residual": "second", "order": ["norm", "activation", "add"],
        "activation": "silu"},
       {"name": "fourth", "kernel_size": 1, "out_channels": 4, "residual": "third",
        "order": ["add", "activation", "norm"], "activation": "leaky_relu"})",
    {}};
const Joins early_outputs{
    "OutputsThatAreFreedEarly",
    R"({"name": "stem", "out_channels": 8}, {"name": "down", "kernel_size": 2, "stride": 2, "out_channels": 8},
       {"name": "d1", "out_channels": 16}, {"name": "d2", "out_channels": 8}, {"name": "kept", "out_channels": 8},
       {"name": "d3", "out_channels": 16}, {"name": "d4", "out_channels": 8},
       {"name": "up", "kernel_size": 2, "stride": 2, "transposed": true, "out_channels": 8},
       {"name": "sum", "op": "add", "inputs": ["up", "stem"]}, {"name": "last", "out_channels": 8},
       {"name": "unread", "inputs": ["d1"], "out_channels": 8})",
    {"kept", "last"}};
const Joins output_used_twice{
    "AnOutputThatIsUsedTwice",
    R"({"name": "stem", "out_channels": 8}, {"name": "twice", "op": "add", "inputs": ["stem", "stem"]},
       {"name": "both", "inputs": ["twice", "twice"], "out_channels": 8, "residual": "twice"},
       {"name": "result", "out_channels": 8, "residual": "both"},
       {"name": "left", "inputs": ["result"], "out_channels": 8},
       {"name": "right", "inputs": ["result"], "out_channels": 8},
       {"name": "end", "op": "multiply", "inputs": ["left", "result", "right"], "activation": "tanh"})",
    {"result", "end"}};

INSTANTIATE_TEST_SUITE_P(Joins, JoinedNetworks,
                         testing::Combine(testing::Values(row_operations_on_the_input,
                                                          concat_over_joined_parts, residual_of_the_input,
                                                          early_outputs, output_used_twice),
                                          testing::ValuesIn(precisions)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::string(text_of(std::get<1>(info.param)));
                         });

TEST_F(CompiledNetworks, TinyScenes) {
  for (const std::vector<Point>& positions : {std::vector<Point>{{0.05, 0.05, 0.05}},
                                              {{-3.0, 2.0, 1.0}, {-3.0, 2.0, 1.0}, {-2.95, 2.0, 1.0}},
                                              {{0, 0, 0}, {6.35, 6.35, 6.35}},
                                              {{0, 0, 0}, {0, 0, 3.15}, {0, 0, 3.25}, {0, 0, 6.35}}})
    expect_all(std::make_shared<const PointCloud>(points_of(positions)), test::little_unet());
}

TEST_F(CompiledNetworks, RefuseScenesBeyondTheirCapacity) {
  SmallSession some(test::little_unet(), app::make_registry().make(test::subject_name()));
  const auto room = test::small_room();
  some.load(room);
  Job job;
  const CompiledNetwork& compiled = some.session.compiled(some.plan, job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  const auto message_of = [&](const PointCloud& cloud) -> std::string {
    try {
      compiled.run->set_points(cloud);
      compiled.run->run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
      return error.what();
    }
    return "no error was thrown";
  };
  EXPECT_THAT(message_of(*test::small_room(4000)), HasSubstr("4,000 points"));
  PointCloud far = *room;
  far.positions.front() = {1e4, 0, 0};
  EXPECT_THAT(message_of(far), HasSubstr("outside the bounding box for which the network was compiled"));
  PointCloud spread = *room;
  // Move the points so that nearly every point is in a separate voxel.
  for (std::size_t at = 0; at < spread.positions.size(); ++at) {
    const auto n = static_cast<double>(at);
    spread.positions[at] = {room->positions.front()[0] + (0.1 * std::fmod(n, 15)),
                            room->positions.front()[1] + (0.1 * std::fmod(n / 15, 14)),
                            room->positions.front()[2]};
  }
  // This run may fail or succeed. The test checks only the following runs.
  static_cast<void>(message_of(spread));
  compiled.run->set_points(*room);
  // An earlier error must not affect this run.
  compiled.run->run();
  EXPECT_EQ(size_of(compiled.run->level(0)), size_of(some.session.scene()->level(1)));
  compiled.run->run();
  EXPECT_EQ(size_of(compiled.run->level(1)), size_of(some.session.scene()->level(2)));
}

TEST_F(CompiledNetworks, ForecastTheirMemory) {
  SmallSession some(test::little_unet(), app::make_registry().make(test::subject_name()));
  some.load(test::small_room(100'000));
  Job job;
  MemoryPool& memory = some.backend->memory();
  const std::size_t before = memory.used_bytes();
  const CompiledNetwork& compiled = some.session.compiled(some.plan, job);
  if (!compiled.run) GTEST_SKIP() << compiled.why_not;
  const auto taken = static_cast<double>(memory.used_bytes() - before);
  EXPECT_NEAR(static_cast<double>(compiled.run->facts().bytes), taken, 0.05 * taken);
}

TEST_F(CompiledNetworks, GiveTheReasonWhyAPlanIsNotCompiled) {
  SmallSession some(test::little_unet(), app::make_registry().make(test::subject_name()));
  some.load();
  Job job;
  some.plan.layers.front().threshold = 1;
  const CompiledNetwork& compiled = some.session.compiled(some.plan, job);
  EXPECT_EQ(compiled.run, nullptr);
  EXPECT_THAT(compiled.why_not,
              test::subject_name() == "cuda" ? HasSubstr("stem: t = 1") : HasSubstr("layer by layer"));
}

}  // namespace
}  // namespace spira

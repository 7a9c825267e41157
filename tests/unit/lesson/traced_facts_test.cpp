// Tests the facts about the selected voxel and about the selected layer. The expected values come from
// separate look-ups.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/run/replay/search_replay.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace spira {
namespace {

std::map<std::string, double> values_of(const std::vector<Fact>& facts) {
  const auto names = fact_names();
  std::map<std::string, double> values;
  for (const Fact& fact : facts) {
    EXPECT_NE(std::find(names.begin(), names.end(), fact.name), names.end()) << fact.name;
    EXPECT_TRUE(values.emplace(fact.name, fact.value).second) << fact.name << " must be listed only once";
  }
  return values;
}

LessonInput room(int kernel_size, int stride) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.scene =
      voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
  input.kernel_size = kernel_size;
  input.stride = stride;
  return input;
}

TEST(TracedFacts, TheSumOfComparisonsEqualsTheReplay) {
  Job job;
  LessonInput input = room(3, 8);
  const CoordSet& level = input.scene->level(8);
  double bsearch = 0, zdelta = 0, probes = 0, hits = 0;
  for (const Voxel& voxel : all_voxels(level)) {
    input.voxel = voxel;
    auto facts = values_of(traced_facts(input, job));
    bsearch += facts["traced.bsearch.comparisons"];
    zdelta += facts["traced.zdelta.comparisons"];
    probes += facts["traced.hash.probes"];
    hits += facts["traced.hits"];
  }
  const SearchReplay replay = replay_search(level, level, KernelOffsets(3, 8), {}, job);
  const auto queries = static_cast<double>(replay.queries);
  EXPECT_NEAR(bsearch, replay.of(MapAlgorithm::binary_search).comparisons.value * queries, 1e-6 * queries);
  EXPECT_NEAR(zdelta, replay.of(MapAlgorithm::z_delta).comparisons.value * queries, 1e-6 * queries);
  EXPECT_NEAR(probes, replay.of(MapAlgorithm::hash).comparisons.value * queries, 1e-6 * queries);
  EXPECT_EQ(hits, static_cast<double>(replay.of(MapAlgorithm::hash).matches));
}

TEST(TracedFacts, FollowTheChosenVoxelAndOffset) {
  Job job;
  LessonInput input = room(3, 1);
  const CoordSet& level = input.scene->level(1);
  input.voxel = voxel_at(level, 7);
  // These columns are the offsets (-1, -1, -1) and (-1, 0, 0), and the centre.
  input.columns = {0, 4, 13};
  auto facts = values_of(traced_facts(input, job));
  EXPECT_EQ(facts["traced.offsets.lowest_l1"], 0);
  EXPECT_EQ(facts["traced.offsets.highest_l1"], 3);
  input.columns = {0};
  facts = values_of(traced_facts(input, job));
  EXPECT_EQ(facts["traced.row"], 7);
  EXPECT_EQ(facts["traced.offset.z"], -1);
  EXPECT_EQ(facts["traced.anchor.z"], facts["traced.voxel.z"] - 1);
  input.columns.clear();
  facts = values_of(traced_facts(input, job));
  EXPECT_EQ(facts["traced.offset.z"], 1) << "the default offset must be one step up";
  const Voxel above{(*input.voxel)[0], (*input.voxel)[1], (*input.voxel)[2] + 1};
  EXPECT_EQ(facts["traced.one.found"], row_of_voxel(level, above) ? 1 : 0);
  EXPECT_EQ(facts["traced.broken.stride"], 2)
      << "the example must use stride 2, because stride 1 has no cells between voxels";
  EXPECT_EQ(facts["traced.broken.fires"], 1);
  input.voxel.reset();
  EXPECT_EQ(values_of(traced_facts(input, job))["traced.row"],
            std::floor(static_cast<double>(size_of(level)) / 2));
  input.kernel_size = 1;
  EXPECT_EQ(values_of(traced_facts(input, job))["traced.hits"], 1);
}

TEST(LayerFacts, DescribeTheLayerAsItRan) {
  Job job;
  test::SmallSession some;
  some.load();
  set_threshold(some.plan, *some.network, 2);
  LessonInput input;
  input.scene = some.session.scene();
  EXPECT_EQ(values_of(layer_facts(input, job)), (std::map<std::string, double>{{"layer.chosen", 0}}));
  input.layer = some.session.run_layer(some.index("stem"), some.plan, job);
  auto facts = values_of(layer_facts(input, job));
  EXPECT_EQ(facts["layer.threshold"], 2);
  EXPECT_EQ(facts["layer.hybrid"], 1);
  EXPECT_EQ(facts["layer.outputs"], static_cast<double>(size_of(some.session.scene()->level(1))));
  input.layer = some.session.run_layer(some.index("up"), some.plan, job);
  facts = values_of(layer_facts(input, job));
  EXPECT_EQ(facts["layer.transposed"], 1);
  EXPECT_EQ(facts["layer.hybrid"], 0);
  EXPECT_EQ(facts["layer.stride_in"], 2);
  EXPECT_EQ(facts["layer.stride_out"], 1);
}

TEST(LayerFacts, HaveTheStrideOfALevelWithAnotherRule) {
  Job job;
  test::SmallSession some(test::reached_network());
  some.load();
  LessonInput input;
  input.scene = some.session.scene();
  input.layer = some.session.run_layer(some.index("two"), some.plan, job);
  const auto facts = values_of(layer_facts(input, job));
  EXPECT_EQ(facts.at("layer.stride_in"), 1);
  EXPECT_EQ(facts.at("layer.stride_out"), 2);
}

}  // namespace
}  // namespace spira

// Tests the facts of the lesson on native points against the kernel maps of a small scene.
#include "engine/lesson/facts/native_facts.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/lesson/lesson_voxel.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/session.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace spira {
namespace {

using Values = std::map<std::string, double>;

class NativeFacts : public testing::TestWithParam<NeighbourShape> {
 protected:
  NativeFacts() {
    Job job;
    input_.scene = voxelize_scene(*backend_, test::small_room(), test::small_grid, PackSpec::bits32(),
                                  {5, 16}, job, {}, most_native_stride);
    input_.map = map({GetParam()});
    for_each_pair(*input_.map, [&](std::int32_t output, int column, std::int32_t input) {
      columns_[output].emplace(input, column);
    });
    for_each_pair(*map({}), [&](std::int32_t output, int column, std::int32_t input) {
      voxel_columns_[output].emplace(input, column);
      ++voxel_pairs_;
    });
  }
  std::shared_ptr<const KernelMap> map(const Neighbourhood& neighbourhood) {
    Job job;
    KernelShape kernel(3);
    kernel.neighbourhood = neighbourhood;
    return map_of_scene(*backend_, *input_.scene, {kernel, 1, 1}, job);
  }
  static Values values(std::string_view group, const LessonInput& input) {
    Job job;
    Values found;
    for (const Fact& fact : compute_facts(group, input, job))
      EXPECT_TRUE(found.emplace(fact.name, fact.value).second) << fact.name << " must be listed only once";
    return found;
  }
  [[nodiscard]] std::int64_t rows() const { return size_of(input_.scene->level(1)); }

  std::shared_ptr<Backend> backend_ = app::make_registry().make("cpu");
  LessonInput input_;
  std::map<std::int32_t, std::map<std::int32_t, int>> columns_, voxel_columns_;
  std::int64_t voxel_pairs_ = 0;
};

TEST_P(NativeFacts, TimesOfBothLayersHaveTheirCountAndSpread) {
  EXPECT_EQ(values("layer_times", input_), (Values{{"layer_times.measured", 0}}));
  constexpr int rounds = 5;
  Job job;
  auto run = std::make_shared<LessonRun>();
  run->neighbours = measure_neighbours(backend_, *input_.scene, input_.map->offsets->kernel(), rounds, job);
  run->timed_on = "a machine";
  for (const LayerSamples* layer : {&run->neighbours->voxels, &run->neighbours->native}) {
    EXPECT_EQ(layer->map_ms.size(), 5U);
    EXPECT_EQ(layer->features_ms.size(), 5U);
  }
  LessonInput input = input_;
  input.run = run;
  const Values facts = values("layer_times", input);
  EXPECT_EQ(facts.at("layer_times.native.samples"), rounds);
  EXPECT_EQ(facts.at("layer_times.channels"), timed_channels);
  const Statistics map = statistics(run->neighbours->native.map_ms);
  EXPECT_GT(map.median, 0);
  EXPECT_EQ(facts.at("layer_times.native.map_ms"), map.median);
  EXPECT_EQ(facts.at("layer_times.native.map_iqr_ms"), map.iqr());
  for (const Fact& fact : compute_facts("layer_times", input, job)) {
    if (!fact.name.ends_with("features_ms")) continue;
    EXPECT_EQ(fact.source, "5 interleaved samples, a machine");
  }
}

TEST_P(NativeFacts, InputsOfARowAreThoseOfTheMap) {
  for (std::int64_t row = 0; row < rows(); row += 3)
    EXPECT_EQ(count_inputs(*input_.scene, 1, row, {GetParam()}, 3),
              std::ssize(columns_[static_cast<std::int32_t>(row)]))
        << row;
}

TEST_P(NativeFacts, ChangesOfARowFollowFromBothMaps) {
  bool moved = false;
  for (std::int64_t at = 0; at < rows(); at += 17) {
    const auto row = static_cast<std::int32_t>(at);
    input_.voxel = voxel_at(input_.scene->level(1), row);
    Values found = values("neighbour_row", input_);
    std::map<int, int> by_column;
    std::int64_t same = 0, other = 0, added = 0, most = 0;
    for (const auto& [input, column] : columns_[row]) {
      most = std::max<std::int64_t>(most, ++by_column[column]);
      const auto before = voxel_columns_[row].find(input);
      if (before == voxel_columns_[row].end()) {
        ++added;
      } else {
        ++(before->second == column ? same : other);
      }
    }
    const auto of_voxels = std::ssize(voxel_columns_[row]);
    EXPECT_EQ(found["neighbour_row.chosen"], 1);
    EXPECT_EQ(found["neighbour_row.in_voxels"], of_voxels);
    EXPECT_EQ(found["neighbour_row.inputs"], std::ssize(columns_[row]));
    EXPECT_EQ(found["neighbour_row.in_" + std::string(text_of(GetParam()))], std::ssize(columns_[row]));
    EXPECT_EQ(found["neighbour_row.same_column"], same);
    EXPECT_EQ(found["neighbour_row.other_column"], other);
    EXPECT_EQ(found["neighbour_row.lost"], of_voxels - same - other);
    EXPECT_EQ(found["neighbour_row.added"], added);
    EXPECT_EQ(found["neighbour_row.groups"], std::ssize(by_column));
    EXPECT_EQ(found["neighbour_row.most_in_column"], most);
    EXPECT_EQ(found.contains("neighbour_row.moved_to.x"), other > 0);
    moved = moved || other > 0;
  }
  EXPECT_TRUE(moved) << "some input must change its column";
}

TEST_P(NativeFacts, CountsOfTheSceneFollowFromBothMaps) {
  std::int64_t triplets = 0, groups = 0, stay = 0, same = 0;
  std::map<int, std::pair<std::int64_t, std::int64_t>> norms;  // Triplets and groups by norm.
  const KernelOffsets offsets(3, 1);
  for (const auto& [row, inputs] : columns_) {
    std::set<int> used;
    for (const auto& [input, column] : inputs) {
      ++triplets;
      ++norms[offsets.l1(column)].first;
      if (used.insert(column).second) ++norms[offsets.l1(column)].second;
      const auto before = voxel_columns_[row].find(input);
      stay += before != voxel_columns_[row].end() ? 1 : 0;
      same += before != voxel_columns_[row].end() && before->second == column ? 1 : 0;
    }
    groups += std::ssize(used);
  }
  Values found = values("neighbours", input_);
  EXPECT_EQ(found["neighbours.shape"], static_cast<double>(GetParam()));
  EXPECT_EQ(found["neighbours.voxel_pairs"], static_cast<double>(voxel_pairs_));
  EXPECT_EQ(found["neighbours.triplets"], static_cast<double>(triplets));
  EXPECT_EQ(found["neighbours.groups"], static_cast<double>(groups));
  EXPECT_DOUBLE_EQ(found["neighbours.fan_in"], static_cast<double>(triplets) / static_cast<double>(groups));
  EXPECT_DOUBLE_EQ(found["neighbours.stay"], static_cast<double>(stay) / static_cast<double>(voxel_pairs_));
  EXPECT_DOUBLE_EQ(found["neighbours.same_column"],
                   static_cast<double>(same) / static_cast<double>(voxel_pairs_));
  EXPECT_DOUBLE_EQ(found["neighbours.added"],
                   static_cast<double>(triplets - stay) / static_cast<double>(triplets));
  EXPECT_EQ(found["neighbours.list_bytes"], 8.0 * static_cast<double>(triplets));
  for (const auto& [l1, counts] : norms)
    EXPECT_DOUBLE_EQ(found["neighbours.l1." + std::to_string(l1) + ".fan_in"],
                     static_cast<double>(counts.first) / static_cast<double>(counts.second));
}

TEST_P(NativeFacts, PositionsAreNoFartherThanACorner) {
  Values found = values("positions", input_);
  EXPECT_EQ(found["positions.rows"], static_cast<double>(rows()));
  EXPECT_EQ(found["positions.merged"], static_cast<double>(input_.scene->kept - rows()));
  EXPECT_GT(found["positions.rms"], 0);
  EXPECT_GT(found["positions.p95"], found["positions.rms"]);
  const auto& edge = input_.scene->grid.voxel_m;
  EXPECT_DOUBLE_EQ(found["positions.farthest"], std::hypot(edge[0], edge[1], edge[2]) / 2);
  EXPECT_LE(found["positions.p95"], found["positions.farthest"]);
}

TEST_P(NativeFacts, DoNotExistForVoxels) {
  EXPECT_EQ(values("neighbour_row", input_), (Values{{"neighbour_row.chosen", 0}})) << "no voxel";
  input_.voxel = voxel_at(input_.scene->level(1), 0);
  input_.map.reset();
  EXPECT_EQ(values("neighbours", input_), (Values{{"neighbours.shape", 0}}));
  EXPECT_FALSE(values("neighbour_row", input_).contains("neighbour_row.inputs"));
  Job job;
  input_.scene =
      voxelize_scene(*backend_, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
  EXPECT_EQ(values("positions", input_), Values{});
  EXPECT_EQ(values("neighbour_row", input_), (Values{{"neighbour_row.chosen", 1}}));
}

TEST_P(NativeFacts, ARowWithAMovedInputIsFoundIfThereIsOne) {
  Job job;
  const CoordSet& level = input_.scene->level(1);
  const std::int64_t row = row_with_moved_input(*input_.scene, *input_.map, 1, job);
  input_.voxel = voxel_at(level, row);
  EXPECT_GT(values("neighbour_row", input_)["neighbour_row.other_column"], 0);
  // All positions are then on the grid, so no input is in another column.
  Grid grid = test::small_grid;
  grid.positions = PositionKind::grid;
  input_.scene = voxelize_scene(*backend_, test::small_room(), grid, PackSpec::bits32(), {5, 16}, job, {},
                                most_native_stride);
  EXPECT_EQ(row_with_moved_input(*input_.scene, *map({GetParam()}), 1, job),
            row_at_place(input_.scene->level(1), VoxelPlace::middle, job));
}

INSTANTIATE_TEST_SUITE_P(Shapes, NativeFacts, testing::Values(NeighbourShape::cube, NeighbourShape::ball),
                         [](const auto& info) { return std::string(text_of(info.param)); });

}  // namespace
}  // namespace spira

// Tests count_work() for each threshold. Compares the counts with a separate look-up of every neighbour, and
// the computed map sizes with the sizes of real maps.
#include "engine/lesson/facts/dataflow_work.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace spira {
namespace {

struct Shape {
  int kernel_size, stride_in, stride_out;
};

class DataflowWorkOf : public testing::TestWithParam<Shape> {
 protected:
  static CoordSet inputs() {
    const int s = GetParam().stride_in;
    return test::coord_set(
        PackSpec::bits32(),
        test::box_voxels({std::int64_t{12} * s, std::int64_t{9} * s, std::int64_t{8} * s}, s, 250, 6), s);
  }
  CoordSet outputs() const {
    std::vector<Voxel> coarse;
    const int s = GetParam().stride_out;
    for (const Voxel& v : all_voxels(in_))
      coarse.push_back({v[0] / s * s, v[1] / s * s, v[2] / s * s});
    return test::coord_set(PackSpec::bits32(), coarse, s);
  }
  [[nodiscard]] bool submanifold() const { return GetParam().stride_in == GetParam().stride_out; }

  CoordSet in_ = inputs(), out_ = outputs();
  KernelOffsets offsets_{GetParam().kernel_size, GetParam().stride_in};
  Job job_;
  DataflowWork work_ = count_work(in_, out_, offsets_, job_);
};

TEST_P(DataflowWorkOf, CountsTheWorkOfEachOutput) {
  const auto voxels = all_voxels(in_);
  const std::set<Voxel> there(voxels.begin(), voxels.end());
  ASSERT_EQ(std::ssize(work_.thresholds), offsets_.max_threshold() + 1);
  for (const ThresholdCount& count : work_.thresholds) {
    std::int64_t slots = 0, dense = 0, sparse = 0, touched = 0, most = 0;
    for (const Voxel& output : all_voxels(out_)) {
      std::int64_t additions = 0;
      for (int column = 0; column < offsets_.columns(); ++column) {
        const Voxel d = offsets_.offset(column);
        const bool hit = there.contains({output[0] + d[0], output[1] + d[1], output[2] + d[2]});
        const int norm = (std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2])) / offsets_.stride()[0];
        if (norm < count.threshold) {
          ++slots;
          dense += hit ? 1 : 0;
        } else {
          additions += hit ? 1 : 0;
        }
      }
      sparse += additions;
      touched += additions > 0 ? 1 : 0;
      most = std::max(most, additions);
    }
    SCOPED_TRACE(count.threshold);
    EXPECT_EQ(count.dense_slots, slots);
    EXPECT_EQ(count.dense_pairs, dense);
    EXPECT_EQ(count.sparse_pairs, sparse);
    EXPECT_EQ(count.sparse_outputs, touched);
    EXPECT_EQ(count.collisions(), sparse - touched);
    EXPECT_EQ(count.max_additions, most);
  }
  EXPECT_EQ(work_.thresholds.back().sparse_pairs, 0);
  EXPECT_EQ(work_.thresholds.front().dense_slots, 0);
}

TEST_P(DataflowWorkOf, MapBytesAreThoseOfTheBuiltMaps) {
  const auto backend = app::make_registry().make("cpu");
  const auto offsets = std::make_shared<const KernelOffsets>(offsets_);
  for (const ThresholdCount& count : work_.thresholds) {
    SCOPED_TRACE(count.threshold);
    MapRequest request = request_for_threshold(offsets, MapAlgorithm::z_delta, count.threshold, submanifold(),
                                               MapLayout::output_major);
    EXPECT_EQ(backend->build_map(in_, out_, request, job_).bytes(), count.half_map_bytes);
    request.half = false;
    EXPECT_EQ(backend->build_map(in_, out_, request, job_).bytes(), count.map_bytes);
  }
  const MapRequest runs{
      offsets, MapAlgorithm::z_delta, {{MapLayout::z_runs, test::all_columns(offsets_)}}, false};
  EXPECT_EQ(backend->build_map(in_, out_, runs, job_).bytes(), work_.run_bytes);
  const MapRequest columns{
      offsets, MapAlgorithm::z_delta, {{MapLayout::offset_major, test::all_columns(offsets_)}}, false};
  EXPECT_EQ(backend->build_map(in_, out_, columns, job_).bytes(), work_.search_bytes);
}

TEST_P(DataflowWorkOf, TheBestThresholdMovesWithTheCostOfAPair) {
  EXPECT_EQ(work_.best_threshold(1e9), offsets_.max_threshold())
      << "if a pair is very expensive, all offsets must be output-stationary";
  for (const double cost : {0.5, 1.0, 3.0, 10.0}) {
    const int best = work_.best_threshold(cost);
    for (const ThresholdCount& count : work_.thresholds)
      EXPECT_LE(work_.thresholds.at(static_cast<std::size_t>(best)).work(cost), count.work(cost));
  }
  for (const ThresholdCount& count : work_.thresholds) {
    const double even = work_.break_even(count.threshold);
    if (!std::isfinite(even)) continue;
    EXPECT_NEAR(count.work(even), work_.thresholds.back().work(even), 1e-6 * count.work(even));
    EXPECT_GE(even, 1.0) << "a layer cannot have more pairs than slots";
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DataflowWorkOf,
                         testing::Values(Shape{3, 1, 1}, Shape{5, 2, 2}, Shape{7, 1, 1}, Shape{1, 1, 1},
                                         Shape{2, 1, 2}, Shape{3, 2, 4}),
                         [](const auto& of) {
                           return "K" + std::to_string(of.param.kernel_size) + "from" +
                                  std::to_string(of.param.stride_in) + "to" +
                                  std::to_string(of.param.stride_out);
                         });

TEST(WorkFacts, HaveTheSizesOfASimulationOnASweepLikeThis) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  LessonInput input;
  input.kernel_size = 5;
  input.scene = voxelize_scene(*backend, generate_scene("street", 0, 1, job), {{0.1, 0.1, 0.1}, {}},
                               PackSpec::bits32(), {5, 16}, job);
  const auto names = fact_names();
  std::map<std::string, double> facts;
  for (const Fact& fact : compute_facts("work", input, job)) {
    EXPECT_NE(std::find(names.begin(), names.end(), fact.name), names.end()) << fact.name;
    EXPECT_TRUE(facts.emplace(fact.name, fact.value).second) << fact.name;
  }
  // Slots and pairs per voxel for t = 0, 2, 3, 4, 5 and 7. These values come from an independent simulation
  // of a scene with 17.7 pairs per voxel.
  const std::map<int, std::array<double, 2>> simulated{{0, {0, 17.7}}, {2, {7, 14.2}},  {3, {25, 9.4}},
                                                       {4, {57, 4.2}}, {5, {93, 0.84}}, {7, {125, 0}}};
  for (const auto& [t, like] : simulated) {
    const std::string name = "work.t" + std::to_string(t);
    EXPECT_EQ(facts[name + ".dense_slots_per_voxel"], like[0]);
    EXPECT_NEAR(facts[name + ".sparse_pairs_per_voxel"], like[1], 0.5 * like[1] + 0.01) << name;
  }
  EXPECT_NEAR(facts["work.tmax.wasted_share"], 0.86, 0.03);
  EXPECT_EQ(facts["work.tmax.dense_columns"], 125);
  EXPECT_EQ(facts["work.max_threshold"], 7);
  EXPECT_LT(facts["work.t0.half_map_bytes"], 0.6 * facts["work.t0.map_bytes"]);
  const auto shuffled = compute_facts("work_shuffled", input, job);
  const auto pairs = std::find_if(shuffled.begin(), shuffled.end(), [](const Fact& fact) {
    return fact.name == "work_shuffled.pairs_per_voxel";
  });
  ASSERT_NE(pairs, shuffled.end());
  EXPECT_LT(pairs->value, 2) << "shuffled voxels must have almost no pair besides their own";
}

}  // namespace
}  // namespace spira

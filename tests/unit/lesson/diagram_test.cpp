// Tests the diagrams of the lessons on dataflows and indexing. Compares the cells of maps with a separate
// look-up of each neighbour, and the times with the run that the diagram shows.
#include "engine/lesson/diagrams/diagram.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/network_order.hpp"
#include "engine/lesson/lesson.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/map/redundancy.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/recorded_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace spira {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class Diagrams : public testing::Test {
 protected:
  Diagrams() {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    input_.scene =
        voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
    input_.kernel_size = 5;
    voxels_ = all_voxels(input_.scene->level(1));
    for (const Voxel& voxel : voxels_)
      there_.insert(voxel);
  }
  template <class Diagram> Diagram made(std::string_view kind) {
    Job job;
    return std::get<Diagram>(lesson_diagram(kind, input_, job));
  }
  [[nodiscard]] bool has(const Voxel& q, const Voxel& d) const {
    return there_.contains({q[0] + d[0], q[1] + d[1], q[2] + d[2]});
  }
  void record() { input_.run = run_of_report(std::make_shared<const Report>(test::recorded_report())); }

  LessonInput input_;
  std::vector<Voxel> voxels_;
  std::set<Voxel> there_;
};

TEST_F(Diagrams, AllMotionsThatAreDiagramsCanBeNamedInALesson) {
  int diagrams = 0;
  for (const std::string& kind : lesson_motions())
    diagrams += is_diagram(kind) ? 1 : 0;
  EXPECT_EQ(diagrams, 19);
  EXPECT_FALSE(is_diagram("slide"));
  Job job;
  EXPECT_EQ(lesson_diagram("slide", input_, job).index(), 0U);
}

TEST_F(Diagrams, AMatrixHoldsTheMapOfOutputsFromTheChosenVoxelOn) {
  input_.voxel = voxels_.at(voxels_.size() / 3);
  const KernelOffsets offsets(5, 1);
  for (const char* kind : {"matrix", "rows", "columns", "divide", "halves"}) {
    const auto matrix = made<MapMatrix>(kind);
    ASSERT_THAT(matrix.outputs, SizeIs(20)) << kind;
    EXPECT_EQ(matrix.outputs.front(), static_cast<std::int64_t>(voxels_.size() / 3));
    EXPECT_EQ(std::set<int>(matrix.columns.begin(), matrix.columns.end()).size(), 125U);
    if (std::string(kind) == "halves") {
      EXPECT_TRUE(std::is_sorted(matrix.columns.begin(), matrix.columns.end()));
    } else {
      EXPECT_TRUE(std::is_sorted(matrix.norms.begin(), matrix.norms.end())) << kind;
    }
    for (std::size_t row = 0; row < matrix.outputs.size(); ++row) {
      for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
        const Voxel& q = voxels_.at(static_cast<std::size_t>(matrix.outputs[row]));
        EXPECT_EQ(matrix.at(row, column), has(q, offsets.offset(matrix.columns[column])));
        EXPECT_EQ(matrix.norms[column], offsets.l1(matrix.columns[column]));
      }
    }
  }
}

/// Returns the rows of cells of some columns, each with the highest column first, as in a mask.
std::vector<std::string> masks_of(const std::vector<std::string>& rows, std::size_t first, std::size_t end) {
  std::vector<std::string> masks;
  for (const std::string& row : rows) {
    std::string mask = row.substr(first, end - first);
    std::reverse(mask.begin(), mask.end());
    masks.push_back(mask);
  }
  return masks;
}

/// Counts the slots of tiles of four rows that are sorted in descending order.
std::int64_t slots_of(std::vector<std::string> masks) {
  std::sort(masks.rbegin(), masks.rend());
  std::int64_t slots = 0;
  for (std::size_t tile = 0; tile < masks.size(); tile += 4) {
    for (std::size_t column = 0; column < masks.front().size(); ++column) {
      bool any = false;
      for (std::size_t row = tile; row < std::min(tile + 4, masks.size()); ++row)
        any = any || masks[row][column] == '1';
      slots += any ? 4 : 0;
    }
  }
  return slots;
}

TEST_F(Diagrams, SortedRowsAreInDescendingOrderOfTheirMasks) {
  input_.kernel_size = 3;
  const KernelOffsets offsets(3, 1);
  const auto one = made<LessonSorting>("sorted"), two = made<LessonSorting>("splits");
  ASSERT_THAT(one.outputs, SizeIs(20));
  EXPECT_EQ(one.outputs.front(), 0);
  EXPECT_GT(one.outputs.back(), std::ssize(voxels_) * 9 / 10) << "the outputs must come from all parts";
  std::vector<std::string> rows;
  std::int64_t pairs = 0;
  for (const std::int64_t output : one.outputs) {
    rows.emplace_back();
    for (int column = 0; column < 27; ++column)
      rows.back() += has(voxels_.at(static_cast<std::size_t>(output)), offsets.offset(column)) ? '1' : '0';
    pairs += std::count(rows.back().begin(), rows.back().end(), '1');
  }
  EXPECT_EQ(one.after.pairs, pairs);
  EXPECT_EQ(one.after.active * 4, slots_of(masks_of(rows, 0, 27)));
  EXPECT_EQ(two.after.active * 4, slots_of(masks_of(rows, 0, 14)) + slots_of(masks_of(rows, 14, 27)));
  EXPECT_FALSE(one.folds);
  EXPECT_TRUE(two.folds);
  for (const int split : {0, 1}) {
    const auto masks = split == 0 ? masks_of(rows, 0, 14) : masks_of(rows, 14, 27);
    for (std::size_t position = 0; position < 20; ++position) {
      const auto output = [&](std::size_t at) {
        return static_cast<std::size_t>(two.sorted.order.at((static_cast<std::size_t>(split) * 20) + at));
      };
      const std::string& mask = masks.at(output(position));
      EXPECT_EQ(two.pairs_of(output(position), split), std::count(mask.begin(), mask.end(), '1'));
      if (position > 0) {
        EXPECT_GE(masks.at(output(position - 1)), mask) << "split " << split;
      }
    }
  }
}

TEST_F(Diagrams, SlotsPerPairOfAllOutputsAreThoseOfTheMapOfTheBackEnd) {
  input_.kernel_size = 3;
  Job job;
  std::map<std::string, double> facts;
  for (const Fact& fact : compute_facts("sorting", input_, job))
    facts[fact.name] = fact.value;
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  const CoordSet& level = input_.scene->level(1);
  const KernelMap map = app::make_registry().make("cpu")->build_map(
      level, level, {offsets, MapAlgorithm::z_delta, {{MapLayout::z_runs, test::all_columns(*offsets)}}},
      job);
  for (const int splits : {0, 1, 2, 3, 4, 5}) {
    const std::string name = "sorting." + (splits == 0 ? "unsorted" : "s" + std::to_string(splits));
    const Redundancy found = redundancy(map, std::array{RowSorting{splits, 16}}).front();
    EXPECT_DOUBLE_EQ(facts.at(name + ".slots_per_pair"), found.slots_per_pair());
    EXPECT_EQ(facts.at(name + ".slots"), 16.0 * static_cast<double>(found.active));
  }
  EXPECT_EQ(facts.at("sorting.outputs"), std::ssize(voxels_));
  input_.kernel_size = 5;
  for (const Fact& fact : compute_facts("sorting", input_, job))
    EXPECT_FALSE(fact.name.starts_with("sorting.s1.")) << "a mask of 125 offsets does not fit in 64 bits";
}

TEST_F(Diagrams, AKernelOfSize5CannotBeSortedWithoutSplits) {
  Job job;
  EXPECT_THROW(static_cast<void>(lesson_diagram("sorted", input_, job)), Error);
  EXPECT_EQ(made<LessonSorting>("splits").sorted.columns, 125);
}

TEST_F(Diagrams, AMatrixAtTheEndOfTheArrayStaysInside) {
  input_.voxel = voxels_.back();
  const auto outputs = matrix_outputs(input_);
  ASSERT_THAT(outputs, SizeIs(20));
  EXPECT_EQ(outputs.back(), static_cast<std::int64_t>(voxels_.size()) - 1);
}

TEST_F(Diagrams, CurvesOfWorkAreCountedOnAllVoxels) {
  input_.kernel_size = 3;
  const auto curves = made<LessonCurves>("work");
  ASSERT_THAT(curves.curves, SizeIs(2));
  const KernelOffsets offsets(3, 1);
  for (int t = 0; t <= offsets.max_threshold(); ++t) {
    std::int64_t slots = 0, pairs = 0;
    for (const Voxel& q : voxels_) {
      for (int column = 0; column < offsets.columns(); ++column) {
        const bool dense = offsets.l1(column) < t;
        slots += dense ? 1 : 0;
        pairs += !dense && has(q, offsets.offset(column)) ? 1 : 0;
      }
    }
    const auto at = static_cast<std::size_t>(t);
    const auto voxels = static_cast<double>(voxels_.size());
    EXPECT_DOUBLE_EQ(curves.curves[0].points.at(at).value, static_cast<double>(slots) / voxels) << t;
    EXPECT_DOUBLE_EQ(curves.curves[1].points.at(at).value, static_cast<double>(pairs) / voxels) << t;
  }
}

TEST_F(Diagrams, OfARunAreEmptyWithoutOne) {
  for (const char* kind : {"sweep", "model"})
    EXPECT_THAT(made<LessonCurves>(kind).curves, IsEmpty()) << kind;
  for (const char* kind : {"serial", "levels", "maps", "overlap"})
    EXPECT_THAT(made<LessonLanes>(kind).pieces, IsEmpty()) << kind;
}

TEST_F(Diagrams, CurvesOfASweepAreItsMedians) {
  record();
  const Sweep& sweep = *input_.run->thresholds;
  const auto measured = made<LessonCurves>("sweep");
  ASSERT_THAT(measured.curves, SizeIs(1));
  ASSERT_EQ(measured.curves[0].points.size(), sweep.rows.size());
  for (std::size_t at = 0; at < sweep.rows.size(); ++at) {
    EXPECT_EQ(measured.curves[0].points[at].x, sweep.rows[at].threshold);
    EXPECT_DOUBLE_EQ(measured.curves[0].points[at].value, sweep.rows[at].wall.stats().median);
    EXPECT_DOUBLE_EQ(measured.curves[0].points[at].spread, sweep.rows[at].wall.stats().iqr());
  }
  const auto modelled = made<LessonCurves>("model");
  ASSERT_THAT(modelled.curves, SizeIs(2));
  EXPECT_DOUBLE_EQ(modelled.curves[1].points.back().value, modelled.curves[0].points.back().value)
      << "the model must equal the measured time at the largest t";
}

TEST_F(Diagrams, StagesEndToEndTakeTheSumOfTheStages) {
  record();
  const auto lanes = made<LessonLanes>("serial");
  EXPECT_NEAR(lanes.longest(), input_.run->measurement->sum_of_stages_ms(), 1e-9);
  for (const auto& piece : lanes.pieces)
    EXPECT_EQ(piece.lane == 0, piece.indexing) << piece.stage.text();
}

TEST_F(Diagrams, LevelsAndMapsMoveToTheirEarliestStart) {
  record();
  const auto& plan = input_.run->measurement->plan;
  const Network& network = *input_.run->network;
  const auto levels = made<LessonLanes>("levels");
  const auto maps = made<LessonLanes>("maps");
  EXPECT_THAT(levels.pieces, SizeIs(2)) << "there must be one piece for stride 1 and one for stride 2";
  const auto needs = indexing_needs(network, plan, LevelOrder::closed_form);
  ASSERT_EQ(maps.pieces.size(), needs.size());
  const auto piece = [&](const StageKey& stage) {
    return *std::find_if(maps.pieces.begin(), maps.pieces.end(),
                         [&](const auto& one) { return one.stage == stage; });
  };
  double before = 0, after = 0;
  for (const StageNeeds& stage : needs) {
    EXPECT_EQ(piece(stage.stage).begin, before++) << "the stages must start one after another";
    for (const StageKey& need : stage.needs)
      EXPECT_GE(piece(stage.stage).begin_after, piece(need).begin_after + 1) << stage.stage.text();
    after = std::max(after, piece(stage.stage).begin_after + 1);
  }
  EXPECT_EQ(after, longest_wait(needs));
}

TEST_F(Diagrams, LevelsOfAGpuNetworkGatherBehindTheVoxels) {
  auto run = std::make_shared<LessonRun>();
  run->network = std::make_shared<const Network>(network_preset("minkunet42"));
  Measurement measured;
  measured.plan = default_plan(*run->network);
  run->measurement = std::make_shared<const Measurement>(measured);
  input_.run = run;
  const auto levels = made<LessonLanes>("levels");
  ASSERT_THAT(levels.pieces, SizeIs(5));
  for (std::size_t at = 0; at < levels.pieces.size(); ++at) {
    EXPECT_EQ(levels.pieces[at].begin, static_cast<double>(at))
        << "each level must wait for the previous level";
    EXPECT_EQ(levels.pieces[at].begin_after, at == 0 ? 0 : 1);
  }
}

TEST_F(Diagrams, OverlapHoldsTheStagesAloneAndTheTracksOfTheRun) {
  record();
  const Timeline& timeline = input_.run->measurement->timeline;
  const auto lanes = made<LessonLanes>("overlap");
  EXPECT_EQ(lanes.lanes.size(), timeline.tracks.size() + 1);
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track) {
    double busy = 0;
    for (const auto& piece : lanes.pieces)
      busy += piece.lane == track + 1 ? piece.length : 0;
    EXPECT_NEAR(busy, timeline.busy_ms(track), 1e-9);
  }
}

TEST_F(Diagrams, MemoryOfMapsIsThatOfEachLayer) {
  record();
  const MapMemory memory = map_memory(*input_.run->network, *input_.run->measurement);
  const auto curves = made<LessonPrice>("held").held;
  ASSERT_THAT(curves.curves, SizeIs(2));
  for (std::size_t layer = 0; layer < memory.network_wide.size(); ++layer) {
    EXPECT_EQ(curves.curves[0].points[layer].value, static_cast<double>(memory.network_wide[layer]));
    EXPECT_EQ(curves.curves[1].points[layer].value, static_cast<double>(memory.layer_by_layer[layer]));
  }
}

/// Compares the ratio of each stage with the in-situ time divided by the isolated time of this stage.
TEST_F(Diagrams, EveryPieceHasItsRatio) {
  EXPECT_THAT(made<LessonPrice>("held").ratios.columns, IsEmpty());
  record();
  const Measurement& measurement = *input_.run->measurement;
  const auto alone = [&](const StageKey& stage) {
    std::vector<double> samples;
    const auto look_in = [&](const StageTree& tree) {
      for (const StageNode& node : tree.nodes) {
        if (node.parent < 0 && stage == node.name && samples.empty()) samples = node.samples_ms;
      }
    };
    look_in(measurement.indexing);
    for (const LayerMeasurement& layer : measurement.layers)
      look_in(layer.stages);
    return samples.empty() ? 0.0 : statistics(samples).median;
  };
  std::multimap<std::string, double> expected;
  for (const TimelineSpan& span : measurement.timeline.spans) {
    if (span.parent >= 0 || alone(span.stage) <= 0) continue;
    const double beside =
        span.samples_ms.empty() ? span.end_ms - span.start_ms : statistics(span.samples_ms).median;
    if (beside > 0) expected.emplace(span.stage.text(), beside / alone(span.stage));
  }
  const LessonColumns ratios = made<LessonPrice>("held").ratios;
  EXPECT_FALSE(expected.empty());
  std::multimap<std::string, double> found;
  int group = 0;
  for (const LessonColumns::Column& one : ratios.columns) {
    found.emplace(one.name, one.value);
    EXPECT_GE(one.group, group) << "levels and maps must come before features";
    EXPECT_EQ(one.group, one.name.starts_with("features") || one.name.starts_with("input") ? 1 : 0)
        << one.name;
    group = one.group;
  }
  EXPECT_EQ(found, expected);
}

/// Computes every level with two methods: from level 0, and from the previous level.
TEST_F(Diagrams, EveryLevelIsMadeInBothWays) {
  const auto links = made<LessonLevels>("floor");
  ASSERT_THAT(links.levels, SizeIs(5));
  std::set<Voxel> before = there_;
  for (const LessonLevels::Level& level : links.levels) {
    std::set<Voxel> steps, closed;
    const auto floored = [&](Voxel v) {
      for (std::int32_t& component : v)
        component -= component % level.stride;
      return v;
    };
    for (const Voxel& v : before)
      steps.insert(floored(v));
    for (const Voxel& v : there_)
      closed.insert(floored(v));
    EXPECT_EQ(level.voxels, std::ssize(closed));
    EXPECT_EQ(level.equal, steps == closed);
    before = steps;
  }
}

TEST(RunNeedsOf, APageFollowFromItsFacts) {
  EXPECT_EQ(run_needs({"work.t3.map_bytes", "indexing.levels"}), RunNeeds{});
  EXPECT_EQ(run_needs({"threshold.t1.measured_ms"}), (RunNeeds{false, true, false}));
  EXPECT_EQ(run_needs({"threshold.t1.modelled_ms"}), (RunNeeds{true, true, false}));
  EXPECT_EQ(run_needs({"network.layers"}), (RunNeeds{true, false, false}));
  EXPECT_EQ(run_needs({"network.indexing.overlap_factor"}), (RunNeeds{true, false, true}));
}

TEST(RunNeedsOf, NameThePartsThatARunLacks) {
  const auto far = run_of_report(std::make_shared<const Report>(test::recorded_report()));
  EXPECT_EQ(missing_of(*far, {true, true, true}), RunNeeds{});
  auto plain = *far;
  auto measurement = *far->measurement;
  measurement.timeline.mode = TimelineMode::one_after_another;
  plain.measurement = std::make_shared<const Measurement>(measurement);
  plain.thresholds = nullptr;
  EXPECT_EQ(missing_of(plain, {true, true, true}), (RunNeeds{false, true, true}));
  EXPECT_EQ(missing_of(plain, {true, false, false}), RunNeeds{});
  plain.measurement = nullptr;
  EXPECT_TRUE(missing_of(plain, {true, false, false}).measured);
}

}  // namespace
}  // namespace spira

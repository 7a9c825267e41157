// Tests search_motion(), which creates the animations of the search lesson. Compares each step of an
// animation with a separate look-up of each cell.
#include "engine/lesson/diagrams/search_motion.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace spira {
namespace {

class SearchMotionOf : public testing::TestWithParam<int> {
 protected:
  SearchMotionOf() {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    input_.scene =
        voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
    input_.stride = GetParam();
    voxels_ = all_voxels(level());
  }
  [[nodiscard]] const CoordSet& level() const { return input_.scene->level(input_.stride); }
  SearchMotion motion(SearchMotionKind kind) {
    Job job;
    SearchMotion made = search_motion(kind, input_, job);
    for (const SearchMoment& moment : made.moments) {
      for (const MarkedCell& cell : moment.cells) {
        if (cell.mark != SearchMark::hit && cell.mark != SearchMark::compared) continue;
        EXPECT_EQ(voxels_.at(static_cast<std::size_t>(cell.row)), cell.cell);
      }
    }
    EXPECT_EQ(voxels_.at(static_cast<std::size_t>(made.output.row)), made.output.cell);
    return made;
  }
  double fact(const std::string& name) {
    Job job;
    for (const Fact& found : traced_facts(input_, job)) {
      if (found.name == name) return found.value;
    }
    return -1;
  }

  LessonInput input_;
  std::vector<Voxel> voxels_;
};

TEST_P(SearchMotionOf, QueriesAreAllOffsetsExactlyOnce) {
  input_.voxel = voxels_.at(voxels_.size() / 3);
  const SearchMotion made = motion(SearchMotionKind::queries);
  ASSERT_EQ(made.moments.size(), 9U);
  EXPECT_EQ(made.output.cell, *input_.voxel);
  std::set<Voxel> seen;
  for (const SearchMoment& moment : made.moments) {
    for (const MarkedCell& cell : moment.cells) {
      EXPECT_TRUE(seen.insert(cell.cell).second);
      EXPECT_EQ(cell.mark == SearchMark::hit, row_of_voxel(level(), cell.cell).has_value());
    }
  }
  EXPECT_EQ(seen.size(), 27U);
}

TEST_P(SearchMotionOf, TheBracketNarrowsToTheAnswer) {
  for (const int column : {0, 13, 14, 26}) {
    input_.columns = {column};
    const SearchMotion made = motion(SearchMotionKind::bracket);
    ASSERT_GE(made.moments.size(), 3U);
    std::int64_t begin = 0, end = std::ssize(voxels_);
    for (std::size_t at = 0; at + 1 < made.moments.size(); ++at) {
      const SearchMoment& moment = made.moments[at];
      EXPECT_GE(moment.begin, begin);
      EXPECT_LE(moment.end, end);
      EXPECT_EQ(moment.comparisons, static_cast<std::int64_t>(at));
      begin = moment.begin;
      end = moment.end;
    }
    const Voxel wanted = made.moments.front().cells.at(0).cell;
    EXPECT_EQ(begin, std::lower_bound(voxels_.begin(), voxels_.end(), wanted) - voxels_.begin());
    EXPECT_EQ(made.moments.back().cells.at(0).mark == SearchMark::hit,
              std::binary_search(voxels_.begin(), voxels_.end(), wanted));
    EXPECT_EQ(std::ssize(made.moments) - 2, static_cast<std::int64_t>(fact("traced.one.halvings")));
  }
}

TEST_P(SearchMotionOf, NumbersOfComparisonsEqualTheFacts) {
  const SearchMotion made = motion(SearchMotionKind::searches);
  ASSERT_EQ(made.moments.size(), 27U);
  EXPECT_EQ(made.rows, std::ssize(voxels_));
  std::int64_t comparisons = 0;
  for (const SearchMoment& moment : made.moments) {
    comparisons += std::ssize(moment.positions);
    EXPECT_EQ(moment.comparisons, comparisons);
    for (const std::int64_t place : moment.positions)
      EXPECT_TRUE(place >= 0 && place < made.rows);
    const MarkedCell& answer = moment.cells.back();
    EXPECT_EQ(answer.mark == SearchMark::hit, row_of_voxel(level(), answer.cell).has_value());
  }
  EXPECT_EQ(comparisons, static_cast<std::int64_t>(fact("traced.bsearch.comparisons")));
}

/// Tests that the animation marks all words in the sectors that threads read, and no other words.
TEST_P(SearchMotionOf, SectorsHoldTheKeysThatThreadsReadAndTheRestOfTheSector) {
  input_.columns = {14};
  const SearchMotion made = motion(SearchMotionKind::sectors);
  ASSERT_EQ(made.moments.size(), 3U);
  const std::int64_t first = traced_row(input_) / 32 * 32, words = level().pack.word_bits() == 32 ? 8 : 4;
  const std::int64_t threads = std::min<std::int64_t>(32, std::ssize(voxels_) - first);
  EXPECT_EQ(std::ssize(made.moments[0].cells), threads);
  std::set<std::int64_t> sectors;
  for (std::int64_t output = first; output < first + threads; ++output) {
    Voxel anchor = voxels_[static_cast<std::size_t>(output)];
    anchor[2] -= input_.stride;
    const auto at = std::lower_bound(voxels_.begin(), voxels_.end(), anchor) - voxels_.begin();
    if (at < std::ssize(voxels_)) sectors.insert(at / words * words);
  }
  EXPECT_EQ(made.moments[1].positions, std::vector(sectors.begin(), sectors.end()));
  EXPECT_EQ(made.moments[1].sectors, std::ssize(sectors));
  std::set<std::int64_t> rows;
  for (const MarkedCell& cell : made.moments[1].cells) {
    EXPECT_EQ(voxels_[static_cast<std::size_t>(cell.row)], cell.cell);
    EXPECT_TRUE(sectors.contains(cell.row / words * words));
    EXPECT_TRUE(rows.insert(cell.row).second);
  }
  EXPECT_GT(made.table, 2 * made.rows - 1);
  EXPECT_TRUE(made.moments[2].in_table);
  EXPECT_LE(made.moments[2].sectors, threads);
  for (const std::int64_t place : made.moments[2].positions)
    EXPECT_EQ(place % 4, 0) << "each position must be that of a slot of 8 bytes";
}

TEST_P(SearchMotionOf, TheScanMarksTheWholeGroup) {
  input_.columns = {13};
  const SearchMotion made = motion(SearchMotionKind::scan);
  std::set<Voxel> hits, misses;
  for (const SearchMoment& moment : made.moments) {
    for (const MarkedCell& cell : moment.cells) {
      if (cell.mark == SearchMark::hit) hits.insert(cell.cell);
      if (cell.mark == SearchMark::miss) misses.insert(cell.cell);
    }
  }
  const Voxel output = made.output.cell;
  for (const int dz : {-1, 0, 1}) {
    const Voxel cell{output[0], output[1], output[2] + (dz * input_.stride)};
    EXPECT_EQ(hits.contains(cell), row_of_voxel(level(), cell).has_value());
    EXPECT_NE(hits.contains(cell), misses.contains(cell));
  }
  EXPECT_EQ(hits.size() + misses.size(), 3U);
  EXPECT_EQ(
      made.moments.back().comparisons,
      static_cast<std::int64_t>(fact("traced.one.scan_keys")) +
          made.moments.at(made.moments.size() - 2 - static_cast<std::size_t>(fact("traced.one.scan_keys")))
              .comparisons);
  EXPECT_EQ(motion(SearchMotionKind::anchors).moments.size(), 9U);
}

TEST_P(SearchMotionOf, ProbesEndAtTheVoxelOrAtAFreeSlot) {
  for (int column = 0; column < 27; ++column) {
    input_.columns = {column};
    const SearchMotion made = motion(SearchMotionKind::probes);
    const auto first = std::find_if(made.moments.begin(), made.moments.end(),
                                    [](const SearchMoment& moment) { return moment.built == 0; });
    ASSERT_NE(first, made.moments.end());
    const Voxel wanted = first->cells.at(0).cell;
    EXPECT_EQ(made.moments.back().comparisons, static_cast<std::int64_t>(fact("traced.one.probes")));
    // This query is outside the packing, so nothing is looked up.
    if (first + 1 == made.moments.end()) continue;
    EXPECT_EQ(made.moments.back().cells.at(0).mark == SearchMark::hit,
              row_of_voxel(level(), wanted).has_value());
  }
}

/// Tests that the animation builds the table before the query. Building must probe as many slots as filling a
/// separate table does.
TEST_P(SearchMotionOf, TheTableIsBuiltBeforeTheQuery) {
  input_.columns = {14};
  const SearchMotion made = motion(SearchMotionKind::probes);
  const auto slots = static_cast<std::size_t>(made.table);
  std::vector<std::int64_t> looked_at{0};
  std::map<std::size_t, std::int64_t> table;
  for (std::int64_t row = 0; row < std::ssize(voxels_); ++row) {
    std::size_t slot = ((key_at(level(), row) * 0x9E3779B97F4A7C15ULL) >> 32U) % slots;
    looked_at.push_back(looked_at.back() + 1);
    for (; table.contains(slot); slot = (slot + 1) % slots)
      ++looked_at.back();
    table[slot] = row;
  }
  std::int64_t built = 0;
  for (const SearchMoment& moment : made.moments) {
    if (moment.built == 0) break;
    EXPECT_GT(moment.built, built);
    EXPECT_EQ(moment.comparisons, looked_at.at(static_cast<std::size_t>(moment.built)));
    ASSERT_EQ(moment.positions.size(), moment.cells.size());
    for (std::size_t at = 0; at < moment.positions.size(); ++at) {
      const std::int64_t row = moment.cells[at].row;
      EXPECT_EQ(table.at(static_cast<std::size_t>(moment.positions[at])), row);
      EXPECT_TRUE(row >= built && row < moment.built) << "voxels must be inserted in row order";
    }
    built = moment.built;
  }
  EXPECT_EQ(built, std::ssize(voxels_)) << "the table must hold all voxels before the query";
  EXPECT_EQ(made.moments.front().built > 0, built > 0);
}

TEST_P(SearchMotionOf, AnIntruderNeedsAStrideAboveOne) {
  const SearchMotion made = motion(SearchMotionKind::grid);
  EXPECT_EQ(made.moments.empty(), input_.stride == 1);
  if (made.moments.empty()) return;
  const Voxel intruder = made.moments.at(1).cells.at(0).cell;
  EXPECT_NE(intruder[2] % input_.stride, 0);
  EXPECT_FALSE(row_of_voxel(level(), intruder).has_value());
  EXPECT_EQ(std::ssize(made.moments.at(2).cells), static_cast<std::int64_t>(fact("traced.broken.missed")));
}

INSTANTIATE_TEST_SUITE_P(Strides, SearchMotionOf, testing::Values(1, 2, 8), test::PrintedName{});

}  // namespace
}  // namespace spira

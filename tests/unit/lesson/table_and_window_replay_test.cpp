// Tests the counters of hash search and of sorted queries: comparisons, reads and memory sectors. The
// expected counts come from naive searches that run one thread after another.
#include "engine/backend/host_read.hpp"
#include "engine/run/replay/search_replay.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/warp_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace spira {
namespace {

struct Case {
  PackSpec pack;
  int kernel_size, stride, voxels;
};

struct Counted {
  std::int64_t comparisons = 0, sectors = 0, matches = 0;
};

class OtherReplaysOf : public testing::TestWithParam<Case> {
 protected:
  static CoordSet level_of(const Case& of) {
    const std::int64_t s = of.stride;
    return test::coord_set(of.pack, test::box_voxels({13 * s, 11 * s, 9 * s}, of.stride, of.voxels, 8),
                           of.stride);
  }
  [[nodiscard]] std::int64_t size() const { return std::ssize(voxels_); }
  [[nodiscard]] Voxel query(std::int64_t output, int column) const {
    const Voxel d = offsets_.offset(column), v = voxels_[static_cast<std::size_t>(output)];
    return {v[0] + d[0], v[1] + d[1], v[2] + d[2]};
  }
  /// Returns the packed word of a query. The word is negative if the query is before the first cell of the
  /// scene.
  [[nodiscard]] std::int64_t word(const Voxel& v) const {
    const std::int64_t rows = std::int64_t{1} << level_.pack.z_bits,
                       planes = std::int64_t{1} << level_.pack.y_bits;
    return (((v[0] * planes) + v[1]) * rows) + v[2];
  }
  [[nodiscard]] std::int64_t address(std::int64_t row) const { return row * (level_.pack.word_bits() / 8); }

  [[nodiscard]] Counted by_hash() const {
    const auto slots = static_cast<std::size_t>(replay_.slots);
    const auto home = [&](std::int64_t key) {
      return ((static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL) >> 32U) % slots;
    };
    std::map<std::size_t, std::int64_t> table;
    for (const Voxel& v : voxels_) {
      std::size_t slot = home(word(v));
      while (table.contains(slot))
        slot = (slot + 1) % slots;
      table[slot] = word(v);
    }
    const std::int64_t largest = level_.pack.word_bits() == 32 ? 0xFFFFFFFFLL : INT64_MAX;
    Counted sum;
    for (std::int64_t first = 0; first < size(); first += 32) {
      for (int column = 0; column < offsets_.columns(); ++column) {
        test::WarpReads looks, positions;
        for (std::int64_t output = first; output < std::min(size(), first + 32); ++output) {
          const std::int64_t key = word(query(output, column));
          if (key < 0 || key > largest) continue;
          auto& reads = looks.of_thread.emplace_back();
          for (std::size_t slot = home(key);; slot = (slot + 1) % slots) {
            reads.push_back(static_cast<std::int64_t>(slot) * 8);
            const auto found = table.find(slot);
            if (found == table.end()) break;
            if (found->second != key) continue;
            positions.of_thread.push_back({static_cast<std::int64_t>(slot) * 4});
            ++sum.matches;
            break;
          }
        }
        sum.comparisons += looks.count();
        sum.sectors += looks.sectors() + positions.sectors();
      }
    }
    return sum;
  }

  /// Searches with 32 threads. In each step, the threads read 32 positions, which divide the remaining range
  /// into 33 parts.
  std::int64_t together(std::int64_t wanted, Counted& sum) const {
    std::int64_t begin = 0, end = size();
    while (begin < end) {
      const auto part = static_cast<std::int64_t>(std::ceil(static_cast<double>(end - begin) / 33.0));
      test::WarpReads reads;
      std::int64_t next_begin = begin, next_end = end;
      for (std::int64_t place = begin + part - 1, thread = 0; thread < 32 && place < end;
           place += part, ++thread) {
        reads.of_thread.push_back({address(place)});
        if (word(voxels_[static_cast<std::size_t>(place)]) < wanted) {
          next_begin = place + 1;
        } else {
          next_end = std::min(next_end, place);
        }
      }
      sum.comparisons += reads.count();
      sum.sectors += reads.sectors();
      begin = next_begin;
      end = next_end;
    }
    return begin;
  }
  [[nodiscard]] Counted by_windows() const {
    Counted sum;
    for (std::int64_t first = 0; first < size(); first += replayed_outputs) {
      const std::int64_t last = std::min(size(), first + replayed_outputs) - 1;
      for (int column = 0; column < offsets_.columns(); ++column)
        search_window(first, last, column, sum);
    }
    return sum;
  }
  void search_window(std::int64_t first, std::int64_t last, int column, Counted& sum) const {
    const std::int64_t highest = word(query(last, column));
    const std::int64_t begin = together(word(query(first, column)), sum);
    std::int64_t end = together(highest, sum);
    // Check whether the last query itself is an input.
    if (end < size()) {
      ++sum.comparisons;
      ++sum.sectors;
      end += word(voxels_[static_cast<std::size_t>(end)]) == highest ? 1 : 0;
    }
    for (std::int64_t warp = first; warp <= last; warp += 32) {
      test::WarpReads searching, matching;
      for (std::int64_t output = warp; output <= std::min(last, warp + 31); ++output) {
        const std::int64_t wanted = word(query(output, column));
        auto& reads = searching.of_thread.emplace_back();
        std::int64_t low = begin, high = end;
        while (low < high) {
          const std::int64_t middle = low + ((high - low) / 2);
          reads.push_back(address(middle));
          (word(voxels_[static_cast<std::size_t>(middle)]) < wanted ? low = middle + 1 : high = middle);
        }
        if (low >= end) continue;
        matching.of_thread.push_back({address(low)});
        sum.matches += word(voxels_[static_cast<std::size_t>(low)]) == wanted ? 1 : 0;
      }
      sum.comparisons += searching.count() + matching.count();
      sum.sectors += searching.sectors() + matching.sectors();
    }
  }
  void expect(MapAlgorithm algorithm, const Counted& counted) const {
    const double queries = static_cast<double>(size()) * offsets_.columns();
    const MethodReplay& method = replay_.of(algorithm);
    EXPECT_NEAR(method.comparisons.value * queries, static_cast<double>(counted.comparisons), 1e-6 * queries);
    EXPECT_NEAR(method.sectors.value * queries, static_cast<double>(counted.sectors), 1e-6 * queries);
    EXPECT_EQ(method.matches, counted.matches);
  }

  CoordSet level_ = level_of(GetParam());
  std::vector<Voxel> voxels_ = all_voxels(level_);
  KernelOffsets offsets_{GetParam().kernel_size, GetParam().stride};
  Job job_;
  SearchReplay replay_ = replay_search(level_, level_, offsets_, {std::int64_t{1} << 40, 1}, job_);
};

TEST_P(OtherReplaysOf, HashedQueriesReadTheirSlotsAndThePositionsOfMatches) {
  expect(MapAlgorithm::hash, by_hash());
}

TEST_P(OtherReplaysOf, SortedQueriesReadTheirWindow) {
  expect(MapAlgorithm::sorted_query, by_windows());
}

INSTANTIATE_TEST_SUITE_P(
    Levels, OtherReplaysOf,
    testing::Values(Case{PackSpec::bits32(), 3, 1, 700}, Case{PackSpec::bits32(), 5, 2, 300},
                    Case{PackSpec::bits64(), 3, 4, 900}, Case{PackSpec::bits32(), 2, 1, 257},
                    Case{PackSpec::bits32(), 3, 1, 1}),
    [](const auto& of) {
      return "K" + std::to_string(of.param.kernel_size) + "n" + std::to_string(of.param.voxels);
    });

}  // namespace
}  // namespace spira

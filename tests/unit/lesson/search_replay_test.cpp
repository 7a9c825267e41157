// Tests replay_search(), which counts the comparisons and reads of the searches. The expected counts come
// from naive searches that run one query after another.
#include "engine/run/replay/search_replay.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "engine/run/replay/hash_slots.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/warp_reads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace spira {
namespace {

const ReplaySample everything{std::int64_t{1} << 40, 1};

using Reads = test::WarpReads;

struct Counted {
  std::int64_t comparisons = 0, sectors = 0, matches = 0;
};

/// Searches the sorted voxels of a level instead of their packed keys.
class Naive {
 public:
  Naive(const CoordSet& level, int kernel_size)
      : level_(level), voxels_(all_voxels(level)), offsets_(kernel_size, level.stride) {
    for (std::size_t row = 0; row < voxels_.size(); ++row)
      row_of_[voxels_[row]] = static_cast<std::int64_t>(row);
  }

  [[nodiscard]] std::size_t queries() const {
    return voxels_.size() * static_cast<std::size_t>(offsets_.columns());
  }
  [[nodiscard]] Voxel query(std::size_t output, int column) const {
    const Voxel d = offsets_.offset(column), v = voxels_[output];
    return {v[0] + d[0], v[1] + d[1], v[2] + d[2]};
  }
  /// Runs std::lower_bound. Appends the address of each voxel that is compared to `reads`.
  std::size_t first_not_below(const Voxel& wanted, std::vector<std::int64_t>& reads) const {
    const auto found =
        std::lower_bound(voxels_.begin(), voxels_.end(), wanted, [&](const Voxel& v, const Voxel& w) {
          reads.push_back(address(static_cast<std::size_t>(&v - voxels_.data())));
          return v < w;
        });
    return static_cast<std::size_t>(found - voxels_.begin());
  }

  [[nodiscard]] Counted binary_search() const {
    Counted sum;
    for_warps([&](std::size_t first, std::size_t last) {
      for (int column = 0; column < offsets_.columns(); ++column) {
        Reads searching, matching;
        for (std::size_t output = first; output < last; ++output) {
          auto& reads = searching.of_thread.emplace_back();
          const Voxel wanted = query(output, column);
          const std::size_t at = first_not_below(wanted, reads);
          sum.comparisons += std::ssize(reads);
          sum.matches += row_of_.contains(wanted) ? 1 : 0;
          if (at == voxels_.size()) continue;
          matching.of_thread.push_back({address(at)});
          ++sum.comparisons;
        }
        sum.sectors += searching.sectors() + matching.sectors();
      }
    });
    return sum;
  }

  [[nodiscard]] Counted z_delta(std::map<std::size_t, std::int64_t>& scan_lengths) const {
    const int k = offsets_.z_cells();
    Counted sum;
    for_warps([&](std::size_t first, std::size_t last) {
      for (int group = 0; group < offsets_.z_groups(); ++group) {
        Reads searching, scanning;
        for (std::size_t output = first; output < last; ++output) {
          auto& reads = searching.of_thread.emplace_back();
          auto& scanned = scanning.of_thread.emplace_back();
          const Voxel anchor = query(output, group * k), end = query(output, (group * k) + k - 1);
          std::size_t at = first_not_below(anchor, reads);
          for (int read = 0; read < k && at < voxels_.size(); ++read, ++at) {
            scanned.push_back(address(at));
            if (voxels_[at] > end) break;
          }
          for (int iz = 0; iz < k; ++iz)
            sum.matches += row_of_.contains(query(output, (group * k) + iz)) ? 1 : 0;
          sum.comparisons += std::ssize(reads) + std::ssize(scanned);
          ++scan_lengths[scanned.size()];
        }
        sum.sectors += searching.sectors() + scanning.sectors();
      }
    });
    return sum;
  }

  /// Counts the reads of a thread that scans forward through the outputs of a block, one z-group after
  /// another.
  [[nodiscard]] Counted walk() const {
    const int k = offsets_.z_cells();
    Counted sum;
    for (std::size_t first = 0; first < voxels_.size(); first += replayed_outputs) {
      std::vector<std::int64_t> reads;
      for (int group = 0; group < offsets_.z_groups(); ++group) {
        std::size_t at = first_not_below(query(first, group * k), reads);
        for (std::size_t output = first; output < std::min(voxels_.size(), first + replayed_outputs);
             ++output) {
          while (at < voxels_.size() &&
                 (reads.push_back(address(at)), voxels_[at] < query(output, group * k)))
            ++at;
          for (std::size_t next = at; next < voxels_.size(); ++next) {
            reads.push_back(address(next));
            if (voxels_[next] > query(output, (group * k) + k - 1)) break;
          }
        }
      }
      sum.comparisons += std::ssize(reads);
      for (std::size_t read = 0; read < reads.size(); ++read)
        sum.sectors += read == 0 || reads[read] / 32 != reads[read - 1] / 32 ? 1 : 0;
    }
    return sum;
  }

 private:
  [[nodiscard]] std::int64_t address(std::size_t row) const {
    return static_cast<std::int64_t>(row) * (level_.pack.word_bits() / 8);
  }
  void for_warps(const std::function<void(std::size_t, std::size_t)>& visit) const {
    // A block of the sample has 256 outputs, which is a multiple of the number of threads in a warp.
    for (std::size_t first = 0; first < voxels_.size(); first += 32)
      visit(first, std::min(voxels_.size(), first + 32));
  }

  const CoordSet& level_;
  std::vector<Voxel> voxels_;
  KernelOffsets offsets_;
  std::map<Voxel, std::int64_t> row_of_;
};

struct Case {
  PackSpec pack;
  int kernel_size, stride, voxels;
};

class SearchReplayOf : public testing::TestWithParam<Case> {
 protected:
  /// A dense level in which z-groups have many matches. It has voxels at the faces and inside the box.
  CoordSet level_ = test::coord_set(
      GetParam().pack,
      test::box_voxels({std::int64_t{12} * GetParam().stride, std::int64_t{10} * GetParam().stride,
                        std::int64_t{9} * GetParam().stride},
                       GetParam().stride, GetParam().voxels, 3),
      GetParam().stride);
  KernelOffsets offsets_{GetParam().kernel_size, GetParam().stride};
  Naive naive_{level_, GetParam().kernel_size};
  Job job_;
  SearchReplay replay_ = replay_search(level_, level_, offsets_, everything, job_);

  void expect(MapAlgorithm algorithm, const Counted& counted) {
    const auto queries = static_cast<double>(naive_.queries());
    const MethodReplay& method = replay_.of(algorithm);
    EXPECT_NEAR(method.comparisons.value * queries, static_cast<double>(counted.comparisons), 1e-6 * queries);
    EXPECT_NEAR(method.sectors.value * queries, static_cast<double>(counted.sectors), 1e-6 * queries);
    EXPECT_EQ(method.matches, counted.matches);
    EXPECT_EQ(method.comparisons.error, 0) << "a complete replay must have no error";
  }
};

TEST_P(SearchReplayOf, BinarySearchesCompareAndReadAsTheLibrarysOwn) {
  expect(MapAlgorithm::binary_search, naive_.binary_search());
  EXPECT_EQ(replay_.of(MapAlgorithm::binary_search).searches,
            std::ssize(all_voxels(level_)) * offsets_.columns());
}

TEST_P(SearchReplayOf, ZDeltaSearchesOncePerGroupAndScansAtMostKKeys) {
  std::map<std::size_t, std::int64_t> lengths;
  expect(MapAlgorithm::z_delta, naive_.z_delta(lengths));
  const auto groups = static_cast<double>(replay_.outputs * offsets_.z_groups());
  EXPECT_EQ(replay_.of(MapAlgorithm::z_delta).searches, static_cast<std::int64_t>(groups));
  ASSERT_EQ(std::ssize(replay_.scan_lengths), offsets_.z_cells() + 1);
  double keys = 0;
  for (std::size_t length = 0; length < replay_.scan_lengths.size(); ++length) {
    EXPECT_NEAR(replay_.scan_lengths[length].value * groups, static_cast<double>(lengths[length]),
                1e-6 * groups);
    keys += static_cast<double>(length) * static_cast<double>(lengths[length]);
  }
  EXPECT_NEAR(replay_.scan_mean.value, keys / groups, 1e-9);
}

TEST_P(SearchReplayOf, TheMapIsThatOfTheKernels) {
  const auto backend = app::make_registry().make("reference");
  const auto offsets = std::make_shared<const KernelOffsets>(offsets_);
  const MapRequest request{
      offsets, MapAlgorithm::z_delta, {{MapLayout::output_major, test::all_columns(*offsets)}}, false};
  test::Pairs replayed;
  const auto keep = [&](std::int64_t output, int column, std::int64_t input) {
    replayed.emplace(static_cast<int>(output), column, static_cast<int>(input));
  };
  static_cast<void>(replay_search(level_, level_, offsets_, everything, job_, keep));
  EXPECT_EQ(replayed, test::pairs_of(backend->build_map(level_, level_, request, job_)));
}

TEST_P(SearchReplayOf, AllMethodsFindTheSame) {
  for (const MethodReplay& method : replay_.methods)
    EXPECT_EQ(method.matches, replay_.methods[0].matches);
}

TEST_P(SearchReplayOf, HashProbesAreThoseOfATableFilledByHand) {
  const auto slots = static_cast<std::size_t>(replay_.slots);
  EXPECT_GE(slots, 2 * all_voxels(level_).size());
  const auto home = [&](std::uint64_t key) { return ((key * 0x9E3779B97F4A7C15ULL) >> 32U) % slots; };
  std::map<std::size_t, std::uint64_t> table, backwards;
  const auto insert = [&](std::map<std::size_t, std::uint64_t>& into, std::int64_t row) {
    std::size_t slot = home(key_at(level_, row));
    std::int64_t probes = 1;
    for (; into.contains(slot); ++probes)
      slot = (slot + 1) % slots;
    into[slot] = key_at(level_, row);
    return probes;
  };
  std::int64_t build = 0, build_backwards = 0;
  for (std::int64_t row = 0; row < size_of(level_); ++row) {
    build += insert(table, row);
    build_backwards += insert(backwards, size_of(level_) - 1 - row);
  }
  EXPECT_EQ(replay_.build_probes, build);
  EXPECT_EQ(replay_.build_probes, build_backwards)
      << "the number of probes must not depend on the order of insertion";
  const std::uint64_t largest = level_.pack.word_bits() == 32 ? 0xFFFFFFFFULL : ~0ULL >> 1U;
  std::int64_t probes = 0;
  for (std::int64_t row = 0; row < size_of(level_); ++row) {
    for (int column = 0; column < offsets_.columns(); ++column) {
      const Voxel d = offsets_.offset(column);
      std::int64_t key = static_cast<std::int64_t>(key_at(level_, row)) + d[2];
      key +=
          (std::int64_t{1} << level_.pack.z_bits) * (d[1] + (std::int64_t{1} << level_.pack.y_bits) * d[0]);
      if (key < 0 || static_cast<std::uint64_t>(key) > largest) continue;
      std::size_t slot = home(static_cast<std::uint64_t>(key));
      for (++probes; table.contains(slot) && table[slot] != static_cast<std::uint64_t>(key); ++probes)
        slot = (slot + 1) % slots;
    }
  }
  const auto queries = static_cast<double>(naive_.queries());
  EXPECT_NEAR(replay_.of(MapAlgorithm::hash).comparisons.value * queries, static_cast<double>(probes),
              1e-6 * queries);
}

TEST_P(SearchReplayOf, SortedQueriesSearchWindowsAndWalksAreShort) {
  const auto& bsearch = replay_.of(MapAlgorithm::binary_search);
  const auto& sorted = replay_.of(MapAlgorithm::sorted_query);
  // A window is at most as long as the inputs. The two searches of a block for the ends of the window need a
  // limited number of comparisons per step.
  const double windows = 2.0 * 33 *
                         std::ceil(std::log(static_cast<double>(replay_.inputs) + 1) / std::log(33.0) + 1) /
                         static_cast<double>(std::min<std::int64_t>(replay_.outputs, replayed_outputs));
  EXPECT_LE(sorted.comparisons.value, bsearch.comparisons.value + windows);
  EXPECT_GT(sorted.comparisons.value, 1.0);
  EXPECT_LT(replay_.walk_comparisons.value, replay_.of(MapAlgorithm::z_delta).comparisons.value);
}

TEST_P(SearchReplayOf, TheWalkComparesAndReadsAsOneThreadByHand) {
  const Counted counted = naive_.walk();
  const auto queries = static_cast<double>(naive_.queries());
  EXPECT_NEAR(replay_.walk_comparisons.value * queries, static_cast<double>(counted.comparisons),
              1e-6 * queries);
  EXPECT_NEAR(replay_.walk_sectors.value * queries, static_cast<double>(counted.sectors), 1e-6 * queries);
  EXPECT_LE(replay_.walk_sectors.value, replay_.walk_comparisons.value);
}

INSTANTIATE_TEST_SUITE_P(
    Levels, SearchReplayOf,
    testing::Values(Case{PackSpec::bits32(), 3, 1, 700}, Case{PackSpec::bits32(), 5, 2, 300},
                    Case{PackSpec::bits64(), 3, 4, 500}, Case{PackSpec::bits32(), 2, 1, 200},
                    Case{PackSpec::bits32(), 7, 1, 90}, Case{PackSpec::bits32(), 1, 1, 40},
                    Case{PackSpec::bits32(), 3, 1, 0}),
    [](const auto& of) {
      return "K" + std::to_string(of.param.kernel_size) + "s" + std::to_string(of.param.stride) + "n" +
             std::to_string(of.param.voxels);
    });

TEST(SearchReplay, OneVoxelAndNoNeighboursAreNoSpecialCase) {
  Job job;
  const CoordSet one = test::coord_set(PackSpec::bits32(), {{5, 5, 5}});
  const SearchReplay replay = replay_search(one, one, KernelOffsets(3, 1), {}, job);
  EXPECT_EQ(replay.of(MapAlgorithm::z_delta).matches, 1);
  EXPECT_TRUE(replay.exact());
  const CoordSet none = test::coord_set(PackSpec::bits32(), {});
  EXPECT_EQ(replay_search(none, none, KernelOffsets(3, 1), {}, job).queries, 0);
}

TEST(SearchReplay, StridedLayersAreReplayedToo) {
  Job job;
  const CoordSet in = test::coord_set(PackSpec::bits32(), test::box_voxels({16, 16, 16}, 1, 300, 5));
  std::vector<Voxel> coarse;
  for (const Voxel& v : all_voxels(in))
    coarse.push_back({v[0] / 2 * 2, v[1] / 2 * 2, v[2] / 2 * 2});
  const CoordSet out = test::coord_set(PackSpec::bits32(), coarse, 2);
  const SearchReplay replay = replay_search(in, out, KernelOffsets(2, 1), everything, job);
  EXPECT_EQ(replay.of(MapAlgorithm::hash).matches, size_of(in))
      << "each input must match exactly one output of stride 2";
  for (const MethodReplay& method : replay.methods)
    EXPECT_EQ(method.matches, size_of(in));
}

TEST(SearchReplay, ASampleHasAConfidenceInterval) {
  Job job;
  const CoordSet level = test::coord_set(PackSpec::bits32(), test::box_voxels({120, 120, 60}, 1, 30'000, 9));
  const KernelOffsets offsets(3, 1);
  const SearchReplay whole = replay_search(level, level, offsets, everything, job);
  ASSERT_TRUE(whole.exact());
  int within = 0, samples = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const SearchReplay some = replay_search(level, level, offsets, {200'000, seed}, job);
    EXPECT_LT(some.sampled_queries, whole.queries);
    for (const auto algorithm : {MapAlgorithm::z_delta, MapAlgorithm::binary_search}) {
      const SampledMean& guess = some.of(algorithm).sectors;
      EXPECT_GT(guess.error, 0);
      EXPECT_LT(guess.error, 0.1 * guess.value);
      ++samples;
      within += std::abs(guess.value - whole.of(algorithm).sectors.value) <= guess.error ? 1 : 0;
    }
  }
  EXPECT_GE(within, samples * 8 / 10) << "most values must lie inside their 95 % intervals";
}

TEST(SearchReplay, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  const CoordSet level = test::coord_set(PackSpec::bits32(), {{1, 1, 1}});
  EXPECT_THROW(static_cast<void>(replay_search(level, level, KernelOffsets(3, 1), {}, job)), Error);
}

TEST(ShuffledLevel, HasAsManyVoxelsElsewhereOnItsGridAndInItsBox) {
  Job job;
  // These numbers of voxels test both methods of drawing voxels: one by one, and in one pass over all cells.
  for (const int count : {3, 200, 3000}) {
    const CoordSet level =
        test::coord_set(PackSpec::bits32(), test::box_voxels({40, 24, 16}, 4, count, 2), 4);
    const CoordSet shuffled = shuffled_level(level, 1, job);
    const auto before = all_voxels(level), after = all_voxels(shuffled);
    ASSERT_EQ(after.size(), before.size());
    EXPECT_TRUE(std::is_sorted(after.begin(), after.end()));
    EXPECT_EQ(std::set<Voxel>(after.begin(), after.end()).size(), after.size());
    for (const Voxel& v : after) {
      EXPECT_TRUE(v[0] % 4 == 0 && v[1] % 4 == 0 && v[2] % 4 == 0);
      EXPECT_TRUE(v[0] < 40 && v[1] < 24 && v[2] < 16 && v[0] >= 0 && v[1] >= 0 && v[2] >= 0);
    }
    EXPECT_EQ(all_voxels(shuffled_level(level, 1, job)), after);
    // If there are only three voxels, nearly all of them are corners of the box, so both results can be
    // equal.
    if (count == 3) continue;
    EXPECT_NE(all_voxels(shuffled_level(level, 2, job)), after);
  }
}

TEST(ShuffledLevel, LosesTheNeighboursOfARoom) {
  Job job;
  test::SmallSession some;
  some.load(test::small_room(20'000));
  const CoordSet& level = some.session.scene()->level(1);
  const CoordSet shuffled = shuffled_level(level, 1, job);
  const KernelOffsets offsets(3, 1);
  const double room = static_cast<double>(replay_search(level, level, offsets, {}, job).methods[0].matches);
  const double noise =
      static_cast<double>(replay_search(shuffled, shuffled, offsets, {}, job).methods[0].matches);
  EXPECT_GT(room, 2 * noise);
}

}  // namespace
}  // namespace spira

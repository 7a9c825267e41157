// Tests count_searches(), which counts the comparisons and reads of all map searches of a network. The
// expected counts come from naive searches that run one query after another. Also tests that a report stores
// the counters.
#include "engine/run/replay/search_counters.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/validate.hpp"
#include "engine/run/replay/search_replay.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/warp_reads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace spira {
namespace {

using test::WarpReads;

constexpr std::int64_t all_queries = std::int64_t{1} << 40;

struct Sum {
  std::int64_t queries = 0, binary = 0, z_delta = 0, hash = 0, binary_sectors = 0, z_delta_sectors = 0;
};

/// Contains the voxels of two levels, and a hash table that stores voxels instead of keys.
class Naive {
 public:
  Naive(const CoordSet& in, const CoordSet& out, const MapKey& key)
      : inputs_(all_voxels(in)),
        outputs_(all_voxels(out)),
        offsets_(key.kernel, key.stride_in),
        pack_(in.pack) {
    while (slots_ < inputs_.size() * 2)
      slots_ *= 2;
    for (const Voxel& voxel : inputs_) {
      std::size_t slot = home(voxel);
      while (table_.contains(slot))
        slot = (slot + 1) % slots_;
      table_[slot] = voxel;
    }
  }

  void add_to(Sum& sum) const {
    for (std::size_t first = 0; first < outputs_.size(); first += 32) {
      const std::size_t last = std::min(outputs_.size(), first + 32);
      for (int column = 0; column < offsets_.columns(); ++column)
        add_column(first, last, column, sum);
      for (int group = 0; group < offsets_.z_groups(); ++group)
        add_group(first, last, group, sum);
    }
  }

 private:
  [[nodiscard]] Voxel query(std::size_t output, int column) const {
    const Voxel d = offsets_.offset(column), v = outputs_[output];
    return {v[0] + d[0], v[1] + d[1], v[2] + d[2]};
  }
  /// Returns the packed word of a voxel. For a cell outside the scene, the word is smaller or larger than all
  /// words of the scene.
  [[nodiscard]] std::int64_t word(const Voxel& v) const {
    return (((v[0] * (std::int64_t{1} << pack_.y_bits)) + v[1]) * (std::int64_t{1} << pack_.z_bits)) + v[2];
  }
  [[nodiscard]] std::size_t home(const Voxel& v) const {
    return ((static_cast<std::uint64_t>(word(v)) * 0x9E3779B97F4A7C15ULL) >> 32U) % slots_;
  }
  std::size_t first_not_below(const Voxel& wanted, std::vector<std::int64_t>& reads) const {
    const auto found =
        std::lower_bound(inputs_.begin(), inputs_.end(), word(wanted), [&](const Voxel& v, std::int64_t w) {
          reads.push_back(4 * (&v - inputs_.data()));
          return word(v) < w;
        });
    return static_cast<std::size_t>(found - inputs_.begin());
  }
  void add_column(std::size_t first, std::size_t last, int column, Sum& sum) const {
    WarpReads searching, matching;
    for (std::size_t output = first; output < last; ++output) {
      const Voxel wanted = query(output, column);
      const std::size_t at = first_not_below(wanted, searching.of_thread.emplace_back());
      if (at < inputs_.size()) matching.of_thread.push_back({4 * static_cast<std::int64_t>(at)});
      ++sum.queries;
      if (word(wanted) < 0) continue;
      std::size_t slot = home(wanted);
      for (++sum.hash; table_.contains(slot) && word(table_.at(slot)) != word(wanted); ++sum.hash)
        slot = (slot + 1) % slots_;
    }
    sum.binary += searching.count() + matching.count();
    sum.binary_sectors += searching.sectors() + matching.sectors();
  }
  void add_group(std::size_t first, std::size_t last, int group, Sum& sum) const {
    const int k = offsets_.z_cells();
    WarpReads searching, scanning;
    for (std::size_t output = first; output < last; ++output) {
      std::size_t at = first_not_below(query(output, group * k), searching.of_thread.emplace_back());
      auto& scanned = scanning.of_thread.emplace_back();
      for (int read = 0; read < k && at < inputs_.size(); ++read, ++at) {
        scanned.push_back(4 * static_cast<std::int64_t>(at));
        if (word(inputs_[at]) > word(query(output, (group * k) + k - 1))) break;
      }
    }
    sum.z_delta += searching.count() + scanning.count();
    sum.z_delta_sectors += searching.sectors() + scanning.sectors();
  }

  std::vector<Voxel> inputs_, outputs_;
  KernelOffsets offsets_;
  PackSpec pack_;
  std::size_t slots_ = 16;
  std::map<std::size_t, Voxel> table_;
};

const SampledMean& of(const std::array<SampledMean, 4>& means, MapAlgorithm algorithm) {
  return means.at(static_cast<std::size_t>(algorithm));
}

TEST(SearchCounters, EqualTheSumOfTheSearchesOfEachMap) {
  test::SmallSession some;
  some.load();
  const VoxelScene& scene = *some.session.scene();
  Job job;
  const SearchCounters counters = count_searches(scene, *some.network, job, all_queries);
  const Levels& levels = some.session.levels();
  ASSERT_EQ(counters.maps.size(), levels.maps.size());
  Sum sum;
  for (std::size_t at = 0; at < levels.maps.size(); ++at) {
    const MapKey& key = levels.maps[at];
    EXPECT_EQ(counters.maps[at].key, key);
    Sum one;
    const Naive naive(scene.level(key.stride_in), scene.level(key.stride_out), key);
    naive.add_to(one);
    naive.add_to(sum);
    EXPECT_EQ(counters.maps[at].counted.queries, one.queries);
    EXPECT_NEAR(of(counters.maps[at].counted.comparisons, MapAlgorithm::z_delta).value *
                    static_cast<double>(one.queries),
                static_cast<double>(one.z_delta), 1e-3);
  }
  const CountedSearches whole = counters.whole();
  const auto queries = static_cast<double>(sum.queries);
  EXPECT_EQ(whole.queries, sum.queries);
  EXPECT_EQ(whole.sampled_queries, sum.queries);
  const auto expect = [&](const SampledMean& mean, std::int64_t counted, const char* what) {
    EXPECT_NEAR(mean.value * queries, static_cast<double>(counted), 1e-3) << what;
    EXPECT_EQ(mean.error, 0) << what << ": a complete replay must have no error";
  };
  expect(of(whole.comparisons, MapAlgorithm::z_delta), sum.z_delta, "z-delta");
  expect(of(whole.comparisons, MapAlgorithm::binary_search), sum.binary, "binary");
  expect(of(whole.comparisons, MapAlgorithm::hash), sum.hash, "hash");
  expect(of(whole.sectors, MapAlgorithm::z_delta), sum.z_delta_sectors, "sectors of z-delta");
  expect(of(whole.sectors, MapAlgorithm::binary_search), sum.binary_sectors, "sectors of binary");
}

TEST(SearchCounters, OfASampleAreNearThoseOfAllQueries) {
  Job job;
  const auto backend = app::make_registry().make("cpu");
  const auto cloud = generate_scene("street", 40'000, 1, job);
  const auto scene = voxelize_scene(*backend, cloud, test::small_grid, PackSpec::bits64(), {3, 2}, job);
  const Network network =
      parse_network(R"({"name": "one", "layers": [{"name": "a", "out_channels": 8}]})", "n");
  const CountedSearches all = count_searches(*scene, network, job, all_queries).whole();
  const CountedSearches some = count_searches(*scene, network, job, 1).whole();
  EXPECT_EQ(some.queries, all.queries);
  EXPECT_LT(some.sampled_queries, all.queries / 2);
  EXPECT_GE(some.sampled_queries, 29 * replayed_outputs * 27)
      << "30 blocks must be sampled, of which the last may be incomplete";
  // The tolerance is large, because eight 95 % intervals are tested and the counts of sorted queries are
  // skewed.
  constexpr double widths = 4;
  for (std::size_t method = 0; method < all.comparisons.size(); ++method) {
    EXPECT_GT(some.comparisons.at(method).error, 0);
    EXPECT_NEAR(some.comparisons.at(method).value, all.comparisons.at(method).value,
                widths * some.comparisons.at(method).error);
    EXPECT_NEAR(some.sectors.at(method).value, all.sectors.at(method).value,
                widths * some.sectors.at(method).error);
  }
}

TEST(SearchCounters, MapsAreWeightedByTheirQueries) {
  SearchCounters counters;
  CountedMap one, three;
  one.counted.queries = one.counted.sampled_queries = 100;
  three.counted.queries = 300;
  three.counted.sampled_queries = 30;
  one.counted.comparisons[0] = {8, 0};
  three.counted.comparisons[0] = {4, 0.4};
  counters.maps = {one, three};
  const CountedSearches whole = counters.whole();
  EXPECT_EQ(whole.queries, 400);
  EXPECT_EQ(whole.sampled_queries, 130);
  EXPECT_DOUBLE_EQ(whole.comparisons[0].value, 5);
  EXPECT_DOUBLE_EQ(whole.comparisons[0].error, 0.3);
  EXPECT_EQ(SearchCounters{}.whole().queries, 0);
}

TEST(SearchCounters, AreRestoredAndAreNotPartOfAMeasurement) {
  test::SmallSession some;
  some.load();
  Job job;
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  Report report = make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"});
  EXPECT_FALSE(report.measurement.searches) << "a timed run must not count its searches";
  EXPECT_EQ(report_json(report).find("\"counters\""), std::string::npos);
  report.measurement.searches = count_searches(*some.session.scene(), *some.network, job, 1);
  const std::string json = report_json(report);
  EXPECT_EQ(parse_report(json, "r").measurement.searches, report.measurement.searches);
  EXPECT_THAT(validate_document(json, "r").faults, testing::IsEmpty());
  EXPECT_THAT(json, testing::HasSubstr("instrumented_replay"));
  EXPECT_THAT(report_markdown(report), testing::HasSubstr("## Searches"));
}

TEST(SearchCounters, OfLevelsWithAnotherRuleAreRestored) {
  test::SmallSession some(test::reached_network());
  some.load();
  Job job;
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  Report report = make_report(some.session, *some.session.measure(some.plan, how, job), {"spira", "run"});
  report.measurement.searches = count_searches(*some.session.scene(), *some.network, job, 1);
  const std::string json = report_json(report);
  EXPECT_EQ(parse_report(json, "r").measurement.searches, report.measurement.searches);
  EXPECT_THAT(validate_document(json, "r").faults, testing::IsEmpty());
  EXPECT_THAT(json, testing::HasSubstr("\"out_level\": \"2 (reached #2)\""));
}

TEST(SearchCounters, CanBeCancelled) {
  test::SmallSession some;
  some.load();
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  EXPECT_THROW(static_cast<void>(count_searches(*some.session.scene(), *some.network, job)), Error);
}

}  // namespace
}  // namespace spira

#include "engine/base/hash_and_random.hpp"
#include "engine/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace spira {
namespace {

MedianInterval ranks_of(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  return median_interval(samples).value_or(MedianInterval{});
}

TEST(MedianInterval, HasTheRanksOfTheSignTest) {
  // The expected ranks are from tables of the two-sided sign test at 5 %.
  for (const auto& [n, low] :
       {std::pair(6, 1), {8, 1}, {9, 2}, {12, 3}, {20, 6}, {25, 8}, {50, 18}, {100, 40}}) {
    EXPECT_EQ(ranks_of(n).low, low) << n;
    EXPECT_EQ(ranks_of(n).high, n + 1 - low) << n;
  }
}

TEST(MedianInterval, IsUndefinedForFiveSamples) {
  EXPECT_FALSE(median_interval(std::vector<double>{}));
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(median_interval(std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(MedianInterval, CoversTheMedianOfASkewedSourceAtItsConfidence) {
  Random random(7);
  constexpr int rounds = 2000;
  int held = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> samples;
    for (int at = 0; at < 31; ++at) {
      const double even = random.uniform();
      // The true median of this distribution is 1/8.
      samples.push_back(even * even * even);
    }
    const auto interval = median_interval(samples).value();
    held += interval.low <= 0.125 && 0.125 <= interval.high ? 1 : 0;
  }
  EXPECT_GT(held, rounds * 94 / 100);
}

TEST(MedianInterval, NarrowsWithTenThousandSamples) {
  const MedianInterval ranks = ranks_of(10'000);
  // The expected rank is n / 2 - 1.96 sqrt(n) / 2.
  EXPECT_NEAR(ranks.low, 4902, 2);
  EXPECT_EQ(ranks.high, 10'001 - ranks.low);
}

}  // namespace
}  // namespace spira

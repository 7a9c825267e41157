#include "engine/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace spira {
namespace {

std::vector<double> of_first(int count) {
  std::vector<double> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), 0.0);
  return samples;
}

TEST(Percentiles, AreDefinedIfASampleLiesBeyondThem) {
  const auto known = [](int count) {
    int there = 0;
    for (const Percentile& one : percentiles(of_first(count)))
      there += one.ms ? 1 : 0;
    return there;
  };
  EXPECT_EQ(known(0), 0);
  EXPECT_EQ(known(9), 0);
  EXPECT_EQ(known(10), 1);
  EXPECT_EQ(known(19), 1);
  EXPECT_EQ(known(20), 2);
  EXPECT_EQ(known(99), 2);
  EXPECT_EQ(known(100), 3);
}

TEST(Percentiles, AreTheValuesBelowWhichTheirShareLies) {
  const auto all = percentiles(of_first(101));
  EXPECT_DOUBLE_EQ(all[0].ms.value(), 90);
  EXPECT_DOUBLE_EQ(all[1].ms.value(), 95);
  EXPECT_DOUBLE_EQ(all[2].ms.value(), 99);
}

TEST(Percentiles, NameTheSamplesThatMissingPercentilesNeed) {
  EXPECT_EQ(missing_percentiles_text(of_first(5)), "p90 needs 10 samples, p95 20, p99 100");
  EXPECT_EQ(missing_percentiles_text(of_first(30)), "p99 needs 100 samples");
  EXPECT_EQ(missing_percentiles_text(of_first(100)), "");
}

}  // namespace
}  // namespace spira

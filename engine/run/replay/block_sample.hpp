// Estimates a mean per query and its 95 % interval from a random sample of blocks.
#pragma once

#include "engine/base/hash_and_random.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace spira {

/// Returns `wanted` random block numbers from 0 to `blocks` - 1, in ascending order. Every selection is
/// equally likely. If `wanted` is larger than `blocks`, returns all block numbers.
[[nodiscard]] inline std::vector<std::int64_t> choose_blocks(std::int64_t blocks, std::int64_t wanted,
                                                             std::uint64_t seed) {
  std::vector<std::int64_t> chosen;
  Random random(seed);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const double still_wanted = static_cast<double>(wanted) - static_cast<double>(chosen.size());
    if (random.uniform() * static_cast<double>(blocks - block) < still_wanted) chosen.push_back(block);
  }
  return chosen;
}

/// Estimates the mean count per query: the sum of the counts divided by the sum of the queries. The error
/// assumes a random sample of whole blocks without replacement.
class BlockMean {
 public:
  void add(double counted, double queries) {
    counted_.push_back(counted);
    queries_.push_back(queries);
  }
  [[nodiscard]] double value() const {
    const double queries = sum(queries_);
    return queries > 0 ? sum(counted_) / queries : 0;
  }
  /// Returns half the width of the 95 % interval if there are `blocks` blocks in total. Returns 0 if all
  /// blocks, or fewer than two, were added.
  [[nodiscard]] double error(std::int64_t blocks) const {
    const auto n = static_cast<double>(queries_.size());
    if (n >= static_cast<double>(blocks) || n < 2) return 0;
    const double mean = value(), queries_a_block = sum(queries_) / n;
    double squares = 0;
    for (std::size_t at = 0; at < queries_.size(); ++at)
      squares += std::pow(counted_[at] - (mean * queries_[at]), 2);
    const double left_out = 1.0 - (n / static_cast<double>(blocks));
    constexpr double of_95_percent = 1.96;
    return of_95_percent * std::sqrt(left_out * squares / (n - 1.0) / n) / queries_a_block;
  }

 private:
  [[nodiscard]] static double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values)
      total += value;
    return total;
  }
  std::vector<double> counted_, queries_;
};

}  // namespace spira

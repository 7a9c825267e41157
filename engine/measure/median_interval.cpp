#include "engine/measure/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace spira {
namespace {

constexpr double outside_a_side = 0.025;

/// The number of samples below the true median is distributed like the heads in n tosses of a coin. Returns
/// the rank, counted from 1, of the sample that bounds the interval at each end. Returns 0 for too few
/// samples.
std::size_t left_out(std::size_t n) {
  const auto count = static_cast<double>(n);
  double at_most = 0;  // probability of `heads` or fewer heads
  std::size_t heads = 0;
  for (; heads < n; ++heads) {
    const auto k = static_cast<double>(heads);
    at_most += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) -
                        (count * std::log(2.0)));
    if (at_most > outside_a_side) break;
  }
  return heads;  // fewer heads than this have a probability of at most outside_a_side
}

}  // namespace

std::optional<MedianInterval> median_interval(std::span<const double> samples) {
  const std::size_t rank = left_out(samples.size());
  if (rank == 0) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return MedianInterval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

}  // namespace spira

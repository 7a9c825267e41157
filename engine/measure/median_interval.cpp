#include "engine/measure/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace spira {
namespace {

constexpr double outside_a_side = 0.025;

/// Samples below the median are as many as heads among n coins; so many at each end may be left out.
std::size_t left_out(std::size_t n) {
  const auto count = static_cast<double>(n);
  double at_most = 0;  // chance of as many heads as `heads` or fewer
  std::size_t heads = 0;
  for (; heads < n; ++heads) {
    const auto k = static_cast<double>(heads);
    at_most += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) -
                        (count * std::log(2.0)));
    if (at_most > outside_a_side) break;
  }
  return heads;  // heads - 1 are still rare enough: the sample of rank `heads`, from 1 on, is the bound
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

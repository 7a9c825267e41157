#include "engine/scene/rows/row_column_facts.hpp"

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

/// Table of the logarithm (base 2) of the gamma function at n + 1/2 and at n + 1, for the Krichevsky-Trofimov
/// estimator.
class GammaTable {
 public:
  explicit GammaTable(std::size_t size) : half_(size + 2), whole_(size + 2) {
    constexpr double log2_of_root_pi = 0.8257480647361594;
    half_[0] = log2_of_root_pi;
    for (std::size_t n = 0; n + 1 < half_.size(); ++n) {
      half_[n + 1] = half_[n] + std::log2(static_cast<double>(n) + 0.5);
      whole_[n + 1] = whole_[n] + std::log2(static_cast<double>(n) + 1.0);
    }
  }
  /// Returns the code length of `zeros` zeros and `ones` ones in bits. The code learns their frequency while
  /// it codes, so their order does not matter.
  [[nodiscard]] double bits(std::size_t zeros, std::size_t ones) const {
    return whole_[zeros + ones] + (2.0 * half_[0]) - half_[zeros] - half_[ones];
  }

 private:
  std::vector<double> half_, whole_;
};

/// Returns the mean of two probabilities. Arguments and result are code lengths in bits.
double mixed(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  return low + 1.0 - std::log2(1.0 + std::exp2(low - high));
}

double bits_below(std::span<const std::uint64_t> sorted, int bit, const GammaTable& table) {
  double sum = 0.0;
  while (bit > 0 && sorted.size() > 1) {
    --bit;
    const std::uint64_t mask = std::uint64_t{1} << static_cast<unsigned>(bit);
    const auto middle = std::partition_point(sorted.begin(), sorted.end(),
                                             [&](std::uint64_t key) { return (key & mask) == 0; });
    const auto zeros = static_cast<std::size_t>(middle - sorted.begin());
    const std::size_t ones = sorted.size() - zeros;
    sum += mixed(table.bits(zeros, ones), static_cast<double>(sorted.size()));
    const auto smaller = zeros < ones ? sorted.first(zeros) : sorted.subspan(zeros);
    if (!smaller.empty()) sum += bits_below(smaller, bit, table);
    sorted = zeros < ones ? sorted.subspan(zeros) : sorted.first(zeros);
  }
  return sum + (static_cast<double>(bit) * static_cast<double>(sorted.size()));
}

}  // namespace

double code_length(std::span<std::uint64_t> keys, int key_bits) {
  constexpr std::size_t max_keys = 32'768;
  static const GammaTable table(max_keys);
  std::sort(keys.begin(), keys.end());
  double sum = 0.0;
  for (std::size_t at = 0; at < keys.size(); at += max_keys)
    sum += bits_below(std::span<const std::uint64_t>(keys).subspan(at, std::min(max_keys, keys.size() - at)),
                      key_bits, table);
  return sum;
}

}  // namespace spira

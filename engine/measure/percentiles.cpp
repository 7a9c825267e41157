#include "engine/measure/percentiles.hpp"

#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <vector>

namespace spira {

std::array<Percentile, 3> percentiles(std::span<const double> samples_ms) {
  std::array<Percentile, 3> all{{{"p90", 10, {}}, {"p95", 20, {}}, {"p99", 100, {}}}};
  constexpr std::array<double, 3> shares{0.9, 0.95, 0.99};
  std::vector<double> sorted(samples_ms.begin(), samples_ms.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (std::ssize(sorted) >= all.at(at).least) all.at(at).ms = quantile(sorted, shares.at(at));
  }
  return all;
}

std::string missing_percentiles_text(std::span<const double> samples_ms) {
  std::string text;
  for (const Percentile& one : percentiles(samples_ms)) {
    if (one.ms) continue;
    text += (text.empty() ? std::string(one.name) + " needs " : ", " + std::string(one.name) + " ") +
            std::to_string(one.least) + (text.empty() ? " samples" : "");
  }
  return text;
}

}  // namespace spira

// Computes the upper percentiles of a series as far as its number of samples allows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spira {

/// `ms` is empty if there are fewer than `least` samples. A quantile without a single sample beyond it would
/// only be a guess.
struct Percentile {
  std::string_view name;
  std::int64_t least = 0;
  std::optional<double> ms;
};
[[nodiscard]] std::array<Percentile, 3> percentiles(
    std::span<const double> samples_ms);  ///< Returns p90, p95 and p99.
/// Returns "p95 needs 20 samples, p99 100" for the percentiles that lack samples, or an empty text if none
/// does.
[[nodiscard]] std::string missing_percentiles_text(std::span<const double> samples_ms);

}  // namespace spira

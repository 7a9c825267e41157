// The slow end of a series, as far as its samples can tell it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spira {

/// `ms` is empty where fewer than `least` samples are there: a quantile of which not one sample lies beyond
/// would be a guess at the largest.
struct Percentile {
  std::string_view name;
  std::int64_t least = 0;
  std::optional<double> ms;
};
[[nodiscard]] std::array<Percentile, 3> percentiles(std::span<const double> samples_ms);  ///< p90, p95, p99
/// "p95 takes 20 samples, p99 100": of those that are missing; empty where none is.
[[nodiscard]] std::string missing_percentiles_text(std::span<const double> samples_ms);

}  // namespace spira

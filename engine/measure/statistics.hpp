// Statistics of samples, and the verdict on two sets of them. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace spira {

struct Statistics {
  std::int64_t n = 0;
  double median = 0, q1 = 0, q3 = 0, p90 = 0, min = 0, max = 0, mean = 0;
  [[nodiscard]] double iqr() const noexcept { return q3 - q1; }
};
[[nodiscard]] Statistics statistics(
    std::span<const double> samples);  ///< zeros for none; linear interpolation

enum class Verdict : std::uint8_t { faster, slower, same, undecided };
[[nodiscard]] std::string_view text_of(Verdict verdict) noexcept;
constexpr std::size_t fewest_samples_for_verdict = 5;  ///< of each; with fewer it is undecided
/// Of `current` against `baseline`, from a bootstrap 95 % interval of the ratio of medians (seeded,
/// reproducible).
[[nodiscard]] Verdict verdict(std::span<const double> baseline, std::span<const double> current);

}  // namespace spira

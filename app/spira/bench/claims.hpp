// Compares claims of the TorchSparse++ paper (MICRO 2023) with the times that a suite of `spira bench`
// measured.
#pragma once

#include "engine/measure/statistics.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira::app {

class Bench;

enum class Agreement : std::uint8_t { agrees, disagrees, undecided };
[[nodiscard]] std::string_view text_of(Agreement agreement) noexcept;

struct BenchClaim {
  std::string claim;   ///< The claim of the paper, in one sentence.
  std::string theirs;  ///< The figures of the paper, with their table or figure.
  std::string ours;    ///< The figures of this run.
  Agreement result = Agreement::undecided;
};

/// The samples of one subject.
struct TimeSeries {
  std::string name;
  std::vector<double> ms;
};
/// Returns the times that BenchRow::ratio_of selects for each of these subjects of a group, or, with a phase,
/// the times of BenchRow::phase_ms(). Subjects that were not measured are missing.
[[nodiscard]] std::vector<TimeSeries> series_of(const Bench& bench, const std::string& group,
                                                std::span<const char* const> subjects,
                                                std::string_view phase = {});
/// Returns the medians, such as "4.60 ms unsorted, 4.33 ms mask-sorted:1 (n = 5)".
[[nodiscard]] std::string medians_text(const std::vector<TimeSeries>& series);

/// Returns `agrees` if all verdicts are `claimed`, and `disagrees` if at least one verdict is decided and is
/// a different one. In all other cases, and without any verdict, returns `undecided`: the samples do not
/// decide.
[[nodiscard]] Agreement agreement(std::span<const Verdict> verdicts, Verdict claimed) noexcept;
/// The series with which each later series is compared.
enum class ComparedWith : std::uint8_t { first, previous };
/// Compares each series after the first one with another series. The verdict `claimed` must be that of all
/// comparisons.
[[nodiscard]] Agreement agreement(const std::vector<TimeSeries>& series, ComparedWith other, Verdict claimed);

}  // namespace spira::app

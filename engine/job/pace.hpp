// Reads the unit of a progress report, and computes the rate and the remaining time of a step of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spira {

/// `at_most_runs` means that a stopping rule may end the step before the last run.
enum class ProgressUnit : std::uint8_t { items, seconds, runs, at_most_runs };

// Progress::what ends with one of these suffixes if the step does not count items.
inline constexpr std::string_view seconds_suffix = "; seconds";
inline constexpr std::string_view runs_suffix = "; runs";
inline constexpr std::string_view at_most_runs_suffix = "; at most runs";

struct ProgressStep {
  std::string_view name;  ///< Progress::what without the suffix
  ProgressUnit unit = ProgressUnit::items;
};
[[nodiscard]] ProgressStep progress_step(std::string_view what) noexcept;
/// Returns true if the unit is one of the two kinds of runs.
[[nodiscard]] constexpr bool counts_runs(ProgressUnit unit) noexcept {
  return unit == ProgressUnit::runs || unit == ProgressUnit::at_most_runs;
}
/// Returns the number of the current run, from 1 to `total`, if `done` runs are complete.
[[nodiscard]] std::int64_t current_run(std::int64_t done, std::int64_t total) noexcept;

/// Follows the progress of one step after the other.
class Pace {
 public:
  /// Adds a progress report. `now_ms` may come from any monotonic clock. Another `what`, or a smaller `done`,
  /// starts a new step. Another `total` also starts a new step, unless the step counts runs: its total is an
  /// estimate.
  void add(std::string_view what, std::int64_t done, std::int64_t total, std::int64_t now_ms);
  [[nodiscard]] ProgressUnit unit() const noexcept { return progress_step(what_).unit; }
  /// Returns the completed items or runs per second. Empty for steps that count seconds, and until the value
  /// is reliable: items need two advances and two seconds, runs need one complete run.
  [[nodiscard]] std::optional<double> rate() const;
  /// Returns the remaining time of the step in seconds, which is not negative. Empty if it is not known.
  /// `now_ms` must not be before the last report.
  [[nodiscard]] std::optional<double> left_s(std::int64_t now_ms) const;

 private:
  std::string what_;
  std::int64_t total_ = 0, first_ = 0, done_ = 0;
  std::int64_t since_ms_ = -1, now_ms_ = 0, advanced_ms_ = 0;
  int advances_ = 0;
};

/// Returns a text such as "timing the network: run 3 of at most 15, at most 8 s left". The command line shows
/// it. `pace` must have got this report at `now_ms`.
[[nodiscard]] std::string progress_text(std::string_view what, std::int64_t done, std::int64_t total,
                                        const Pace& pace, std::int64_t now_ms);

}  // namespace spira

// Computes the rate and the remaining time of a step from its progress reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spira {

/// The unit of the progress of a step. `at_most_runs` also counts runs, but a stopping rule can end the step
/// before its last run.
enum class ProgressUnit : std::uint8_t { items, seconds, runs, at_most_runs };

// If a step does not count items, its Progress::what ends with one of these suffixes.
inline constexpr std::string_view seconds_suffix = "; seconds";
inline constexpr std::string_view runs_suffix = "; runs";
inline constexpr std::string_view at_most_runs_suffix = "; at most runs";

struct ProgressStep {
  std::string_view name;  ///< Progress::what without the suffix.
  ProgressUnit unit = ProgressUnit::items;
};
[[nodiscard]] ProgressStep progress_step(std::string_view what) noexcept;
[[nodiscard]] constexpr bool counts_runs(ProgressUnit unit) noexcept {
  return unit == ProgressUnit::runs || unit == ProgressUnit::at_most_runs;
}
/// Returns the number of the current run, from 1 to `total`, after `done` runs have finished.
[[nodiscard]] std::int64_t current_run(std::int64_t done, std::int64_t total) noexcept;

/// Computes the rate of one step after another.
class Pace {
 public:
  /// Adds a progress report. `now_ms` can come from any monotonic clock. A different `what` or a smaller
  /// `done` starts a new step. A different `total` also starts a new step, unless the step counts runs,
  /// because their total is only an estimate.
  void add(std::string_view what, std::int64_t done, std::int64_t total, std::int64_t now_ms);
  [[nodiscard]] ProgressUnit unit() const noexcept { return progress_step(what_).unit; }
  /// Returns how many items or runs are completed per second. Returns an empty optional for steps that count
  /// seconds, and until the value is reliable: after two increases and two seconds for items, after one
  /// complete run for runs.
  [[nodiscard]] std::optional<double> rate() const;
  /// Returns the remaining time of the step in seconds, at least 0, or an empty optional if it is not known.
  /// `now_ms` must not be before the last report.
  [[nodiscard]] std::optional<double> left_s(std::int64_t now_ms) const;

 private:
  std::string what_;
  std::int64_t total_ = 0, first_ = 0, done_ = 0;
  std::int64_t since_ms_ = -1, now_ms_ = 0, advanced_ms_ = 0;
  int advances_ = 0;
};

/// Returns the progress as text for the command line, such as "timing the network: run 3 of at most 15, at
/// most 8 s left". Pace::add() must have been called for `pace` with the same `what`, `done`, `total` and
/// `now_ms`.
[[nodiscard]] std::string progress_text(std::string_view what, std::int64_t done, std::int64_t total,
                                        const Pace& pace, std::int64_t now_ms);

}  // namespace spira

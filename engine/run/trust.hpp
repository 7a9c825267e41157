// Grades how far the times of a measurement can be trusted, and lists the reasons for the grade.
#pragma once

#include "engine/run/measurement.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TrustGrade : std::uint8_t {
  a,  ///< No reason was found to doubt the times.
  b,  ///< The times are complete and steady, but at least one condition was not fixed or is not known.
  c,  ///< The times are complete, but there are reasons not to rely on them completely.
  /// The times must not be compared, for example because nothing was measured or the device was throttled.
  x
};
[[nodiscard]] char letter_of(TrustGrade grade) noexcept;

/// Returns the meaning of the grade as one sentence, such as "No reason was found to doubt the times."
[[nodiscard]] std::string_view meaning_of(TrustGrade grade) noexcept;

struct TrustReason {
  TrustGrade at_best;  ///< The best grade that a measurement with this reason can have.
  std::string code;    ///< Identifier in reports, such as "few_samples".
  std::string text;    ///< Text for the user, such as "5 samples (recommended: at least 30)".
};

struct Trust {
  TrustGrade grade = TrustGrade::a;
  std::vector<TrustReason> reasons;  ///< The most important reasons come first.
  /// Returns the grade with its reasons, such as "C: 5 samples (recommended: at least 30); clocks not
  /// locked".
  [[nodiscard]] std::string text() const;
};

/// Grades a measurement. Uses only data that reports contain, so a report that was saved and read again has
/// the same grade. If the compiled network was timed too, its times and the wall times of the network are
/// both graded, and the worse grade is returned. `overflows` must be true if the scene does not fit its
/// packing; trust_of(report) in engine/report/report.hpp sets it.
[[nodiscard]] Trust trust_of(const Measurement& measurement, bool overflows = false);

/// The times of the runs that recorded the stages, each run added up on its own. In milliseconds.
struct RunSums {
  double stages_ms = 0;   ///< Median of the sums of all stages of a run.
  double outside_ms = 0;  ///< Median time of a run that belongs to no stage.
};
/// Other work on the processors delays a different stage in each run. Every run contains some of these
/// delays, but the median of a stage does not, so the sum of these medians is smaller than the time of a run.
/// Returns an empty value if the sum of the medians differs by at most 5 % from the sums of the runs, if
/// samples are missing, or if the network ran on a GPU, whose stages have another clock than the runs.
[[nodiscard]] std::optional<RunSums> delayed_runs(const Measurement& measurement);

/// Returns the sum of the stages as text, such as "2.98 ms; after subtracting 0.374 ms of timer overhead (334
/// marks): 2.6 ms, 96 % of the wall time". Without a measured timer overhead, the text is only "2.98 ms".
/// Adds the times of delayed_runs().
[[nodiscard]] std::string sum_of_stages_text(const Measurement& measurement);

}  // namespace spira

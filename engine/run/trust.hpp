// Grades how far the times of a measurement can be trusted, and lists the reasons against a better grade.
#pragma once

#include "engine/run/measurement.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TrustGrade : std::uint8_t {
  a,  ///< No reason was found to doubt the times.
  b,  ///< The times are complete and steady, but a condition was not fixed or is not known.
  c,  ///< The times are complete, but the reasons limit their use.
  /// The times must not be compared, for example because the device was throttled or nothing was measured.
  x
};
[[nodiscard]] char letter_of(TrustGrade grade) noexcept;  ///< Returns 'A', 'B', 'C' or 'X'.

/// Returns the meaning of the grade as one sentence, such as "No reason was found to doubt the times."
[[nodiscard]] std::string_view meaning_of(TrustGrade grade) noexcept;

struct TrustReason {
  TrustGrade at_best;  ///< Best grade that is possible with this reason.
  std::string code;    ///< Identifier in reports, such as "few_samples".
  std::string text;    ///< Text for the user, such as "5 samples, 30 recommended".
};

struct Trust {
  TrustGrade grade = TrustGrade::a;
  std::vector<TrustReason> reasons;  ///< Most important reasons first.
  /// Returns the grade with its reasons, such as "C: 5 samples, 30 recommended; IQR 4.1 % of the median, 1 %
  /// recommended".
  [[nodiscard]] std::string text() const;
};

/// Grades a measurement. Uses only data that reports store, so the grade does not change if a report is
/// written and read again. If the time of the compiled network was measured, grades this time and the wall
/// time of the network, and returns the worse grade. `overflows` must be true if the scene does not fit its
/// packing; trust_of(report) in engine/report/report.hpp sets it.
[[nodiscard]] Trust trust_of(const Measurement& measurement, bool overflows = false);

/// Returns the sum of stages as a text, such as "2.98 ms; after subtracting 0.374 ms of timer overhead (334
/// marks): 2.6 ms, 96 % of the wall time". If the timer overhead was not measured, the text is only "2.98
/// ms".
[[nodiscard]] std::string sum_of_stages_text(const Measurement& measurement);

}  // namespace spira

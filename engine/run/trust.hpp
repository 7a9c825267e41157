// Grades how far the times of a measurement can be trusted, and lists what prevents a better grade.
#pragma once

#include "engine/run/measurement.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TrustGrade : std::uint8_t {
  a,  ///< No reason to doubt the times was found.
  b,  ///< The times are complete and steady, but a condition was not fixed or is not known.
  c,  ///< The times are complete, but the reasons limit their use.
  /// The times must not be compared: for example, the device was throttled or nothing was measured.
  x
};
[[nodiscard]] char letter_of(TrustGrade grade) noexcept;  ///< Returns 'A', 'B', 'C' or 'X'.

struct TrustReason {
  TrustGrade at_best;  ///< Best grade that this reason still allows.
  std::string code;    ///< Code in reports, such as "few_samples".
  std::string text;    ///< Text for the user, such as "5 samples, 30 recommended".
};

struct Trust {
  TrustGrade grade = TrustGrade::a;
  std::vector<TrustReason> reasons;  ///< The most important reasons come first.
  /// Returns the grade and the reasons for it, such as "C: 5 samples, 30 recommended; IQR 4.1 % of the
  /// median, 1 % recommended".
  [[nodiscard]] std::string text() const;
};

/// Grades a measurement. Uses only data that reports store, so the grade is the same after a report is
/// written and read. Evaluates the wall time of the network and, if it was measured, the time of the
/// compiled network. The worse of the two determines the grade. `overflows` must be true if the scene does
/// not fit its packing; trust_of(report) in engine/report/report.hpp sets it.
[[nodiscard]] Trust trust_of(const Measurement& measurement, bool overflows = false);

/// Returns the sum of stages, such as "2.98 ms; after subtracting 0.374 ms of timer overhead (334 marks): 2.6
/// ms, 96 % of the wall time". If the run did not measure the cost of its marks, the text is only "2.98 ms".
[[nodiscard]] std::string sum_of_stages_text(const Measurement& measurement);

}  // namespace spira

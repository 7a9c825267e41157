// How far the times of a measurement can be trusted, and what keeps them from a better grade.
#pragma once

#include "engine/run/measurement.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class TrustGrade : std::uint8_t {
  a,  ///< nothing speaks against them
  b,  ///< complete and steady, but something was not fixed or is not known
  c,  ///< complete
  x   ///< not to be compared with: held back while measured, or empty
};
[[nodiscard]] char letter_of(TrustGrade grade) noexcept;  ///< 'A', ..., 'X'

struct TrustReason {
  TrustGrade at_best;  ///< of what it leaves possible
  std::string code;    ///< "few_samples", as reports name it
  std::string text;    ///< "5 samples, 30 wanted"
};

struct Trust {
  TrustGrade grade = TrustGrade::a;
  std::vector<TrustReason> reasons;  ///< those that weigh most first
  /// "C: 5 samples, 30 wanted; IQR 4.1 % of the median, 1 % wanted": the reasons for this grade.
  [[nodiscard]] std::string text() const;
};

/// From samples and states alone, so it is the same for a report that is read. The wall time of the network
/// and, where there is one, the time as one piece of work count; the worse one decides. `overflows`: the
/// packing does not hold the scene (trust_of(report) in engine/report/report.hpp knows).
[[nodiscard]] Trust trust_of(const Measurement& measurement, bool overflows = false);

/// "2.98 ms; without the 0.374 ms that 334 marks cost: 2.6 ms, 96 % of the wall time": both sums, where the
/// run measured what its marks cost.
[[nodiscard]] std::string sum_of_stages_text(const Measurement& measurement);

}  // namespace spira

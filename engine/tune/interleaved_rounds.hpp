// Samples alternatives in interleaved rounds until all medians are steady, the time limit is reached or the
// user stops. Alternatives that are clearly slower are dropped early.
#pragma once

#include "engine/measure/sampling.hpp"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace spira {

struct Alternative {
  std::string name;                 ///< name shown in progress messages
  std::function<double()> time_ms;  ///< takes one sample and returns its time
  /// Alternatives with the same value are sampled together, in the order A B C and then C B A. The
  /// alternatives with the smallest value get their first samples before all others.
  int turn = 0;
  /// Alternatives with the same value are rivals: one of them will be selected.
  int contest = 0;
  /// Number of times that the network does the work of one sample.
  double times = 1;
  /// Index of another alternative whose work is required, so that its cost is added. -1 if there is none.
  int needs = -1;
};

enum class RoundsEnd : std::uint8_t { steady, budget, interrupted };

/// Samples of each alternative that were taken so far.
using RoundSamples = std::vector<std::vector<double>>;

struct RoundLimits {
  int min_samples = 5, max_samples = 50;
  double target_iqr_rel = 0.01;
  bool may_drop = true;
  std::stop_token stop;
  std::function<bool()> time_is_up = [] { return false; };
  /// Returns true if no more rounds may be taken after the first `min_samples` rounds of each turn.
  std::function<bool()> enough = [] { return false; };
  std::function<void(const std::string& name, int round)> progress = [](const std::string&, int) {};
  /// Is called when the alternatives of a turn have `min_samples` samples, unless they were dropped.
  std::function<void(int turn, const RoundSamples& so_far)> turn_done = [](int, const RoundSamples&) {};
};

struct RoundsResult {
  /// Samples of each alternative that were taken within the time limit.
  RoundSamples ms;
  std::vector<bool> dropped;
  RoundsEnd end = RoundsEnd::steady;
};

/// Samples all alternatives. First takes `min_samples` rounds of each turn, one turn after the other, so that
/// a time limit leaves the first turns with enough samples. Then takes one round of each turn that is not
/// steady, until all turns are steady or have `max_samples` rounds. After five rounds of a turn, drops an
/// alternative if its best sample is more than 1.25 times the worst sample of a rival. The time of the rival
/// includes the alternative that it needs. The time of the dropped alternative does not. A sample that throws
/// `Error(cancelled)` ends the rounds. Other errors are rethrown.
[[nodiscard]] RoundsResult sample_rounds(const std::vector<Alternative>& all, const RoundLimits& limits);

}  // namespace spira

// Samples many alternatives in interleaved rounds until all medians are steady, the time limit is reached or
// the user stops. Clearly slower alternatives are dropped early.
#pragma once

#include "engine/measure/sampling.hpp"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace spira {

struct Alternative {
  std::string name;                 ///< name in progress messages
  std::function<double()> time_ms;  ///< takes one sample
  /// Alternatives with the same turn are sampled together, in the order A B C, then C B A.
  int turn = 0;
  /// Alternatives with the same contest are rivals: one of them will be chosen.
  int contest = 0;
  /// Number of times that the network does the sampled work.
  double times = 1;
  /// Index of an alternative that this alternative requires and whose cost is added, or -1.
  int needs = -1;
};

enum class RoundsEnd : std::uint8_t { steady, budget, interrupted };

struct RoundLimits {
  int min_samples = 5, max_samples = 50;
  double target_iqr_rel = 0.01;
  bool may_drop = true;
  std::stop_token stop;
  std::function<bool()> time_is_up = [] { return false; };
  std::function<void(const std::string& name, int round)> progress = [](const std::string&, int) {};
};

struct RoundsResult {
  /// One row for each alternative, with the samples that were taken within the time limit.
  std::vector<std::vector<double>> ms;
  std::vector<bool> dropped;
  RoundsEnd end = RoundsEnd::steady;
};

/// After five rounds, drops an alternative if its best sample is more than 1.25 times the worst sample of a
/// rival in its contest. The rival's cost includes the alternative that it needs; the cost of the dropped one
/// does not. A call that throws `Error(cancelled)` ends the rounds; other errors are passed on.
[[nodiscard]] RoundsResult sample_rounds(const std::vector<Alternative>& all, const RoundLimits& limits);

}  // namespace spira

// Samples several alternatives in interleaved rounds. The sampling ends when all medians are steady, when the
// time limit is reached, or when the user stops it. Alternatives that are clearly slower are dropped early.
#pragma once

#include "engine/measure/sampling.hpp"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace spira {

struct Alternative {
  std::string name;                 ///< The name in progress messages.
  std::function<double()> time_ms;  ///< Takes one sample and returns its time.
  /// Alternatives with the same `turn` are sampled together, in the order A B C and then C B A. Alternatives
  /// with a smaller `turn` get their first samples earlier.
  int turn = 0;
  /// Alternatives with the same `contest` are rivals: one of them will be selected.
  int contest = 0;
  /// Number of times that one run of the network repeats the work of one sample.
  double times = 1;
  /// Index of another alternative that this alternative requires, such as the map for a feature setting. Its
  /// time is added to the cost of this alternative. -1 if nothing is required.
  int needs = -1;
};

enum class RoundsEnd : std::uint8_t { steady, budget, interrupted };

/// The samples of each alternative so far.
using RoundSamples = std::vector<std::vector<double>>;

struct RoundLimits {
  int min_samples = 5, max_samples = 50;
  double target_iqr_rel = 0.01;
  bool may_drop = true;
  std::stop_token stop;
  std::function<bool()> time_is_up = [] { return false; };
  /// If enough() returns true, each turn ends after its first `min_samples` rounds.
  std::function<bool()> enough = [] { return false; };
  std::function<void(const std::string& name, int round)> progress = [](const std::string&, int) {};
  /// Called when all alternatives of a turn that were not dropped have `min_samples` samples.
  std::function<void(int turn, const RoundSamples& so_far)> turn_done = [](int, const RoundSamples&) {};
};

struct RoundsResult {
  /// The samples of each alternative that were taken within the time limit.
  RoundSamples ms;
  std::vector<bool> dropped;
  RoundsEnd end = RoundsEnd::steady;
};

/// Samples all alternatives. First runs `min_samples` rounds of the first turn, then of the second turn, and
/// so on, so that the first turns have enough samples after a timeout. Then repeatedly runs one more round of
/// each turn that is not steady, up to `max_samples` rounds. After five rounds of a turn, an alternative is
/// dropped if its best sample is more than 1.25 times the worst sample of a rival. In this comparison, the
/// time of the rival includes the alternative that the rival requires. The time of the dropped alternative
/// does not include its required alternative. If a sample throws `Error(cancelled)`, the rounds end. Other
/// errors are rethrown.
[[nodiscard]] RoundsResult sample_rounds(const std::vector<Alternative>& all, const RoundLimits& limits);

}  // namespace spira

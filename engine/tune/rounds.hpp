// Samples of many alternatives in turns, round after round, until all are steady, the time is up or the user
// stops; what is clearly slower drops out on the way.
#pragma once

#include "engine/measure/sampling.hpp"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace spira {

struct Alternative {
  std::string name;                 ///< for the progress
  std::function<double()> time_ms;  ///< one sample
  int turn = 0;                     ///< those of a turn are sampled one after the other: A B C, then C B A
  int contest = 0;                  ///< those of a contest stand for each other: one of them will be taken
  double times = 1;                 ///< how often one sample is paid
  int needs = -1;                   ///< an alternative that must be paid with it; -1: none
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
  std::vector<std::vector<double>> ms;  ///< one row an alternative, as many as there was time for
  std::vector<bool> dropped;
  RoundsEnd end = RoundsEnd::steady;
};

/// After five rounds an alternative drops out where even its best sample, without anything it needs, is
/// 1.25 times the worst samples of its contest's best, with all that this one needs. A call that throws
/// Error(cancelled) ends the rounds; other errors pass through.
[[nodiscard]] RoundsResult sample_rounds(const std::vector<Alternative>& all, const RoundLimits& limits);

}  // namespace spira

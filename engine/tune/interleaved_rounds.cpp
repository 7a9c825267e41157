#include "engine/tune/interleaved_rounds.hpp"

#include "engine/base/error.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <set>

namespace spira {
namespace {

// A turn drops no alternative before it has this number of rounds, which is enough for a verdict.
constexpr std::size_t rounds_before_dropping = fewest_samples_for_verdict;
constexpr double clearly = 1.25;

class Rounds {
 public:
  Rounds(const std::vector<Alternative>& all, const RoundLimits& limits) : all_(all), limits_(limits) {
    result_.ms.resize(all.size());
    result_.dropped.assign(all.size(), false);
    for (const Alternative& one : all)
      turns_.insert(one.turn);
  }

  RoundsResult run() {
    const int first_rounds = std::min(limits_.min_samples, limits_.max_samples);
    for (const int turn : std::set<int>(turns_)) {
      for (int round = 0; round < first_rounds; ++round) {
        if (!sample(turn, round)) return std::move(result_);
      }
      limits_.turn_done(turn, result_.ms);
    }
    for (int round = first_rounds; round < limits_.max_samples && !turns_.empty(); ++round) {
      for (const int turn : std::set<int>(turns_)) {
        if (limits_.enough()) {
          result_.end = RoundsEnd::budget;
          return std::move(result_);
        }
        if (!sample(turn, round)) return std::move(result_);
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> live(int turn) const {
    std::vector<std::size_t> members;
    for (std::size_t at = 0; at < all_.size(); ++at) {
      if (all_[at].turn == turn && !result_.dropped[at]) members.push_back(at);
    }
    return members;
  }

  /// Takes one sample of each alternative of a turn. Then drops slow alternatives, and removes the turn if it
  /// is steady. Returns false if the user stops or the time limit is reached.
  bool sample(int turn, int round) {
    if (!sample_all(turn, round)) return false;
    if (limits_.may_drop) drop(turn);
    if (round + 1 >= limits_.min_samples && steady(turn)) turns_.erase(turn);
    return true;
  }

  bool sample_all(int turn, int round) {
    std::vector<std::size_t> members = live(turn);
    if (round % 2 == 1) std::reverse(members.begin(), members.end());
    for (const std::size_t at : members) {
      if (limits_.stop.stop_requested() || limits_.time_is_up()) {
        result_.end = limits_.stop.stop_requested() ? RoundsEnd::interrupted : RoundsEnd::budget;
        return false;
      }
      try {
        limits_.progress(all_[at].name, round);
        result_.ms[at].push_back(all_[at].time_ms());
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::cancelled) throw;
        result_.end = RoundsEnd::interrupted;
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] double worst_with_needs(std::size_t at) const {
    const auto worst = [this](std::size_t of) {
      const auto& ms = result_.ms[of];
      return ms.empty() ? 0.0 : *std::max_element(ms.begin(), ms.end());
    };
    const int needs = all_[at].needs;
    return (all_[at].times * worst(at)) + (needs < 0 ? 0.0 : worst(static_cast<std::size_t>(needs)));
  }

  void drop(int turn) {
    const std::vector<std::size_t> members = live(turn);
    for (const std::size_t at : members) {
      const auto& ms = result_.ms[at];
      if (ms.size() < rounds_before_dropping) continue;
      const double at_best = all_[at].times * *std::min_element(ms.begin(), ms.end());
      result_.dropped[at] = std::any_of(members.begin(), members.end(), [&](std::size_t rival) {
        return rival != at && all_[rival].contest == all_[at].contest &&
               result_.ms[rival].size() >= rounds_before_dropping &&
               at_best > clearly * worst_with_needs(rival);
      });
    }
  }

  /// Returns true if all medians of the turn are steady, or if no alternative has a rival left.
  [[nodiscard]] bool steady(int turn) const {
    const std::vector<std::size_t> members = live(turn);
    std::multiset<int> contests;
    for (const std::size_t at : members)
      contests.insert(all_[at].contest);
    return std::all_of(members.begin(), members.end(), [&](std::size_t at) {
      const Statistics stats = statistics(result_.ms[at]);
      return contests.count(all_[at].contest) == 1 ||
             (stats.median > 0.0 && stats.iqr() / stats.median < limits_.target_iqr_rel);
    });
  }

  const std::vector<Alternative>& all_;
  const RoundLimits& limits_;
  std::set<int> turns_;
  RoundsResult result_;
};

}  // namespace

RoundsResult sample_rounds(const std::vector<Alternative>& all, const RoundLimits& limits) {
  return Rounds(all, limits).run();
}

}  // namespace spira

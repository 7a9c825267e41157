#include "engine/measure/sampling.hpp"

#include "engine/job/pace.hpp"
#include "engine/measure/duration_estimate.hpp"
#include "engine/measure/sample_reports.hpp"
#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace spira {
namespace {

using Time = std::chrono::steady_clock;

double ms_since(Time::time_point begin) {
  return std::chrono::duration<double, std::milli>(Time::now() - begin).count();
}

bool settled(const std::vector<double>& samples, const SamplingProtocol& protocol) {
  // The spread is never negative, so a target of 0 cannot be reached and the samples need not be sorted.
  if (protocol.target_iqr_rel <= 0.0) return false;
  const Statistics stats = statistics(samples);
  return stats.median > 0.0 && stats.iqr() / stats.median < protocol.target_iqr_rel;
}

/// Reports the progress of sample_interleaved(). The total number of runs is estimated from
/// the time of the rounds so far.
class RunReports {
 public:
  RunReports(const SamplingProtocol& protocol, std::size_t contenders, const std::string& name, Job& job)
      : protocol_(protocol),
        contenders_(static_cast<int>(contenders)),
        warmup_(name + ", warm-up" + std::string(suffix())),
        samples_(name + std::string(suffix())),
        job_(job) {}

  void warm_up() { report(warmup_, 0); }
  void sample(int rounds_done, double since_begin_ms) {
    report(samples_, rounds_done > 0 ? since_begin_ms / rounds_done : 0);
  }

 private:
  [[nodiscard]] std::string_view suffix() const {
    return protocol_.min_samples < protocol_.max_samples ? at_most_runs_suffix : runs_suffix;
  }
  void report(const std::string& what, double round_ms) {
    const std::int64_t done = done_++;
    if (!reports_.due(job_)) return;
    const std::int64_t rounds = protocol_.warmup + most_rounds(protocol_, contenders_, round_ms);
    job_.checkpoint({what, done, rounds * contenders_});
  }

  const SamplingProtocol& protocol_;
  int contenders_;
  std::string warmup_, samples_;
  Job& job_;
  std::int64_t done_ = 0;
  SampleReports reports_;
};

}  // namespace

double time_once_ms(const std::function<void()>& work) {
  const auto begin = Time::now();
  work();
  return ms_since(begin);
}

Samples sample(const std::function<void()>& work, const SamplingProtocol& protocol, Job& job) {
  return sample_interleaved({{"measuring", work}}, protocol, job).front();
}

std::vector<Samples> sample_interleaved(const std::vector<Contender>& contenders,
                                        const SamplingProtocol& protocol, Job& job,
                                        const std::function<void(const std::vector<Samples>&)>& after_round) {
  std::vector<Samples> all(contenders.size());
  RunReports reports(protocol, contenders.size(),
                     contenders.size() == 1 ? contenders.front().name : "interleaved samples", job);
  for (const Contender& contender : contenders) {
    for (int round = 0; round < protocol.warmup; ++round) {
      reports.warm_up();
      contender.run();
    }
  }
  const auto begin = Time::now();
  const double budget_ms = protocol.max_time_ms * static_cast<double>(contenders.size());
  for (int round = 0; round < std::max(1, protocol.max_samples); ++round) {
    const double so_far_ms = ms_since(begin);
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t at = round % 2 == 0 ? turn : contenders.size() - 1 - turn;
      reports.sample(round, so_far_ms);
      all[at].ms.push_back(time_once_ms(contenders[at].run));
    }
    if (after_round) after_round(all);
    if (round + 1 < protocol.min_samples) continue;
    const bool steady =
        std::all_of(all.begin(), all.end(), [&](const Samples& s) { return settled(s.ms, protocol); });
    for (Samples& samples : all)
      samples.reached_target = steady;
    if (steady || ms_since(begin) >= budget_ms) break;
  }
  return all;
}

namespace {

constexpr std::size_t empty_stages = 200;
constexpr double us_per_ms = 1000.0;
/// The smallest difference between two lengths that counts as a step of the clock, in microseconds.
/// Differences below this value are rounding errors of floating-point milliseconds.
constexpr double smallest_step_us = 5e-4;

}  // namespace

TimerFacts measure_timer(StageSource& source) {
  std::vector<double> at_ms(2 * empty_stages);
  for (int slot = 0; slot < std::ssize(at_ms); ++slot)
    source.mark(slot);
  source.collect(at_ms);
  std::vector<double> empty_us, steps_us;
  for (std::size_t slot = 1; slot < at_ms.size(); ++slot) {
    const double step_us = (at_ms[slot] - at_ms[slot - 1]) * us_per_ms;
    if (slot % 2 == 1) empty_us.push_back(step_us);
    if (step_us > smallest_step_us) steps_us.push_back(step_us);
  }
  // Measured lengths differ by whole steps of the clock. Therefore the differences between them can reveal a
  // step that is smaller than the shortest length.
  std::sort(steps_us.begin(), steps_us.end());
  double smallest = steps_us.empty() ? 0.0 : steps_us.front();
  for (std::size_t at = 1; at < steps_us.size(); ++at) {
    const double apart = steps_us[at] - steps_us[at - 1];
    if (apart > smallest_step_us) smallest = std::min(smallest, apart);
  }
  return {statistics(empty_us).median, smallest};
}

}  // namespace spira

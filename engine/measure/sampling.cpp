#include "engine/measure/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace spira {
namespace {

using Time = std::chrono::steady_clock;

double ms_since(Time::time_point begin) {
  return std::chrono::duration<double, std::milli>(Time::now() - begin).count();
}

bool settled(const std::vector<double>& samples, const SamplingProtocol& protocol) {
  if (protocol.target_iqr_rel <= 0.0) return false;  // no spread is below 0: skip the sorting
  const Statistics stats = statistics(samples);
  return stats.median > 0.0 && stats.iqr() / stats.median < protocol.target_iqr_rel;
}

/// Returns true if no target spread is set, so that normally the time limit ends the sampling.
bool time_ends(const SamplingProtocol& protocol) {
  return protocol.target_iqr_rel <= 0.0 && protocol.min_samples < protocol.max_samples;
}

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
  for (const Contender& contender : contenders) {
    for (int round = 0; round < protocol.warmup; ++round) {
      job.checkpoint({contender.name, 0, 0});
      contender.run();
    }
  }
  const auto begin = Time::now();
  const double budget_ms = protocol.max_time_ms * static_cast<double>(contenders.size());
  const auto report = [&](const std::string& name, int round) {
    constexpr double second = 1e3;
    if (!time_ends(protocol)) return job.checkpoint({name, round, protocol.max_samples});
    const auto total = static_cast<std::int64_t>(std::ceil(budget_ms / second));
    const auto done = static_cast<std::int64_t>(ms_since(begin) / second);
    job.checkpoint({name + ", seconds", std::min(done, total), total});
  };
  for (int round = 0; round < std::max(1, protocol.max_samples); ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t at = round % 2 == 0 ? turn : contenders.size() - 1 - turn;
      report(contenders[at].name, round);
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

}  // namespace spira

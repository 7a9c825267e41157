#include "engine/measure/sampling.hpp"

#include <algorithm>
#include <chrono>

namespace spira {
namespace {

bool settled(const std::vector<double>& samples, const SamplingProtocol& protocol) {
  const Statistics stats = statistics(samples);
  return stats.median > 0.0 && stats.iqr() / stats.median < protocol.target_iqr_rel;
}

}  // namespace

double time_once_ms(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
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
  double spent_ms = 0;
  const double budget_ms = protocol.max_time_ms * static_cast<double>(contenders.size());
  for (int round = 0; round < std::max(1, protocol.max_samples); ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t at = round % 2 == 0 ? turn : contenders.size() - 1 - turn;
      job.checkpoint({contenders[at].name, round, protocol.max_samples});
      all[at].ms.push_back(time_once_ms(contenders[at].run));
      spent_ms += all[at].ms.back();
    }
    if (after_round) after_round(all);
    if (round + 1 < protocol.min_samples) continue;
    const bool steady =
        std::all_of(all.begin(), all.end(), [&](const Samples& s) { return settled(s.ms, protocol); });
    for (Samples& samples : all)
      samples.reached_target = steady;
    if (steady || spent_ms >= budget_ms) break;
  }
  return all;
}

}  // namespace spira

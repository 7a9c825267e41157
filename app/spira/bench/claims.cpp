#include "app/spira/bench/claims.hpp"

#include "app/spira/bench/bench.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>

namespace spira::app {

std::string_view text_of(Agreement agreement) noexcept {
  constexpr std::array<std::string_view, 3> texts{"agrees", "disagrees", "undecided"};
  return texts.at(static_cast<std::size_t>(agreement));
}

std::vector<TimeSeries> series_of(const Bench& bench, const std::string& group,
                                  std::span<const char* const> subjects, std::string_view phase) {
  std::vector<TimeSeries> series;
  for (const char* subject : subjects) {
    for (const BenchRow& row : bench.rows()) {
      if (row.group == group && row.subject == subject)
        series.push_back({subject, phase.empty() ? row.ratio_samples() : row.phase_ms(phase)});
    }
  }
  return series;
}

std::string medians_text(const std::vector<TimeSeries>& series) {
  std::string text;
  for (const TimeSeries& one : series)
    text += (text.empty() ? "" : ", ") + ms_text(statistics(one.ms).median) + " " + one.name;
  if (series.empty()) return "not measured";
  return text + " (n = " + std::to_string(series.front().ms.size()) + ")";
}

Agreement agreement(std::span<const Verdict> verdicts, Verdict claimed) noexcept {
  const auto is_decided = [](Verdict one) { return one != Verdict::undecided; };
  if (std::any_of(verdicts.begin(), verdicts.end(),
                  [&](Verdict one) { return is_decided(one) && one != claimed; }))
    return Agreement::disagrees;
  return !verdicts.empty() && std::all_of(verdicts.begin(), verdicts.end(), is_decided)
             ? Agreement::agrees
             : Agreement::undecided;
}

Agreement agreement(const std::vector<TimeSeries>& series, ComparedWith other, Verdict claimed) {
  std::vector<Verdict> verdicts;
  for (std::size_t at = 1; at < series.size(); ++at)
    verdicts.push_back(verdict(series[other == ComparedWith::first ? 0 : at - 1].ms, series[at].ms));
  return agreement(verdicts, claimed);
}

}  // namespace spira::app

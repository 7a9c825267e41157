#include "engine/job/pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira {

ProgressStep progress_step(std::string_view what) noexcept {
  // "; at most runs" does not end with "; runs", so the order of the suffixes does not matter.
  constexpr std::array suffixes{std::pair(seconds_suffix, ProgressUnit::seconds),
                                std::pair(runs_suffix, ProgressUnit::runs),
                                std::pair(at_most_runs_suffix, ProgressUnit::at_most_runs)};
  for (const auto& [suffix, unit] : suffixes) {
    if (what.ends_with(suffix)) return {what.substr(0, what.size() - suffix.size()), unit};
  }
  return {what, ProgressUnit::items};
}

std::int64_t current_run(std::int64_t done, std::int64_t total) noexcept {
  return std::clamp<std::int64_t>(done + 1, 1, std::max<std::int64_t>(1, total));
}

void Pace::add(std::string_view what, std::int64_t done, std::int64_t total, std::int64_t now_ms) {
  const bool other_total = total != total_ && !counts_runs(progress_step(what).unit);
  if (since_ms_ < 0 || what != what_ || other_total || done < done_) {
    *this = Pace();
    what_ = what;
    first_ = done_ = done;
    since_ms_ = advanced_ms_ = now_ms;
  }
  total_ = total;
  if (done > done_) {
    ++advances_;
    advanced_ms_ = now_ms;
  }
  done_ = done;
  now_ms_ = now_ms;
}

std::optional<double> Pace::rate() const {
  constexpr std::int64_t settling_ms = 2000;
  constexpr double ms_in_s = 1000;
  const bool runs = counts_runs(unit());
  if (total_ <= 0 || unit() == ProgressUnit::seconds || advances_ < (runs ? 1 : 2)) return std::nullopt;
  if (!runs && now_ms_ - since_ms_ < settling_ms) return std::nullopt;
  const std::int64_t until_ms = runs ? advanced_ms_ : now_ms_;
  if (until_ms <= since_ms_) return std::nullopt;
  return static_cast<double>(done_ - first_) * ms_in_s / static_cast<double>(until_ms - since_ms_);
}

std::optional<double> Pace::left_s(std::int64_t now_ms) const {
  constexpr double ms_in_s = 1000;
  if (total_ <= 0 || since_ms_ < 0) return std::nullopt;
  const auto left = static_cast<double>(std::max<std::int64_t>(0, total_ - done_));
  const double since_report_s = static_cast<double>(now_ms - now_ms_) / ms_in_s;
  if (unit() == ProgressUnit::seconds) return std::max(0.0, left - since_report_s);
  const auto per_second = rate();
  if (!per_second) return std::nullopt;
  if (!counts_runs(unit())) return left / *per_second;
  // No reports arrive during a run. Therefore subtract the time since the end of the last run from the
  // remaining time, but at most the length of one run.
  const double in_run_s = static_cast<double>(now_ms - advanced_ms_) / ms_in_s;
  return std::max(0.0, left / *per_second - std::min(in_run_s, 1 / *per_second));
}

std::string progress_text(std::string_view what, std::int64_t done, std::int64_t total, const Pace& pace,
                          std::int64_t now_ms) {
  const ProgressStep step = progress_step(what);
  std::string text(step.name);
  if (total <= 0) return text;
  const bool early = step.unit == ProgressUnit::at_most_runs;
  if (counts_runs(step.unit)) {
    text += ": run " + std::to_string(current_run(done, total)) + (early ? " of at most " : " of ") +
            std::to_string(total);
  } else {
    text += ": " + std::to_string(done) + " of " + std::to_string(total) +
            (step.unit == ProgressUnit::seconds ? " s" : "");
  }
  if (const auto left = pace.left_s(now_ms)) {
    const bool limit = early || step.unit == ProgressUnit::seconds;
    text +=
        std::string(limit ? ", at most " : ", ") + std::to_string(std::lround(std::ceil(*left))) + " s left";
  }
  return text;
}

}  // namespace spira

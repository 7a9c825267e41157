#include "engine/run/trust.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira {
namespace {

constexpr std::int64_t wanted_samples = 30;
constexpr double steady_iqr = 0.01, fair_iqr = 0.03, small_residual = 0.05, max_held_back = 0.1;

double relative_iqr(const Statistics& s) {
  return s.median > 0 ? s.iqr() / s.median : 0;
}

class Reasons {
 public:
  void add(TrustGrade at_best, std::string code, std::string text) {
    trust_.reasons.push_back({at_best, std::move(code), std::move(text)});
    trust_.grade = std::max(trust_.grade, at_best);
  }
  [[nodiscard]] Trust take() {
    std::stable_sort(trust_.reasons.begin(), trust_.reasons.end(),
                     [](const auto& a, const auto& b) { return a.at_best > b.at_best; });
    return std::move(trust_);
  }

 private:
  Trust trust_;
};

/// Checks for throttling before and after the samples. Used for reports that do not record throttling for
/// each sample.
void judge_states(const Measurement& m, Reasons& reasons) {
  const auto held_back = [](const DeviceState& state) {
    return state.throttled_by && !state.throttled_by->empty();
  };
  const bool before = held_back(m.state_before), after = held_back(m.state_after);
  if (!before && !after) return;
  const auto& why = *(after ? m.state_after : m.state_before).throttled_by;
  reasons.add(before && after ? TrustGrade::x : TrustGrade::c, "throttled",
              "throttled by " + why.front() +
                  (before && after ? " before and after the samples"
                   : before        ? " before the samples"
                                   : " after the samples"));
}

double share_held_back(const Samples& samples) {
  if (samples.held_back.empty()) return 0;
  const auto count = std::count(samples.held_back.begin(), samples.held_back.end(), true);
  return static_cast<double>(count) / static_cast<double>(samples.held_back.size());
}

void judge_throttling(const Measurement& m, Reasons& reasons) {
  if (m.wall.held_back.empty() && m.compiled_wall.held_back.empty()) return judge_states(m, reasons);
  const double share = std::max(share_held_back(m.wall), share_held_back(m.compiled_wall));
  if (share <= 0) return;
  reasons.add(share > max_held_back ? TrustGrade::x : TrustGrade::c, "throttled",
              "throttled by " + (m.held_back_by.empty() ? "an unknown cause" : m.held_back_by.front()) +
                  " in " + percent_text(share, 0) + " of the samples");
}

void judge_clocks(const Measurement& m, Reasons& reasons) {
  const auto &before = m.state_before.clocks_locked, &after = m.state_after.clocks_locked;
  if (before == true && after == true) return;
  reasons.add(TrustGrade::b, "clocks_not_locked",
              before == false || after == false ? "clocks not locked"
                                                : "clocks not locked, or not known to be locked");
}

/// Lowers the grade if other programs used the device. On a CPU, the grade can still be B. The number of
/// other programs is only a snapshot, and the spread of the samples already shows their effect.
void judge_others(const Measurement& m, Reasons& reasons) {
  const auto &before = m.state_before.other_processes, &after = m.state_after.other_processes;
  if (!before || !after)
    return reasons.add(TrustGrade::b, "others_unknown", "other programs may have used the device");
  const int most = std::max(*before, *after);
  if (most <= 0) return;
  const bool gpu = m.device.kind == BackendKind::cuda;
  reasons.add(gpu ? TrustGrade::c : TrustGrade::b, "others_on_device",
              count_text(most) + (gpu ? " other " : " ") + (gpu ? "program" : "thread") +
                  (most == 1 ? "" : "s") +
                  (gpu ? " used the device at the same time" : " of other programs ran at the same time"));
}

void judge_output(const Measurement& m, Reasons& reasons) {
  const LayerMeasurement* worst = nullptr;
  bool all = !m.layers.empty();
  for (const LayerMeasurement& layer : m.layers) {
    all = all && layer.check.has_value();
    const auto rank = [](const OutputDifference& one) { return std::pair(one.max_rel, one.non_finite); };
    if (layer.check && !layer.check->ok && (worst == nullptr || rank(*layer.check) > rank(*worst->check)))
      worst = &layer;
  }
  if (worst != nullptr && worst->check->non_finite > 0) {
    reasons.add(
        TrustGrade::x, "output_check_failed",
        "the output of " + worst->name + " has " +
            counted_text(worst->check->non_finite, "NaN or infinite value", "NaN or infinite values") +
            ", so it cannot be checked");
  } else if (worst != nullptr) {
    reasons.add(TrustGrade::x, "output_check_failed",
                "the output of " + worst->name + " differs from the expected output by " +
                    shortest(worst->check->max_rel) + " of the largest value");
  } else if (!all) {
    reasons.add(TrustGrade::b, "output_not_checked", "the output was not checked in this run");
  }
}

/// Limits the grade to C if input or output values are NaN or infinite. The times are then valid, but the
/// outputs are useless.
void judge_values(const Measurement& m, Reasons& reasons) {
  const std::string precision(text_of(m.plan.precision));
  if (m.input && m.input->non_finite_rows > 0)
    reasons.add(TrustGrade::c, "input_not_finite",
                count_text(m.input->non_finite_rows) + " of " +
                    counted_text(m.input->rows, "input row is", "input rows are") + " NaN or infinite in " +
                    precision);
  if (m.input && m.input->replaced > 0)
    reasons.add(TrustGrade::c, "input_replaced",
                counted_text(m.input->replaced, "intensity", "intensities") +
                    " of the scene were not finite and were replaced by 0");
  const auto is_finite = [](const LayerMeasurement& layer) { return layer.non_finite.value_or(0) == 0; };
  const auto first = std::find_if_not(m.layers.begin(), m.layers.end(), is_finite);
  if (first == m.layers.end()) return;
  const auto layers = std::ssize(m.layers) - std::count_if(m.layers.begin(), m.layers.end(), is_finite);
  reasons.add(TrustGrade::c, "output_not_finite",
              "the outputs of " + counted_text(layers, "layer", "layers") +
                  " have NaN or infinite values in " + precision + "; the first is " + first->name);
}

void judge_samples(const Measurement& m, Reasons& reasons) {
  Statistics worst = m.wall.stats();
  std::int64_t fewest = worst.n;
  if (!m.compiled_wall.ms.empty()) {
    const Statistics compiled = m.compiled_wall.stats();
    fewest = std::min(fewest, compiled.n);
    if (relative_iqr(compiled) > relative_iqr(worst)) worst = compiled;
  }
  if (fewest == 0) return reasons.add(TrustGrade::x, "no_samples", "nothing was measured");
  if (fewest < wanted_samples)
    reasons.add(TrustGrade::c, "few_samples",
                counted_text(fewest, "sample", "samples") + " (recommended: at least " +
                    count_text(wanted_samples) + ")");
  if (const double spread = relative_iqr(worst); spread > steady_iqr)
    reasons.add(spread > fair_iqr ? TrustGrade::c : TrustGrade::b, "spread",
                "the IQR is " + percent_text(spread) + " of the median (recommended: at most " +
                    percent_text(steady_iqr, 0) + ")");
}

/// Compares the sum of the stages with the wall time. First subtracts the cost of the time stamps, which
/// lengthen the stages.
void judge_residual(const Measurement& m, Reasons& reasons) {
  const double wall = m.wall.stats().median, stages = m.sum_of_stages_ms();
  const double unmarked = stages - m.mark_cost_ms().value_or(0);
  if (wall <= 0 || std::abs(wall - unmarked) <= small_residual * wall) return;
  std::string text = "stages add up to " + percent_text(stages / wall, 0) + " of the wall time";
  if (unmarked != stages)
    text += ", " + percent_text(unmarked / wall, 0) + " after subtracting timer overhead (" +
            count_text(m.marks) + " timer events)";
  if (const auto runs = delayed_runs(m))
    text += " (" + percent_text(runs->stages_ms / wall, 0) +
            " if the stages of each run are added up, because the runs were delayed in different stages)";
  reasons.add(TrustGrade::c, "residual", std::move(text));
}

/// Adds the stages without a parent to the sums, one for each run. Returns false if a stage has fewer or more
/// samples.
bool add_tops(const StageTree& stages, std::vector<double>& sums) {
  for (const StageNode& node : stages.nodes) {
    if (node.parent >= 0) continue;
    if (node.samples_ms.size() != sums.size()) return false;
    for (std::size_t run = 0; run < sums.size(); ++run)
      sums[run] += node.samples_ms[run];
  }
  return true;
}

}  // namespace

char letter_of(TrustGrade grade) noexcept {
  return "ABCX"[static_cast<std::size_t>(grade)];
}

std::string_view meaning_of(TrustGrade grade) noexcept {
  switch (grade) {
    case TrustGrade::a:
      return "No reason was found to doubt the times.";
    case TrustGrade::b:
      return "The times are complete and steady, but a condition of the measurement was not fixed or is not "
             "known.";
    case TrustGrade::c:
      return "The times are complete, but the listed reasons limit their use.";
    case TrustGrade::x:
      break;
  }
  return "Do not compare these times.";
}

std::string Trust::text() const {
  std::string result(1, letter_of(grade));
  for (const TrustReason& reason : reasons) {
    if (reason.at_best != grade) break;
    result += (&reason == &reasons.front() ? ": " : "; ") + reason.text;
  }
  return result;
}

Trust trust_of(const Measurement& measurement, bool overflows) {
  Reasons reasons;
  if (overflows)
    reasons.add(TrustGrade::x, "overflow",
                "the scene does not fit the packing, so different voxels can get the same word");
  judge_samples(measurement, reasons);
  judge_residual(measurement, reasons);
  judge_throttling(measurement, reasons);
  judge_clocks(measurement, reasons);
  judge_others(measurement, reasons);
  judge_values(measurement, reasons);
  judge_output(measurement, reasons);
  return reasons.take();
}

std::optional<RunSums> delayed_runs(const Measurement& measurement) {
  if (measurement.device.kind == BackendKind::cuda || measurement.marked_ms.empty()) return std::nullopt;
  std::vector<double> sums(measurement.marked_ms.size(), 0.0);
  bool complete = add_tops(measurement.indexing, sums);
  for (const LayerMeasurement& layer : measurement.layers)
    complete = complete && add_tops(layer.stages, sums);
  const double stages = median_of(sums);
  if (!complete || stages - measurement.sum_of_stages_ms() <= small_residual * stages) return std::nullopt;
  std::vector<double> outside = measurement.marked_ms;
  for (std::size_t run = 0; run < outside.size(); ++run)
    outside[run] -= sums[run];
  return RunSums{stages, median_of(outside)};
}

std::string sum_of_stages_text(const Measurement& measurement) {
  const double sum = measurement.sum_of_stages_ms(), wall = measurement.wall.stats().median;
  std::string text = ms_text(sum);
  const auto cost = measurement.mark_cost_ms();
  if (!cost) return text;
  const std::string marks = count_text(measurement.marks) + " timer events";
  if (*cost <= 0) {
    text += "; timer overhead (" + marks + ") is below the spread of runs";
  } else {
    text += "; after subtracting " + ms_text(*cost) + " of timer overhead (" + marks +
            "): " + ms_text(sum - *cost);
    if (wall > 0) text += ", " + percent_text((sum - *cost) / wall, 0) + " of the wall time";
  }
  if (const auto runs = delayed_runs(measurement))
    text += "; added up within each run: " + ms_text(runs->stages_ms) + " in stages and " +
            ms_text(runs->outside_ms) + " outside of stages";
  return text;
}

}  // namespace spira

// Computes the facts about measurements: the times for each t of a sweep, and the times of the map searches.
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/lesson_run.hpp"
#include "engine/report/advice/threshold_model.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace spira {
namespace {

constexpr int largest_threshold = 10;  // The largest t, for K = 7.
constexpr std::array names_of_threshold{"measured_ms", "iqr_ms", "samples", "modelled_ms"};
constexpr std::array all_methods{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query};
constexpr std::array names_of_search{"search_ms", "preprocess_ms", "iqr_ms", "samples"};

std::string of_threshold(int threshold, const char* name) {
  return "threshold.t" + std::to_string(threshold) + "." + name;
}

const SweepRow& largest_of(const Sweep& sweep) {
  return *std::max_element(sweep.rows.begin(), sweep.rows.end(),
                           [](const SweepRow& a, const SweepRow& b) { return a.threshold < b.threshold; });
}

/// Returns the predicted time of the features of all layers for this t, in milliseconds. The prediction of a
/// layer uses the rate of each dataflow (work per time). The rates come from this layer, from other layers,
/// or from the assumption that both dataflows are equally fast. In the result, `rates` is the least reliable
/// source that was used. Returns an empty value if a layer cannot be predicted.
std::optional<ModelledTime> modelled_sum(const LessonRun& run, int threshold) {
  Plan plan = run.measurement->plan;
  set_threshold(plan, *run.network, threshold);
  ModelledTime sum;
  for (int layer = 0; layer < static_cast<int>(run.layer_densities.size()); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const auto time = modelled_features(*run.measurement, *run.network, layer, *run.layer_densities[at],
                                        plan.layers.at(at).threshold);
    if (!time) return std::nullopt;
    sum.features_ms += time->features_ms;
    sum.rates = std::max(sum.rates, time->rates);
  }
  return sum;
}

/// Returns the modelled time of the run for one t: the measured time for the largest t, plus the modelled
/// change of the feature time.
std::optional<ModelledTime> modelled_run(const LessonRun& run, const SweepRow& row) {
  if (!run.measurement || !run.network || run.layer_densities.size() != run.network->layers.size())
    return std::nullopt;
  const SweepRow& largest = largest_of(*network_sweep(run));
  const auto before = modelled_sum(run, largest.threshold), after = modelled_sum(run, row.threshold);
  if (largest.wall.ms.empty() || !before || !after) return std::nullopt;
  return ModelledTime{largest.wall.stats().median + after->features_ms - before->features_ms,
                      std::max(before->rates, after->rates)};
}

std::string of_search(MapAlgorithm algorithm, const char* name) {
  return "search_times." + std::string(text_of(algorithm)) + "." + name;
}

/// Returns the origin of a measured value, such as "median of 11 samples, IQR 0.012 ms, AMD EPYC 9654 (8
/// threads)".
std::string told_of(const Statistics& samples, const LessonRun& run) {
  std::string told =
      "median of " + counted_text(samples.n, "sample", "samples") + ", IQR " + ms_text(samples.iqr());
  if (!run.timed_on.empty()) told += ", " + run.timed_on;
  return told;
}

}  // namespace

std::vector<std::string> threshold_fact_names() {
  std::vector<std::string> names{"threshold.measured",     "threshold.fastest_t", "threshold.tied",
                                 "threshold.undecided",    "threshold.largest_t", "threshold.rates_of_others",
                                 "threshold.rates_by_work"};
  for (int t = 0; t <= largest_threshold; ++t) {
    for (const char* name : names_of_threshold)
      names.push_back(of_threshold(t, name));
  }
  return names;
}

std::vector<Fact> threshold_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the sweep", 0, 0});
  const Sweep* sweep = input.run ? network_sweep(*input.run) : nullptr;
  std::vector<Fact> facts{count_fact("threshold.measured", sweep != nullptr ? 1 : 0)};
  if (sweep == nullptr) return facts;
  if (const int fastest = sweep->fastest(); fastest >= 0)
    facts.push_back(
        count_fact("threshold.fastest_t", sweep->rows[static_cast<std::size_t>(fastest)].threshold));
  const auto stands = [](const char* standing) {
    return [standing](const SweepRow& row) { return row.standing == standing; };
  };
  const auto tied = std::count_if(sweep->rows.begin(), sweep->rows.end(), stands("tied"));
  const auto undecided = std::count_if(sweep->rows.begin(), sweep->rows.end(), stands("undecided"));
  facts.push_back(count_fact("threshold.tied", tied));
  facts.push_back(count_fact("threshold.undecided", undecided));
  facts.push_back(count_fact("threshold.largest_t", largest_of(*sweep).threshold));
  RatesOf rates = RatesOf::this_layer;
  for (const SweepRow& row : sweep->rows) {
    if (row.wall.ms.empty() || row.threshold < 0 || row.threshold > largest_threshold) continue;
    const Statistics wall = row.wall.stats();
    facts.push_back(exact_fact(of_threshold(row.threshold, "measured_ms"), wall.median, "ms"));
    facts.push_back(exact_fact(of_threshold(row.threshold, "iqr_ms"), wall.iqr(), "ms"));
    facts.push_back(count_fact(of_threshold(row.threshold, "samples"), wall.n));
    const auto modelled = modelled_run(*input.run, row);
    if (!modelled) continue;
    facts.push_back(exact_fact(of_threshold(row.threshold, "modelled_ms"), modelled->features_ms, "ms"));
    rates = std::max(rates, modelled->rates);
  }
  facts.push_back(count_fact("threshold.rates_of_others", rates == RatesOf::other_layers ? 1 : 0));
  facts.push_back(count_fact("threshold.rates_by_work", rates == RatesOf::work_alone ? 1 : 0));
  return facts;
}

std::vector<std::string> search_time_fact_names() {
  std::vector<std::string> names{"search_times.measured"};
  for (const MapAlgorithm algorithm : all_methods) {
    for (const char* name : names_of_search)
      names.push_back(of_search(algorithm, name));
  }
  return names;
}

std::vector<Fact> search_time_facts(const LessonInput& input, Job& job) {
  job.checkpoint({"reading the run", 0, 0});
  std::vector<Fact> facts;
  std::int64_t measured = 0;
  for (const SearchTimes& times : input.run ? input.run->searches : std::vector<SearchTimes>{}) {
    if (times.search_ms.empty()) continue;
    ++measured;
    const Statistics search = statistics(times.search_ms);
    const auto name = [&](const char* what) { return of_search(times.algorithm, what); };
    facts.push_back(exact_fact(name("search_ms"), search.median, "ms"));
    facts.back().source = told_of(search, *input.run);
    facts.push_back(exact_fact(name("preprocess_ms"), median_of(times.preprocess_ms), "ms"));
    if (!times.preprocess_ms.empty())
      facts.back().source = told_of(statistics(times.preprocess_ms), *input.run);
    facts.push_back(exact_fact(name("iqr_ms"), search.iqr(), "ms"));
    facts.push_back(count_fact(name("samples"), search.n));
  }
  facts.push_back(count_fact("search_times.measured", measured));
  return facts;
}

}  // namespace spira

#include "engine/lesson/facts/channel_facts.hpp"

#include "engine/lesson/facts/fact_list.hpp"

#include <algorithm>

namespace spira {
namespace {

constexpr int largest_threshold = 10;  // maximum t for K = 7

std::string of_threshold(int threshold) {
  return "channels.t" + std::to_string(threshold) + ".share";
}

}  // namespace

double modelled_work(const DataflowWork& work, const ThresholdCount& count, int c_in, int c_out) {
  const double in = c_in, out = c_out;
  const auto longer = [](double products, double values) {
    return std::max(products, values * products_a_value);
  };
  const auto slots = static_cast<double>(count.dense_slots), filled = static_cast<double>(count.dense_pairs),
             pairs = static_cast<double>(count.sparse_pairs);
  const double written = count.dense_columns > 0 ? static_cast<double>(work.outputs) * out : 0;
  return longer(slots * in * out, (filled * in) + written) +
         longer(pairs * in * out, pairs * (in + (2 * out)));
}

double modelled_pair_price(int c_in, int c_out) {
  const double products = static_cast<double>(c_in) * c_out;
  return std::max(products, products_a_value * (c_in + (2.0 * c_out))) / products;
}

std::vector<std::string> channel_fact_names() {
  std::vector<std::string> names{"channels.in", "channels.out", "channels.pair_price", "channels.best_t",
                                 "channels.products_a_value"};
  for (int t = 0; t <= largest_threshold; ++t)
    names.push_back(of_threshold(t));
  return names;
}

std::vector<Fact> channel_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  const DataflowWork work = count_work(level, level, offsets_of(input), job);
  const auto [in, out] = std::pair{input.trial.c_in, input.trial.c_out};
  const double all_rows = modelled_work(work, work.thresholds.back(), in, out);
  double least = all_rows;
  int best = work.thresholds.back().threshold;
  std::vector<Fact> facts{count_fact("channels.in", in), count_fact("channels.out", out),
                          exact_fact("channels.pair_price", modelled_pair_price(in, out)),
                          count_fact("channels.products_a_value", products_a_value)};
  for (auto count = work.thresholds.rbegin(); count != work.thresholds.rend(); ++count) {
    const double modelled = modelled_work(work, *count, in, out);
    if (modelled < least) {
      least = modelled;
      best = count->threshold;
    }
    facts.push_back(exact_fact(of_threshold(count->threshold), all_rows > 0 ? modelled / all_rows : 0));
  }
  facts.push_back(count_fact("channels.best_t", best));
  return facts;
}

}  // namespace spira

#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/fact_list.hpp"
#include "engine/lesson/shuffled_level.hpp"

#include <array>
#include <cmath>

namespace spira {
namespace {

constexpr int largest_threshold = 10;  // maximum t for K = 7
constexpr std::array pair_costs{1, 2, 4, 8, 16, 32};
constexpr std::string_view bytes = "B";

/// Last parts of the names of the facts about one threshold.
constexpr std::array names_of_threshold{"dense_columns",         "dense_slots_per_voxel",
                                        "dense_pairs_per_voxel", "sparse_pairs_per_voxel",
                                        "wasted_share",          "collisions_per_voxel",
                                        "most_additions",        "map_bytes",
                                        "half_map_bytes",        "break_even"};

std::string of_threshold(const std::string& group, const std::string& threshold, const char* name) {
  return group + "t" + threshold + "." + name;
}

double share(std::int64_t part, std::int64_t of) {
  return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : 0;
}

class FactList {
 public:
  FactList(std::string group, const DataflowWork& work) : group_(std::move(group)), work_(work) {}

  void tell(const std::string& name, double value, std::string_view unit = {}) {
    facts_.push_back({group_ + name, value, 0, std::string(unit), 0, 0});
  }
  void add_threshold(const std::string& label, const ThresholdCount& count) {
    const auto add_one = [&](const char* name, double value, std::string_view unit = {}) {
      facts_.push_back({of_threshold(group_, label, name), value, 0, std::string(unit), 0, 0});
    };
    add_one("dense_columns", count.dense_columns);
    add_one("dense_slots_per_voxel", share(count.dense_slots, work_.outputs));
    add_one("dense_pairs_per_voxel", share(count.dense_pairs, work_.outputs));
    add_one("sparse_pairs_per_voxel", share(count.sparse_pairs, work_.outputs));
    add_one("wasted_share", share(count.dense_slots - count.dense_pairs, count.dense_slots));
    add_one("collisions_per_voxel", share(count.collisions(), work_.outputs));
    add_one("most_additions", static_cast<double>(count.max_additions));
    add_one("map_bytes", static_cast<double>(count.map_bytes), bytes);
    add_one("half_map_bytes", static_cast<double>(count.half_map_bytes), bytes);
    if (const double even = work_.break_even(count.threshold); std::isfinite(even))
      add_one("break_even", even);
  }
  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::string group_;
  const DataflowWork& work_;
  std::vector<Fact> facts_;
};

std::vector<Fact> facts_of_work(const std::string& group, const DataflowWork& work) {
  FactList facts(group, work);
  facts.tell("voxels", static_cast<double>(work.outputs));
  facts.tell("columns", work.columns);
  facts.tell("pairs_per_voxel", share(work.pairs, work.outputs));
  facts.tell("max_threshold", work.thresholds.back().threshold);
  facts.tell("search_bytes", static_cast<double>(work.search_bytes), bytes);
  facts.tell("run_bytes", static_cast<double>(work.run_bytes), bytes);
  for (const ThresholdCount& count : work.thresholds)
    facts.add_threshold(std::to_string(count.threshold), count);
  facts.add_threshold("max", work.thresholds.back());
  for (const int cost : pair_costs)
    facts.tell("best_t.pair_costs_" + std::to_string(cost), work.best_threshold(cost));
  return facts.take();
}

std::vector<std::string> names_of(const std::string& group) {
  std::vector<std::string> names;
  for (const char* name :
       {"voxels", "columns", "pairs_per_voxel", "max_threshold", "search_bytes", "run_bytes"})
    names.push_back(group + name);
  for (int t = 0; t <= largest_threshold + 1; ++t) {
    const std::string label = t <= largest_threshold ? std::to_string(t) : "max";
    for (const char* name : names_of_threshold)
      names.push_back(of_threshold(group, label, name));
  }
  for (const int cost : pair_costs)
    names.push_back(group + "best_t.pair_costs_" + std::to_string(cost));
  return names;
}

}  // namespace

std::vector<std::string> work_fact_names() {
  return names_of("work.");
}

std::vector<Fact> work_facts(const LessonInput& input, Job& job) {
  const CoordSet& level = input.scene->level(input.stride);
  return facts_of_work("work.", count_work(level, level, offsets_of(input), job));
}

std::vector<std::string> shuffled_work_fact_names() {
  return names_of("work_shuffled.");
}

std::vector<Fact> shuffled_work_facts(const LessonInput& input, Job& job) {
  const CoordSet shuffled = shuffled_level(input.scene->level(input.stride), shuffle_seed, job);
  return facts_of_work("work_shuffled.", count_work(shuffled, shuffled, offsets_of(input), job));
}

}  // namespace spira

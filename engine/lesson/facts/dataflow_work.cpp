#include "engine/lesson/facts/dataflow_work.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "engine/run/replay/level_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spira {
namespace {

constexpr std::int64_t outputs_per_checkpoint = 8192;

/// Counts the matches of one output after another, separately for each L1 norm. The anchors ascend with the
/// outputs, so the search of each z-group only moves forward.
class NormWalk {
 public:
  NormWalk(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets)
      : inputs_(in),
        outputs_(out),
        kernel_size_(offsets.z_cells()),
        stride_(in.rule.stride()[2]),
        delta_(packed_offsets(offsets, in.pack)),
        at_(static_cast<std::size_t>(offsets.z_groups()), 0) {
    for (int column = 0; column < offsets.columns(); ++column)
      norm_.push_back(offsets.l1(column));
    matches_.resize(static_cast<std::size_t>(offsets.max_l1()) + 1);
  }

  /// Returns the number of matches of `output` per L1 norm. Must be called once per output, in ascending
  /// order.
  const std::vector<std::int64_t>& matches(std::int64_t output) {
    std::fill(matches_.begin(), matches_.end(), 0);
    const std::int64_t reach = std::int64_t{kernel_size_ - 1} * stride_;
    for (std::size_t group = 0; group < at_.size(); ++group) {
      const std::size_t anchor = group * static_cast<std::size_t>(kernel_size_);
      const std::int64_t wanted = outputs_[output] + delta_[anchor];
      std::int64_t& at = at_[group];
      while (at < inputs_.size() && inputs_[at] < wanted)
        ++at;
      for (std::int64_t next = at; next < inputs_.size() && inputs_[next] - wanted <= reach; ++next) {
        const auto iz = static_cast<std::size_t>((inputs_[next] - wanted) / stride_);
        ++matches_[static_cast<std::size_t>(norm_[anchor + iz])];
      }
    }
    return matches_;
  }

 private:
  LevelKeys inputs_, outputs_;
  int kernel_size_, stride_;
  std::vector<std::int64_t> delta_, at_, matches_;
  std::vector<int> norm_;
};

void add_output(const std::vector<std::int64_t>& matches_by_norm, std::vector<ThresholdCount>& thresholds) {
  std::int64_t beyond = 0;  // Number of matches whose norm is at least t.
  for (std::size_t t = matches_by_norm.size(); t-- > 0;) {
    beyond += matches_by_norm[t];
    ThresholdCount& count = thresholds[t];
    count.sparse_pairs += beyond;
    count.sparse_outputs += beyond > 0 ? 1 : 0;
    count.max_additions = std::max(count.max_additions, beyond);
  }
}

std::size_t list_bytes(std::int64_t pairs, std::int64_t columns) {
  return (static_cast<std::size_t>(pairs) * 2 * sizeof(std::int32_t)) +
         (static_cast<std::size_t>(columns) * sizeof(std::int32_t));
}

void finish(DataflowWork& work, const KernelOffsets& offsets) {
  for (ThresholdCount& count : work.thresholds) {
    count.dense_columns = static_cast<int>(offsets.dense_columns(count.threshold).size());
    count.dense_slots = work.outputs * count.dense_columns;
    count.dense_pairs = work.pairs - count.sparse_pairs;
    const std::size_t dense_bytes = static_cast<std::size_t>(count.dense_slots) * sizeof(std::int32_t);
    const int sparse_columns = work.columns - count.dense_columns;
    count.map_bytes = dense_bytes + list_bytes(count.sparse_pairs, sparse_columns);
    count.half_map_bytes = count.map_bytes;
    if (!work.symmetric) continue;
    // The centre offset is its own mirror image, so its column is stored with all its pairs. This column has
    // a pair for every output, and is sparse only for t = 0.
    const int centre = count.threshold == 0 ? 1 : 0;
    const std::int64_t centre_pairs = centre * work.outputs;
    count.half_map_bytes = dense_bytes + list_bytes(((count.sparse_pairs - centre_pairs) / 2) + centre_pairs,
                                                    ((sparse_columns - centre) / 2) + centre);
  }
}

}  // namespace

int DataflowWork::best_threshold(double pair_cost) const {
  int best = 0;
  for (const ThresholdCount& count : thresholds) {
    if (count.work(pair_cost) <= thresholds[static_cast<std::size_t>(best)].work(pair_cost))
      best = count.threshold;
  }
  return best;
}

double DataflowWork::break_even(int threshold) const {
  const ThresholdCount& count = thresholds.at(static_cast<std::size_t>(threshold));
  if (count.sparse_pairs == 0) return std::numeric_limits<double>::infinity();
  const std::int64_t slots_saved = thresholds.back().dense_slots - count.dense_slots;
  return static_cast<double>(slots_saved) / static_cast<double>(count.sparse_pairs);
}

DataflowWork count_work(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets, Job& job) {
  SPIRA_ASSERT(in.pack == out.pack && offsets.stride() == in.rule.stride(),
               "the offsets must belong to the level");
  DataflowWork work;
  work.kernel_size = offsets.z_cells();
  work.stride = in.stride;
  work.columns = offsets.columns();
  work.symmetric = in.stride == out.stride && offsets.centred();
  work.outputs = size_of(out);
  for (int t = 0; t <= offsets.max_threshold(); ++t) {
    work.thresholds.emplace_back();
    work.thresholds.back().threshold = t;
  }
  NormWalk walk(in, out, offsets);
  for (std::int64_t output = 0; output < work.outputs; ++output) {
    if (output % outputs_per_checkpoint == 0)
      job.checkpoint({"counting the work of the dataflows", output, work.outputs});
    add_output(walk.matches(output), work.thresholds);
  }
  work.pairs = work.thresholds.front().sparse_pairs;
  constexpr std::int64_t max_positions_of_narrow_words = std::int64_t{1} << 32;
  const bool narrow = size_of(in) <= max_positions_of_narrow_words >> offsets.z_cells();
  const auto outputs = static_cast<std::size_t>(work.outputs);
  work.search_bytes = outputs * static_cast<std::size_t>(work.columns) * sizeof(std::int32_t);
  work.run_bytes = outputs * static_cast<std::size_t>(offsets.z_groups()) * (narrow ? 4 : 8);
  finish(work, offsets);
  return work;
}

namespace {

constexpr int largest_threshold = 10;  // The largest t, for K = 7.
constexpr std::array pair_costs{1, 2, 4, 8, 16, 32};
constexpr std::string_view bytes = "B";

/// The last parts of the names of all facts about a threshold t.
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

namespace {

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

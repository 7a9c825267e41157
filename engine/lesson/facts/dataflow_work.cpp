#include "engine/lesson/facts/dataflow_work.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/level_keys.hpp"

#include <algorithm>
#include <limits>

namespace spira {
namespace {

constexpr std::int64_t outputs_per_checkpoint = 8192;

/// Counts the matches of each output by L1 norm, one output after another. The anchors ascend with the
/// outputs, so the search of each z-group only moves forward.
class NormWalk {
 public:
  NormWalk(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets)
      : inputs_(in),
        outputs_(out),
        kernel_size_(offsets.kernel_size()),
        stride_(in.stride),
        delta_(packed_offsets(offsets, in.pack)),
        at_(static_cast<std::size_t>(offsets.z_groups()), 0) {
    for (int column = 0; column < offsets.columns(); ++column)
      norm_.push_back(offsets.l1(column));
    matches_.resize(static_cast<std::size_t>(offsets.max_l1()) + 1);
  }

  /// Returns the number of matches of `output` for each L1 norm. Must be called once for each output, in
  /// ascending order.
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
  std::int64_t beyond = 0;  // matches whose norm is at least t
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
    // The centre offset mirrors itself, so its column is stored in full. It matches every output, and is
    // sparse only if t = 0.
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
  SPIRA_ASSERT(in.pack == out.pack && offsets.stride() == in.stride, "the offsets must belong to the level");
  DataflowWork work;
  work.kernel_size = offsets.kernel_size();
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
  const bool narrow = size_of(in) <= max_positions_of_narrow_words >> offsets.kernel_size();
  const auto outputs = static_cast<std::size_t>(work.outputs);
  work.search_bytes = outputs * static_cast<std::size_t>(work.columns) * sizeof(std::int32_t);
  work.run_bytes = outputs * static_cast<std::size_t>(offsets.z_groups()) * (narrow ? 4 : 8);
  finish(work, offsets);
  return work;
}

}  // namespace spira

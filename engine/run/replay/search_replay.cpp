#include "engine/run/replay/search_replay.hpp"

#include "engine/run/replay/block_sample.hpp"
#include "engine/run/replay/hash_slots.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace spira {
namespace {

using Array = Lockstep::Array;
using Found = std::function<void(std::int64_t, int, std::int64_t)>;

/// One value per thread of a warp.
using Lanes = std::array<std::int64_t, Lockstep::threads>;

/// The data of one kernel map that all search methods read.
struct Subject {
  LevelKeys inputs, outputs;
  std::vector<std::int64_t> delta;
  int kernel_size, stride;
  std::int64_t largest_key;

  [[nodiscard]] int groups() const noexcept { return kernel_size * kernel_size; }
  [[nodiscard]] std::int64_t query(std::int64_t output, int column) const {
    return outputs[output] + delta[static_cast<std::size_t>(column)];
  }
  void compare(Lockstep& warp, std::int64_t at) const {
    warp.compare(Array::keys, at, inputs.bytes_of_key());
  }
};

/// A warp. Its threads process consecutive outputs.
struct Warp {
  std::int64_t first;
  int threads;
};

/// Runs lower_bound() in all threads in lockstep. Each thread searches from its own `begin` to its own `end`.
/// The results are in `begin`.
void search_together(const Subject& subject, int threads, const Lanes& wanted, Lanes& begin, Lanes& end,
                     Lockstep& warp) {
  do {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(threads); ++lane) {
      if (begin[lane] >= end[lane]) continue;
      const std::int64_t middle = begin[lane] + ((end[lane] - begin[lane]) >> 1);
      subject.compare(warp, middle);
      (subject.inputs[middle] < wanted[lane] ? begin[lane] = middle + 1 : end[lane] = middle);
    }
  } while (warp.end_step());
}

/// Compares the query of each thread with the input at which its search ended. This needs one more comparison
/// per thread. Returns the number of matches.
std::int64_t compare_found(const Subject& subject, int threads, const Lanes& wanted, const Lanes& at,
                           std::int64_t end, Lockstep& warp) {
  std::int64_t matches = 0;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(threads); ++lane) {
    if (at[lane] >= end) continue;
    subject.compare(warp, at[lane]);
    matches += subject.inputs[at[lane]] == wanted[lane] ? 1 : 0;
  }
  static_cast<void>(warp.end_step());
  return matches;
}

Lanes queries_of(const Subject& subject, const Warp& of, int column) {
  Lanes wanted{};
  for (int lane = 0; lane < of.threads; ++lane)
    wanted[static_cast<std::size_t>(lane)] = subject.query(of.first + lane, column);
  return wanted;
}

std::int64_t binary_search(const Subject& subject, const Warp& of, int column, Lockstep& warp) {
  const Lanes wanted = queries_of(subject, of, column);
  Lanes begin{}, end{};
  end.fill(subject.inputs.size());
  search_together(subject, of.threads, wanted, begin, end, warp);
  return compare_found(subject, of.threads, wanted, begin, subject.inputs.size(), warp);
}

/// Searches one z-group. All keys are multiples of the stride, so at most K keys from the anchor can match.
std::int64_t z_delta(const Subject& subject, const Warp& of, int group, Lockstep& warp,
                     std::vector<std::int64_t>& scan_lengths, const Found& found) {
  const int anchor = group * subject.kernel_size;
  const Lanes wanted = queries_of(subject, of, anchor);
  Lanes next{}, end{};
  end.fill(subject.inputs.size());
  search_together(subject, of.threads, wanted, next, end, warp);
  const Lanes first = next;
  for (std::size_t lane = 0; lane < end.size(); ++lane)
    end[lane] = std::min(subject.inputs.size(), first[lane] + subject.kernel_size);
  const std::int64_t reach = std::int64_t{subject.kernel_size - 1} * subject.stride;
  std::int64_t matches = 0;
  std::array<std::size_t, Lockstep::threads> read{};
  do {
    for (int at = 0; at < of.threads; ++at) {
      const auto lane = static_cast<std::size_t>(at);
      if (next[lane] >= end[lane]) continue;
      subject.compare(warp, next[lane]);
      ++read[lane];
      const std::int64_t dz = subject.inputs[next[lane]] - wanted[lane];
      if (dz > reach) {
        end[lane] = next[lane];
        continue;
      }
      if (found) found(of.first + at, anchor + static_cast<int>(dz / subject.stride), next[lane]);
      ++matches;
      ++next[lane];
    }
  } while (warp.end_step());
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(of.threads); ++lane)
    ++scan_lengths[read[lane]];
  return matches;
}

std::int64_t hash(const Subject& subject, const HashSlots& table, const Warp& of, int column,
                  Lockstep& warp) {
  constexpr std::int64_t bytes_of_slot = 8, bytes_of_position = 4;
  const Lanes wanted = queries_of(subject, of, column);
  std::array<std::optional<std::size_t>, Lockstep::threads> slot{};
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(of.threads); ++lane) {
    if (wanted[lane] >= 0 && wanted[lane] <= subject.largest_key) slot[lane] = table.first_slot(wanted[lane]);
  }
  std::vector<std::size_t> matched;
  do {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(of.threads); ++lane) {
      if (!slot[lane]) continue;
      warp.compare(Array::slots, static_cast<std::int64_t>(*slot[lane]), bytes_of_slot);
      if (table.holds(*slot[lane], wanted[lane])) {
        matched.push_back(*slot[lane]);
        slot[lane].reset();
      } else if (table.position(*slot[lane]) < 0) {
        slot[lane].reset();
      } else {
        slot[lane] = table.next_slot(*slot[lane]);
      }
    }
  } while (warp.end_step());
  for (const std::size_t at : matched)
    warp.read(Array::positions, static_cast<std::int64_t>(at), bytes_of_position);
  static_cast<void>(warp.end_step());
  return static_cast<std::int64_t>(matched.size());
}

/// Returns the position of the first input that is not less than `wanted`. The 32 threads of a warp compare
/// 32 positions in each step.
std::int64_t search_by_warp(const Subject& subject, std::int64_t wanted, Lockstep& warp) {
  constexpr std::int64_t parts = Lockstep::threads + 1;
  std::int64_t begin = 0, end = subject.inputs.size();
  while (end > begin) {
    const std::int64_t step = (end - begin + parts - 1) / parts;
    std::int64_t below = 0;
    for (std::int64_t lane = 0; lane < Lockstep::threads; ++lane) {
      const std::int64_t at = begin + (step * (lane + 1)) - 1;
      if (at >= end) break;
      subject.compare(warp, at);
      below += subject.inputs[at] < wanted ? 1 : 0;
    }
    static_cast<void>(warp.end_step());
    if (below < Lockstep::threads) end = std::min(end, begin + (step * (below + 1)) - 1);
    begin = std::min(end, begin + (step * below));
  }
  return begin;
}

/// Searches one column of a block. First, two warps find the positions of the first and of the last query.
/// Then each thread searches only between these two positions.
std::int64_t sorted_query(const Subject& subject, std::int64_t first, std::int64_t last, int column,
                          Lockstep& warp) {
  const std::int64_t highest = subject.query(last, column);
  const std::int64_t window_begin = search_by_warp(subject, subject.query(first, column), warp);
  std::int64_t window_end = search_by_warp(subject, highest, warp);
  if (window_end < subject.inputs.size()) {
    subject.compare(warp, window_end);
    static_cast<void>(warp.end_step());
    window_end += subject.inputs[window_end] == highest ? 1 : 0;
  }
  std::int64_t matches = 0;
  for (std::int64_t output = first; output <= last; output += Lockstep::threads) {
    const Warp of{output, static_cast<int>(std::min<std::int64_t>(Lockstep::threads, last - output + 1))};
    const Lanes wanted = queries_of(subject, of, column);
    Lanes begin{}, end{};
    begin.fill(window_begin);
    end.fill(window_end);
    search_together(subject, of.threads, wanted, begin, end, warp);
    matches += compare_found(subject, of.threads, wanted, begin, window_end, warp);
  }
  return matches;
}

/// Counts the comparisons of a single thread. Also counts its reads, but only if the memory sector differs
/// from the sector of the previous read.
struct Walked {
  std::int64_t comparisons = 0, sectors = 0, sector = -1;

  void compare(const Subject& subject, std::int64_t at) {
    ++comparisons;
    const std::int64_t of = at * subject.inputs.bytes_of_key() / Lockstep::sector_bytes;
    sectors += of == sector ? 0 : 1;
    sector = of;
  }
};

/// Searches one z-group for all outputs of a block. Each search starts at the anchor of the previous output.
void walk(const Subject& subject, std::int64_t first, std::int64_t last, int group, Walked& walked) {
  const int anchor = group * subject.kernel_size;
  const std::int64_t reach = std::int64_t{subject.kernel_size - 1} * subject.stride;
  std::int64_t at = subject.inputs.lower_bound(
      subject.query(first, anchor),
      [&](std::int64_t, std::int64_t, std::int64_t middle) { walked.compare(subject, middle); });
  for (std::int64_t output = first; output <= last; ++output) {
    const std::int64_t wanted = subject.query(output, anchor);
    for (; at < subject.inputs.size(); ++at) {
      walked.compare(subject, at);
      if (subject.inputs[at] >= wanted) break;
    }
    for (std::int64_t next = at; next < subject.inputs.size(); ++next) {
      walked.compare(subject, next);
      if (subject.inputs[next] - wanted > reach) break;
    }
  }
}

SampledMean mean_of(const BlockMean& mean, std::int64_t blocks) {
  return {mean.value(), mean.error(blocks)};
}

/// Runs all search methods, block by block.
class Replay {
 public:
  Replay(const Subject& subject, const Found& found, Job& job)
      : subject_(subject),
        table_(subject.inputs, job),
        found_(found),
        scan_shares_(static_cast<std::size_t>(subject.kernel_size) + 1) {}

  void block(std::int64_t first, std::int64_t last) {
    const auto outputs = static_cast<double>(last - first + 1);
    const double queries = outputs * columns();
    sampled_queries_ += (last - first + 1) * columns();
    std::array<Lockstep, 4> counters{};
    std::vector<std::int64_t> scan_lengths(scan_shares_.size(), 0);
    for (std::int64_t output = first; output <= last; output += Lockstep::threads) {
      const Warp warp{output, static_cast<int>(std::min<std::int64_t>(Lockstep::threads, last - output + 1))};
      search(warp, counters, scan_lengths);
    }
    for (int column = 0; column < columns(); ++column)
      matches_[at(MapAlgorithm::sorted_query)] +=
          sorted_query(subject_, first, last, column, counters[at(MapAlgorithm::sorted_query)]);
    Walked walked;
    for (int group = 0; group < subject_.groups(); ++group)
      walk(subject_, first, last, group, walked);
    walk_.add(static_cast<double>(walked.comparisons), queries);
    walk_sectors_.add(static_cast<double>(walked.sectors), queries);
    for (std::size_t method = 0; method < counters.size(); ++method) {
      comparisons_.at(method).add(static_cast<double>(counters.at(method).comparisons()), queries);
      sectors_.at(method).add(static_cast<double>(counters.at(method).sectors()), queries);
    }
    add_scans(scan_lengths, outputs * subject_.groups());
  }

  [[nodiscard]] SearchReplay take(std::int64_t blocks) {
    SearchReplay result;
    result.kernel_size = subject_.kernel_size;
    result.stride = subject_.stride;
    result.inputs = subject_.inputs.size();
    result.outputs = subject_.outputs.size();
    result.queries = result.outputs * columns();
    result.sampled_queries = sampled_queries_;
    for (std::size_t index = 0; index < result.methods.size(); ++index) {
      MethodReplay& method = result.methods.at(index);
      method.algorithm = static_cast<MapAlgorithm>(index);
      const bool by_group = method.algorithm == MapAlgorithm::z_delta;
      method.searches = by_group ? result.outputs * subject_.groups() : result.queries;
      method.comparisons = mean_of(comparisons_.at(index), blocks);
      method.sectors = mean_of(sectors_.at(index), blocks);
      method.matches = matches_.at(index);
    }
    result.walk_comparisons = mean_of(walk_, blocks);
    result.walk_sectors = mean_of(walk_sectors_, blocks);
    result.scan_mean = mean_of(scanned_, blocks);
    for (const BlockMean& share : scan_shares_)
      result.scan_lengths.push_back(mean_of(share, blocks));
    result.slots = table_.slots();
    result.build_probes = table_.build_probes();
    return result;
  }

 private:
  [[nodiscard]] static std::size_t at(MapAlgorithm algorithm) { return static_cast<std::size_t>(algorithm); }
  [[nodiscard]] int columns() const { return subject_.groups() * subject_.kernel_size; }

  void search(const Warp& warp, std::array<Lockstep, 4>& counters, std::vector<std::int64_t>& scan_lengths) {
    for (int column = 0; column < columns(); ++column) {
      matches_[at(MapAlgorithm::binary_search)] +=
          binary_search(subject_, warp, column, counters[at(MapAlgorithm::binary_search)]);
      matches_[at(MapAlgorithm::hash)] +=
          hash(subject_, table_, warp, column, counters[at(MapAlgorithm::hash)]);
    }
    for (int group = 0; group < subject_.groups(); ++group)
      matches_[at(MapAlgorithm::z_delta)] +=
          z_delta(subject_, warp, group, counters[at(MapAlgorithm::z_delta)], scan_lengths, found_);
  }

  void add_scans(const std::vector<std::int64_t>& scan_lengths, double scans) {
    double keys = 0;
    for (std::size_t length = 0; length < scan_lengths.size(); ++length) {
      const auto so_long = static_cast<double>(scan_lengths[length]);
      scan_shares_[length].add(so_long, scans);
      keys += static_cast<double>(length) * so_long;
    }
    scanned_.add(keys, scans);
  }

  const Subject& subject_;
  HashSlots table_;
  const Found& found_;
  std::array<BlockMean, 4> comparisons_, sectors_;
  BlockMean walk_, walk_sectors_, scanned_;
  std::array<std::int64_t, 4> matches_{};
  std::vector<BlockMean> scan_shares_;
  std::int64_t sampled_queries_ = 0;
};

}  // namespace

SearchReplay replay_search(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets,
                           const ReplaySample& sample, Job& job, const Found& found) {
  SPIRA_ASSERT(in.pack == out.pack && offsets.stride() == in.rule.stride(),
               "the offsets must belong to the level");
  const std::int64_t largest = in.pack.word_bits() == 32 ? std::numeric_limits<std::uint32_t>::max()
                                                         : std::numeric_limits<std::int64_t>::max();
  const Subject subject{LevelKeys(in),     LevelKeys(out),      packed_offsets(offsets, in.pack),
                        offsets.z_cells(), in.rule.stride()[2], largest};
  const std::int64_t outputs = subject.outputs.size();
  const std::int64_t blocks = (outputs + replayed_outputs - 1) / replayed_outputs;
  // The minimum number of blocks for a reliable 95 % interval of the mean.
  constexpr std::int64_t fewest_blocks = 30;
  const std::int64_t wanted =
      std::max(fewest_blocks, sample.max_queries / (replayed_outputs * offsets.columns()));
  Replay replay(subject, found, job);
  const auto chosen = choose_blocks(blocks, wanted, sample.seed);
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    job.checkpoint({"replaying the searches", static_cast<std::int64_t>(at), std::ssize(chosen)});
    const std::int64_t first = chosen[at] * replayed_outputs;
    replay.block(first, std::min(outputs, first + replayed_outputs) - 1);
  }
  return replay.take(blocks);
}

}  // namespace spira

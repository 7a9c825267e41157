#include "engine/report/trace_slices.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace spira {
namespace {

std::int64_t ns_of(double ms) {
  // About a day. This limit prevents integer overflow in sums of invalid values from a file.
  constexpr double max_ns = 1e14;
  return std::llround(std::min(ms * 1e6, max_ns));
}

/// Places stages end to end on one thread. Uses whole nanoseconds, so that rounding cannot make the sum of
/// the children longer than their parent.
class EndToEnd {
 public:
  void add_stages(const StageTree& tree) {
    for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) {
      if (tree.nodes[static_cast<std::size_t>(node)].parent >= 0) continue;
      const std::int64_t length = median_ns(tree, node);
      add_branch(tree, node, end_, length);
      end_ += length;
    }
  }
  [[nodiscard]] std::vector<TraceSlice> take() { return std::move(slices_); }

 private:
  static std::int64_t median_ns(const StageTree& tree, int node) { return ns_of(tree.median_ms(node)); }

  /// Adds a stage and its children. The sum of the children's medians can exceed the median of their parent.
  /// Then all children are shortened by the same factor.
  void add_branch(const StageTree& tree, int node, std::int64_t begin, std::int64_t length) {
    const StageNode& here = tree.nodes[static_cast<std::size_t>(node)];
    slices_.push_back(
        {here.name, tree.key(node), median_process, 1, begin, begin + length, statistics(here.samples_ms)});
    const std::int64_t end = begin + length;
    begin = std::min(begin + 1, end);
    std::int64_t sum = 0;
    for (int child = node + 1; child < static_cast<int>(tree.nodes.size()); ++child)
      sum += tree.nodes[static_cast<std::size_t>(child)].parent == node ? median_ns(tree, child) : 0;
    const std::int64_t room = end - begin;
    const double factor = sum > room ? static_cast<double>(room) / static_cast<double>(sum) : 1.0;
    for (int child = node + 1; child < static_cast<int>(tree.nodes.size()); ++child) {
      if (tree.nodes[static_cast<std::size_t>(child)].parent != node) continue;
      const auto scaled = static_cast<std::int64_t>(static_cast<double>(median_ns(tree, child)) * factor);
      const std::int64_t drawn = std::min(scaled, end - begin);
      add_branch(tree, child, begin, drawn);
      begin += drawn;
    }
  }

  std::vector<TraceSlice> slices_;
  std::int64_t end_ = 0;
};

struct Drawn {
  std::int64_t begin = 0, end = 0;
  int depth = 0, index = 0;
};

/// Returns all spans. Children that exceed their parents are shortened.
std::vector<Drawn> drawn_spans(const Timeline& timeline) {
  std::vector<Drawn> all;
  for (int index = 0; index < static_cast<int>(timeline.spans.size()); ++index) {
    const TimelineSpan& span = timeline.spans[static_cast<std::size_t>(index)];
    Drawn drawn{ns_of(span.start_ms), ns_of(span.end_ms), 0, index};
    if (span.parent >= 0) {
      const Drawn& parent = all[static_cast<std::size_t>(span.parent)];
      drawn.begin = std::clamp(drawn.begin, std::min(parent.begin + 1, parent.end), parent.end);
      drawn.end = std::clamp(drawn.end, drawn.begin, parent.end);
      drawn.depth = parent.depth + 1;
    }
    all.push_back(drawn);
  }
  return all;
}

/// Returns the spans of a track, sorted by their begin. A parent precedes its children. Each span lies
/// inside or after the spans before it.
std::vector<Drawn> spans_on(const Timeline& timeline, const std::vector<Drawn>& all, int track) {
  std::vector<Drawn> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), [&](const Drawn& one) {
    return timeline.spans[static_cast<std::size_t>(one.index)].track == track;
  });
  std::stable_sort(result.begin(), result.end(), [](const Drawn& a, const Drawn& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.depth < b.depth;
  });
  std::vector<std::int64_t> behind;  // End of the last span at each depth.
  for (Drawn& drawn : result) {
    behind.resize(static_cast<std::size_t>(drawn.depth) + 1, 0);
    std::int64_t& end = behind.back();
    // Two time stamps can be swapped by a step of the clock.
    drawn.begin = std::max(drawn.begin, end);
    drawn.end = std::max(drawn.end, drawn.begin);
    end = drawn.end;
  }
  return result;
}

}  // namespace

std::vector<TraceSlice> median_slices(const Measurement& measurement) {
  EndToEnd writer;
  writer.add_stages(measurement.indexing);
  for (const LayerMeasurement& layer : measurement.layers)
    writer.add_stages(layer.stages);
  return writer.take();
}

std::vector<TraceSlice> recorded_slices(const Timeline& timeline) {
  if (const std::string fault = fault_of(timeline); !fault.empty())
    throw Error(ErrorKind::input, "trace: timeline.spans" + fault + "; work of one stream cannot overlap");
  const int process = timeline.clock == Clock::cuda_events ? gpu_process : host_process;
  const std::vector<Drawn> all = drawn_spans(timeline);
  std::vector<TraceSlice> slices;
  for (int track = 0; track < static_cast<int>(timeline.tracks.size()); ++track) {
    for (const Drawn& drawn : spans_on(timeline, all, track)) {
      const TimelineSpan& span = timeline.spans[static_cast<std::size_t>(drawn.index)];
      slices.push_back({span.stage.text(), span.stage, process, track + 1, drawn.begin, drawn.end,
                        statistics(span.samples_ms)});
    }
  }
  return slices;
}

}  // namespace spira

#include "engine/job/recorder.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

namespace spira {
namespace {

class SteadyStages final : public StageSource {
 public:
  [[nodiscard]] Clock clock() const noexcept override { return Clock::steady; }
  void mark(int slot) override {
    const auto index = static_cast<std::size_t>(slot);
    if (index >= times_.size()) times_.resize(index + 64);
    times_[index] = std::chrono::steady_clock::now();
  }
  void collect(std::span<double> since_start_ms) override {
    for (std::size_t slot = 0; slot < since_start_ms.size(); ++slot) {
      since_start_ms[slot] = std::chrono::duration<double, std::milli>(times_[slot] - times_[0]).count();
    }
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> times_ =
      std::vector<std::chrono::steady_clock::time_point>(256);
};

}  // namespace

std::unique_ptr<StageSource> make_steady_stages() {
  return std::make_unique<SteadyStages>();
}

struct Recorder::State {
  struct Interval {
    int node, begin_slot, end_slot;
    // The peak of the pool in bytes before this stage began. The enclosing stages need it.
    std::size_t peak_before;
  };

  State(StageSource& clock_source, MemoryPool* pool)
      : source(clock_source), memory(pool), live_before(pool == nullptr ? 0 : pool->used_bytes()) {
    tree.clock = source.clock();
  }

  int mark() {
    source.mark(slots);
    return slots++;
  }

  int node_of(std::string_view name) {
    const int parent = open.empty() ? -1 : intervals[open.back()].node;
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      if (tree.nodes[node].parent == parent && tree.nodes[node].name == name) return static_cast<int>(node);
    }
    StageNode node;
    node.name = std::string(name);
    node.parent = parent;
    tree.nodes.push_back(std::move(node));
    return static_cast<int>(tree.nodes.size()) - 1;
  }

  /// Returns the innermost open stage, or `nullptr` if no stage is open.
  StageNode* open_node() {
    if (open.empty()) return nullptr;
    return &tree.nodes[static_cast<std::size_t>(intervals[open.back()].node)];
  }

  /// Records the peak of a stage that ends. The pool has only one peak, which each stage resets when it
  /// begins. Therefore this function also restores the earlier peak for the enclosing stages.
  void end_peak(const Interval& interval) {
    if (memory == nullptr) return;
    const std::size_t live = memory->peak_bytes();
    memory->raise_peak(interval.peak_before);
    auto& peak = tree.nodes[static_cast<std::size_t>(interval.node)].peak_bytes;
    peak = std::max(peak, std::optional(live - std::min(live, live_before)));
  }

  void collect() {
    SPIRA_ASSERT(open.empty(), "a stage has not ended yet");
    std::vector<double> times(static_cast<std::size_t>(slots));
    source.collect(times);
    std::vector<double> sums(tree.nodes.size(),
                             // A stage that was not entered has the value -1. If a stage was entered several
                             // times, its times are added.
                             -1.0);
    for (const Interval& interval : intervals) {
      double& sum = sums[static_cast<std::size_t>(interval.node)];
      if (sum < 0) sum = 0;
      sum += times[static_cast<std::size_t>(interval.end_slot)] -
             times[static_cast<std::size_t>(interval.begin_slot)];
    }
    for (std::size_t node = 0; node < sums.size(); ++node) {
      if (sums[node] >= 0) tree.nodes[node].samples_ms.push_back(sums[node]);
    }
    if (timeline != nullptr && !intervals.empty()) keep_times(times);
    intervals.clear();
    if (slots > 0) marks_collected = slots;
    slots = 0;
  }

  /// Adds the repetition to the timeline. The intervals are sorted by their start, so a parent comes before
  /// its children.
  void keep_times(const std::vector<double>& times) {
    const auto at_ms = [&](int slot) { return times[static_cast<std::size_t>(slot)]; };
    std::vector<TimelineSpan> spans;
    std::vector<int> last_of(tree.nodes.size(), -1);  // The latest span of each node.
    double end_ms = 0;
    for (const Interval& interval : intervals) {
      const auto node = static_cast<std::size_t>(interval.node);
      const int parent = tree.nodes[node].parent;
      last_of[node] = static_cast<int>(spans.size());
      spans.push_back({tree.key(interval.node), 0,
                       parent < 0 ? -1 : last_of[static_cast<std::size_t>(parent)],
                       at_ms(interval.begin_slot), at_ms(interval.end_slot)});
      end_ms = std::max(end_ms, spans.back().end_ms);
    }
    timeline->add(std::move(spans), end_ms);
  }

  StageSource& source;
  MemoryPool* memory;
  TimelineBuilder* timeline = nullptr;
  std::size_t live_before;  // Bytes that were in use when the recorder was created.
  StageTree tree;
  std::vector<Interval> intervals;
  std::vector<std::size_t> open;  // Indices of the open intervals.
  int slots = 0, marks_collected = 0;
};

Recorder::Recorder(StageSource& source, MemoryPool* memory)
    : state_(std::make_unique<State>(source, memory)) {}
Recorder::~Recorder() = default;

Recorder::Scope::Scope(Recorder* recorder, std::string_view name)
    : recorder_(recorder), exceptions_(std::uncaught_exceptions()) {
  if (recorder_ == nullptr) return;
  State& state = *recorder_->state_;
  const int node = state.node_of(name);
  const std::size_t peak_before = state.memory == nullptr ? 0 : state.memory->peak_bytes();
  state.intervals.push_back({node, state.mark(), -1, peak_before});
  state.open.push_back(state.intervals.size() - 1);
  if (state.memory != nullptr)
    state.memory->reset_peak();  // Must be the last step, because nothing after it may throw.
}

Recorder::Scope::~Scope() {
  if (recorder_ == nullptr) return;
  State& state = *recorder_->state_;
  State::Interval& interval = state.intervals[state.open.back()];
  bool failed = std::uncaught_exceptions() > exceptions_;
  try {
    interval.end_slot = state.mark();
  } catch (...) {  // The device is lost. The next call reports this fault.
    interval.end_slot = interval.begin_slot;
    failed = true;
  }
  state.end_peak(interval);
  state.open.pop_back();
  if (failed) state.tree.nodes[static_cast<std::size_t>(interval.node)].failed = true;
}

void Recorder::add_traffic(std::int64_t bytes_read, std::int64_t bytes_written) {
  StageNode* const node = state_->open_node();
  SPIRA_ASSERT(node != nullptr, "memory traffic can only be added to an open stage");
  node->bytes_read += bytes_read;
  node->bytes_written += bytes_written;
}

void Recorder::add_kernel(std::string_view kernel) {
  if (StageNode* const node = state_->open_node()) add_to_list(node->kernel, kernel);
}

void Recorder::set_layout(std::string_view layout) {
  if (StageNode* const node = state_->open_node()) node->layout = layout;
}

void Recorder::keep_times(TimelineBuilder& into) {
  state_->timeline = &into;
}

int Recorder::marks() const noexcept {
  return state_->marks_collected;
}

void Recorder::next_repetition() {
  state_->collect();
}

StageTree Recorder::take() {
  state_->collect();
  StageTree result = std::move(state_->tree);
  state_->tree = {};
  state_->tree.clock = state_->source.clock();
  return result;
}

}  // namespace spira

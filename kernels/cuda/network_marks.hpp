// Marks in a captured network: nodes of its graph that record an event when the work before them is done. A
// graph without them is what runs; one with them tells when each piece of the same work began and ended.
#pragma once

#include "engine/job/job.hpp"
#include "engine/job/timeline.hpp"
#include "kernels/cuda/network_graph.hpp"

#include <functional>
#include <string>
#include <vector>

namespace spira::cuda {

/// An event that knows when it was reached. Move-only.
class TimedEvent {
 public:
  TimedEvent() { SPIRA_CUDA(cudaEventCreate(&event_)); }
  TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  TimedEvent& operator=(TimedEvent&&) = delete;
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  ~TimedEvent() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }
  void record(cudaStream_t stream) const { SPIRA_CUDA(cudaEventRecord(event_, stream)); }
  /// Within a capture it becomes a node of the graph, which records it anew in each launch.
  void record_in_capture(cudaStream_t stream) const {
    SPIRA_CUDA(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
  }
  /// Both must have been reached.
  [[nodiscard]] double ms_since(const TimedEvent& begin) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// The marks of one capture. The graph made of it must not outlive them.
class NetworkMarks {
 public:
  /// The reference that all times count from: before any other work of the capture.
  void begin(cudaStream_t stream) { mark(stream); }
  /// `work` hands over one piece of the network to `stream`, which is that of `track` (Branches::track).
  template <class Work> void around(std::string stage, int track, cudaStream_t stream, Work&& work) {
    const std::size_t start = mark(stream);
    work();
    pieces_.push_back({std::move(stage), track, start, mark(stream)});
  }
  void end(cudaStream_t stream) { mark(stream); }  ///< after all other work

  [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }
  /// "main branch", and the side branches as far as they were used.
  [[nodiscard]] std::vector<std::string> tracks() const;
  /// Adds the launch that ended last.
  void read(TimelineBuilder& into) const;

 private:
  struct Piece {
    std::string stage;
    int track;
    std::size_t start, end;  // indices of events_
  };
  std::size_t mark(cudaStream_t stream) {
    events_.emplace_back().record_in_capture(stream);
    return events_.size() - 1;
  }
  std::vector<TimedEvent> events_;
  std::vector<Piece> pieces_;
};

/// Hands over one piece of a network; with marks around it where there are any.
template <class Work>
void piece(NetworkMarks* marks, const std::string& stage, int track, cudaStream_t stream, Work&& work) {
  if (marks == nullptr) return work();
  marks->around(stage, track, stream, std::forward<Work>(work));
}

/// The same work twice, and how a graph is launched once, awaited and timed from outside (in ms).
struct MarkedNetwork {
  const Graph& plain;
  const Graph& marked;
  const NetworkMarks& marks;
  std::function<double(const Graph&)> launch;
};
[[nodiscard]] Timeline take_timeline(const MarkedNetwork& network, int repetitions, Job& job);

}  // namespace spira::cuda

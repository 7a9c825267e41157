// Timing marks in a captured network: graph nodes that record a CUDA event when the work before them is
// complete. NetworkRun::run() launches a graph without marks. A second graph contains the same work with
// marks. The marks give the start time and the end time of each piece of work.
#pragma once

#include "engine/job/job.hpp"
#include "engine/job/timeline.hpp"
#include "kernels/cuda/network/network_graph.hpp"

#include <functional>
#include <string>
#include <vector>

namespace spira::cuda {

/// The timing marks of one capture. The object must outlive the graph that was made from the capture.
class NetworkMarks {
 public:
  /// Adds the first mark. All times are relative to it. Must be called before all other work of the capture.
  void begin(cudaStream_t stream) { mark(stream); }
  /// Calls `work`, which queues one piece of the network on `stream`. Adds a mark before and after this
  /// piece. `stream` must belong to `track` (Branches::track).
  template <class Work> void around(std::string stage, int track, cudaStream_t stream, Work&& work) {
    const std::size_t start = mark(stream);
    work();
    pieces_.push_back({std::move(stage), track, start, mark(stream)});
  }
  /// Adds the last mark. Must be called after all other work of the capture.
  void end(cudaStream_t stream) { mark(stream); }

  [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }
  /// Returns "main branch" and the names of the side branches that have work.
  [[nodiscard]] std::vector<std::string> tracks() const;
  /// Adds the times of the last completed launch to `into`.
  void read(TimelineBuilder& into) const;

 private:
  struct Piece {
    std::string stage;
    int track;
    std::size_t start, end;  // Indices in events_.
  };
  std::size_t mark(cudaStream_t stream) {
    events_.emplace_back().record_in_capture(stream);
    return events_.size() - 1;
  }
  std::vector<TimedEvent> events_;
  std::vector<Piece> pieces_;
};

/// Calls `work`, which queues one piece of a network. Adds a mark before and after this piece unless `marks`
/// is `nullptr`.
template <class Work>
void piece(NetworkMarks* marks, const std::string& stage, int track, cudaStream_t stream, Work&& work) {
  if (marks == nullptr) return work();
  marks->around(stage, track, stream, std::forward<Work>(work));
}

/// Two graphs of the same network: one without timing marks and one with timing marks. `launch` launches a
/// graph once, waits for it, and returns its time in milliseconds, measured on the host.
struct MarkedNetwork {
  const Graph& plain;
  const Graph& marked;
  const NetworkMarks& marks;
  std::function<double(const Graph&)> launch;
};
[[nodiscard]] Timeline take_timeline(const MarkedNetwork& network, int repetitions, Job& job);

}  // namespace spira::cuda

// Classes that capture a network as a CUDA graph: the streams of the capture, the graph itself, and values
// that both the host and the device can access.
#pragma once

#include "kernels/cuda/device/handles.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace spira::cuda {

class Graph {
 public:
  Graph() = default;
  explicit Graph(const CapturedGraph& captured) {
    SPIRA_CUDA(cudaGraphGetNodes(captured.get(), nullptr, &nodes_));
    cudaGraphExec_t exec = nullptr;
    SPIRA_CUDA(cudaGraphInstantiate(&exec, captured.get(), 0));
    exec_.reset(exec);
  }

  [[nodiscard]] explicit operator bool() const noexcept { return exec_ != nullptr; }
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  void launch(cudaStream_t stream) const { SPIRA_CUDA(cudaGraphLaunch(exec_.get(), stream)); }

 private:
  GraphExec exec_;
  std::size_t nodes_ = 0;
};

/// Captures the work of a main stream, and of side streams that run in parallel with the main stream.
class Branches {
 public:
  /// An event that follows the work that is currently queued on a stream. It is valid until the next capture
  /// begins.
  using Mark = cudaEvent_t;

  explicit Branches(cudaStream_t main) : main_(main) {
    for (Stream& stream : sides_)
      stream = make_stream();
  }

  /// Returns the side stream for a number. Numbers are assigned to the streams round-robin. In a timeline,
  /// the main stream is track 0.
  [[nodiscard]] cudaStream_t side(std::size_t number) const {
    return sides_.at(number % sides_.size()).get();
  }
  [[nodiscard]] int track(std::size_t number) const { return 1 + static_cast<int>(number % sides_.size()); }
  void begin() {
    // The marks belong to the previous capture, and its graph no longer needs them.
    marks_.clear();
    SPIRA_CUDA(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
  }
  /// Makes all side streams wait for the work that is already queued on the main stream.
  void fork() {
    const Mark mark_of_main = mark(main_);
    for (const Stream& stream : sides_)
      wait(stream.get(), mark_of_main);
  }
  [[nodiscard]] Mark mark(cudaStream_t stream) {
    const Mark event = marks_.emplace_back(make_event()).get();
    SPIRA_CUDA(cudaEventRecord(event, stream));
    return event;
  }
  void wait(cudaStream_t stream, Mark event) { SPIRA_CUDA(cudaStreamWaitEvent(stream, event, 0)); }
  /// Ends and discards a capture that failed.
  void abandon() noexcept {
    cudaGraph_t captured = nullptr;
    static_cast<void>(cudaStreamEndCapture(main_, &captured));
    const CapturedGraph discarded(captured);
    // This call clears the error. Otherwise the next call of the runtime would return it.
    static_cast<void>(cudaGetLastError());
  }
  /// Ends the capture and returns its graph. The main stream must have waited for all side streams.
  [[nodiscard]] Graph end() {
    cudaGraph_t captured = nullptr;
    SPIRA_CUDA(cudaStreamEndCapture(main_, &captured));
    return Graph(CapturedGraph(captured));
  }

 private:
  cudaStream_t main_;
  std::array<Stream, 4> sides_;
  std::vector<Event> marks_;
};

/// A value in host memory that kernels can write.
template <class T> class Mapped {
 public:
  Mapped() {
    void* memory = nullptr;
    SPIRA_CUDA(cudaHostAlloc(&memory, sizeof(T), cudaHostAllocMapped));
    value_.reset(std::construct_at(static_cast<T*>(memory)));
  }
  [[nodiscard]] T* get() const noexcept { return value_.get(); }

 private:
  HostValue<T> value_;
};

}  // namespace spira::cuda

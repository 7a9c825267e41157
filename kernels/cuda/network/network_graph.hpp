// Owners of the CUDA resources of a captured network: the branches of a capture, the graph, and memory that
// both host and device can access.
#pragma once

#include "kernels/cuda/device/check.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace spira::cuda {

/// An instantiated graph. Move-only.
class Graph {
 public:
  Graph() = default;
  explicit Graph(cudaGraph_t captured) {
    SPIRA_CUDA(cudaGraphGetNodes(captured, nullptr, &nodes_));
    SPIRA_CUDA(cudaGraphInstantiate(&exec_, captured, 0));
  }
  Graph(Graph&& other) noexcept { swap(other); }
  Graph& operator=(Graph&& other) noexcept {
    Graph moved(std::move(other));
    swap(moved);
    return *this;
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (exec_ != nullptr) static_cast<void>(cudaGraphExecDestroy(exec_));
  }

  [[nodiscard]] explicit operator bool() const noexcept { return exec_ != nullptr; }
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  void launch(cudaStream_t stream) const { SPIRA_CUDA(cudaGraphLaunch(exec_, stream)); }

 private:
  void swap(Graph& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(nodes_, other.nodes_);
  }
  cudaGraphExec_t exec_ = nullptr;
  std::size_t nodes_ = 0;
};

/// Captures the work of a main stream and of side streams that run in parallel to it.
class Branches {
 public:
  using Mark = cudaEvent_t;  ///< Marks the work queued so far. Valid until the next capture begins.

  explicit Branches(cudaStream_t main) : main_(main) {
    for (cudaStream_t& stream : sides_)
      SPIRA_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  ~Branches() {
    for (const Mark event : marks_)
      static_cast<void>(cudaEventDestroy(event));
    for (const cudaStream_t stream : sides_)
      static_cast<void>(cudaStreamDestroy(stream));
  }
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

  /// Side branches are assigned in rotation. The track of the main branch is 0.
  [[nodiscard]] cudaStream_t side(std::size_t number) const { return sides_.at(number % sides_.size()); }
  [[nodiscard]] int track(std::size_t number) const { return 1 + static_cast<int>(number % sides_.size()); }
  void begin() {
    for (const Mark event : marks_)  // marks of the previous capture, whose graph no longer needs them
      static_cast<void>(cudaEventDestroy(event));
    marks_.clear();
    SPIRA_CUDA(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
  }
  /// Makes all side streams continue after the current work of the main stream.
  void fork() {
    const Mark mark_of_main = mark(main_);
    for (const cudaStream_t stream : sides_)
      wait(stream, mark_of_main);
  }
  [[nodiscard]] Mark mark(cudaStream_t stream) {
    Mark event = nullptr;
    SPIRA_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    marks_.push_back(event);
    SPIRA_CUDA(cudaEventRecord(event, stream));
    return event;
  }
  void wait(cudaStream_t stream, Mark event) { SPIRA_CUDA(cudaStreamWaitEvent(stream, event, 0)); }
  /// Ends a capture that failed and discards it.
  void abandon() noexcept {
    cudaGraph_t captured = nullptr;
    if (cudaStreamEndCapture(main_, &captured) == cudaSuccess) static_cast<void>(cudaGraphDestroy(captured));
    static_cast<void>(cudaGetLastError());  // clear the error, or the next call would report it
  }
  /// Ends the capture. The main stream must have waited for all others.
  [[nodiscard]] Graph end() {
    cudaGraph_t captured = nullptr;
    SPIRA_CUDA(cudaStreamEndCapture(main_, &captured));
    const std::unique_ptr<CUgraph_st, void (*)(cudaGraph_t)> owner(
        captured, [](cudaGraph_t graph) { static_cast<void>(cudaGraphDestroy(graph)); });
    return Graph(captured);
  }

 private:
  cudaStream_t main_;
  std::array<cudaStream_t, 4> sides_{};
  std::vector<Mark> marks_;
};

/// A value in host memory that kernels can write.
template <class T> class Mapped {
 public:
  Mapped() {
    void* memory = nullptr;
    SPIRA_CUDA(cudaHostAlloc(&memory, sizeof(T), cudaHostAllocMapped));
    value_ = std::construct_at(static_cast<T*>(memory));
  }
  ~Mapped() { static_cast<void>(cudaFreeHost(value_)); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] T* get() const noexcept { return value_; }

 private:
  T* value_ = nullptr;
};

}  // namespace spira::cuda

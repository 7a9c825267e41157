// Owners of CUDA objects: streams, events, graphs and memory pools. The destructor of an owner destroys its
// object.
#pragma once

#include "engine/base/error.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <string_view>

namespace spira::cuda {

// The declarations below convert errors of the CUDA runtime to Error(device).

/// Throws Error(device) if `result` is an error. The message is a single line and ends with the source
/// position, for developers: users cannot correct the failed call.
inline void require(cudaError_t result, const char* file, int line) {
  if (result == cudaSuccess) return;
  const std::string_view path(file);
  throw Error(ErrorKind::device,
              std::string("GPU error: ") + cudaGetErrorString(result) + " (" + cudaGetErrorName(result) +
                  " at " + std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line) + ")");
}

}  // namespace spira::cuda

#define SPIRA_CUDA(call) ::spira::cuda::require((call), __FILE__, __LINE__)

namespace spira::cuda {

/// Destroys a CUDA object. Ignores errors: they occur only if the device is lost or if the process is ending.
template <auto destroy> struct DestroyWith {
  template <class Object> void operator()(Object* object) const noexcept {
    static_cast<void>(destroy(object));
  }
};

using Stream = std::unique_ptr<CUstream_st, DestroyWith<cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, DestroyWith<cudaEventDestroy>>;
using CapturedGraph = std::unique_ptr<CUgraph_st, DestroyWith<cudaGraphDestroy>>;
using GraphExec = std::unique_ptr<CUgraphExec_st, DestroyWith<cudaGraphExecDestroy>>;
using MemPool = std::unique_ptr<CUmemPoolHandle_st, DestroyWith<cudaMemPoolDestroy>>;
template <class T> using DeviceValue = std::unique_ptr<T, DestroyWith<cudaFree>>;
template <class T> using HostValue = std::unique_ptr<T, DestroyWith<cudaFreeHost>>;

/// Makes a device the current device of the calling thread. The destructor makes the previous device current
/// again, so that other code of the thread continues on its own device.
class KeptDevice {
 public:
  /// Leaves the current device unchanged, so that the code below may change it.
  KeptDevice() : known_(cudaGetDevice(&previous_) == cudaSuccess) {}
  explicit KeptDevice(int device) : KeptDevice() { SPIRA_CUDA(cudaSetDevice(device)); }
  ~KeptDevice() {
    // This call fails only if the device is lost. The next call to the device then reports the loss.
    if (known_) static_cast<void>(cudaSetDevice(previous_));
  }
  KeptDevice(const KeptDevice&) = delete;
  KeptDevice& operator=(const KeptDevice&) = delete;

 private:
  int previous_ = 0;
  bool known_;
};

/// Returns a new stream on the current device. The stream does not synchronise with the default stream.
[[nodiscard]] inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  SPIRA_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

/// Returns a new event for which other streams can wait. The event does not store a time.
[[nodiscard]] inline Event make_event() {
  cudaEvent_t event = nullptr;
  SPIRA_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return Event(event);
}

/// A CUDA event that records the time at which the stream reaches it.
class TimedEvent {
 public:
  TimedEvent() {
    cudaEvent_t event = nullptr;
    SPIRA_CUDA(cudaEventCreate(&event));
    event_.reset(event);
  }
  void record(cudaStream_t stream) const { SPIRA_CUDA(cudaEventRecord(event_.get(), stream)); }
  /// Records the event within a stream capture. The event becomes a node of the graph, and each launch of the
  /// graph records it again.
  void record_in_capture(cudaStream_t stream) const {
    SPIRA_CUDA(cudaEventRecordWithFlags(event_.get(), stream, cudaEventRecordExternal));
  }
  /// Waits until the stream has reached the event.
  void wait() const { SPIRA_CUDA(cudaEventSynchronize(event_.get())); }
  /// Returns the time since `begin`, in milliseconds. The stream must have reached both events.
  [[nodiscard]] double ms_since(const TimedEvent& begin) const {
    float ms = 0;
    SPIRA_CUDA(cudaEventElapsedTime(&ms, begin.event_.get(), event_.get()));
    return static_cast<double>(ms);
  }

 private:
  Event event_;
};

}  // namespace spira::cuda

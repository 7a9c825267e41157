#include "kernels/cuda/device/event_stages.hpp"

#include "kernels/cuda/device/check.hpp"

#include <vector>

namespace spira::cuda {
namespace {

class EventStages final : public StageSource {
 public:
  explicit EventStages(cudaStream_t stream) : stream_(stream) {}
  ~EventStages() override {
    for (const cudaEvent_t event : events_)
      static_cast<void>(cudaEventDestroy(event));
  }
  EventStages(const EventStages&) = delete;
  EventStages& operator=(const EventStages&) = delete;

  [[nodiscard]] Clock clock() const noexcept override { return Clock::cuda_events; }
  void mark(int slot) override {
    while (static_cast<int>(events_.size()) <= slot) {
      cudaEvent_t event = nullptr;
      SPIRA_CUDA(cudaEventCreate(&event));
      events_.push_back(event);
    }
    SPIRA_CUDA(cudaEventRecord(events_[static_cast<std::size_t>(slot)], stream_));
  }
  void collect(std::span<double> since_start_ms) override {
    if (since_start_ms.empty()) return;
    SPIRA_CUDA(cudaEventSynchronize(events_[since_start_ms.size() - 1]));
    for (std::size_t slot = 0; slot < since_start_ms.size(); ++slot) {
      float ms = 0;
      SPIRA_CUDA(cudaEventElapsedTime(&ms, events_.front(), events_[slot]));
      since_start_ms[slot] = static_cast<double>(ms);
    }
  }

 private:
  cudaStream_t stream_;
  std::vector<cudaEvent_t> events_;
};

}  // namespace

std::unique_ptr<StageSource> make_event_stages(cudaStream_t stream) {
  return std::make_unique<EventStages>(stream);
}

}  // namespace spira::cuda

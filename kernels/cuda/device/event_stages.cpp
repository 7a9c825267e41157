#include "engine/job/recorder.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/handles.hpp"

#include <vector>

namespace spira::cuda {
namespace {

class EventStages final : public StageSource {
 public:
  explicit EventStages(cudaStream_t stream) : stream_(stream) {}

  [[nodiscard]] Clock clock() const noexcept override { return Clock::cuda_events; }
  void mark(int slot) override {
    while (static_cast<int>(events_.size()) <= slot)
      events_.emplace_back();
    events_[static_cast<std::size_t>(slot)].record(stream_);
  }
  void collect(std::span<double> since_start_ms) override {
    if (since_start_ms.empty()) return;
    events_[since_start_ms.size() - 1].wait();
    for (std::size_t slot = 0; slot < since_start_ms.size(); ++slot)
      since_start_ms[slot] = events_[slot].ms_since(events_.front());
  }

 private:
  cudaStream_t stream_;
  std::vector<TimedEvent> events_;
};

}  // namespace

std::unique_ptr<StageSource> make_event_stages(cudaStream_t stream) {
  return std::make_unique<EventStages>(stream);
}

}  // namespace spira::cuda

#include "kernels/cuda/nvml.hpp"

#include <cuda_runtime_api.h>

#include <array>

namespace spira::cuda {
namespace {

// The few numbers of NVML's interface that are asked for: its header is no part of a CUDA toolkit's smallest
// installation.
constexpr int success = 0;
constexpr int sm_clock = 1, memory_clock = 2;
constexpr int die_temperature = 0;

struct Reason {
  unsigned long long bit;
  const char* text;
};
/// Those that slow a busy device down; idleness is left out, because a device between two kernels is idle.
constexpr std::array reasons{Reason{0x002, "application clocks"}, Reason{0x004, "power cap"},
                             Reason{0x008, "hardware slowdown"},  Reason{0x010, "sync boost"},
                             Reason{0x020, "thermal, software"},  Reason{0x040, "thermal, hardware"},
                             Reason{0x080, "power brake"},        Reason{0x100, "display clocks"}};

}  // namespace

Nvml::Nvml(int device) : library_({"libnvidia-ml.so.1"}) {
  const auto start = library_.function<int (*)()>("nvmlInit_v2");
  const auto find = library_.function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  started_ = start != nullptr && start() == success;
  std::array<char, 32> bus{};
  if (!started_ || find == nullptr ||
      cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) != cudaSuccess)
    return;
  if (find(bus.data(), &device_) != success) device_ = nullptr;
}

Nvml::~Nvml() {
  const auto stop = library_.function<int (*)()>("nvmlShutdown");
  if (started_ && stop != nullptr) static_cast<void>(stop());
}

std::string Nvml::driver() const {
  const auto ask = library_.function<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
  std::array<char, 96> text{};
  if (!started_ || ask == nullptr || ask(text.data(), static_cast<unsigned>(text.size())) != success)
    return {};
  return text.data();
}

DeviceState Nvml::state() const {
  DeviceState state;
  if (device_ == nullptr) return state;
  const auto number = [&](const char* name, int which) -> std::optional<int> {
    const auto ask = library_.function<int (*)(void*, int, unsigned*)>(name);
    unsigned value = 0;
    if (ask == nullptr || ask(device_, which, &value) != success) return {};
    return static_cast<int>(value);
  };
  state.sm_clock_mhz = number("nvmlDeviceGetClockInfo", sm_clock);
  state.memory_clock_mhz = number("nvmlDeviceGetClockInfo", memory_clock);
  state.temperature_c = number("nvmlDeviceGetTemperature", die_temperature);
  const auto ask =
      library_.function<int (*)(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long bits = 0;
  if (ask == nullptr || ask(device_, &bits) != success) return state;
  state.throttled_by.emplace();
  for (const Reason& reason : reasons) {
    if ((bits & reason.bit) != 0) state.throttled_by->emplace_back(reason.text);
  }
  return state;
}

}  // namespace spira::cuda

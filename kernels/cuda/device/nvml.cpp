#include "kernels/cuda/device/nvml.hpp"

#include <cuda_runtime_api.h>

#include <array>

namespace spira::cuda {
namespace {

// Constants of the NVML interface. They are defined here because a minimal CUDA toolkit does not include the
// NVML header.
constexpr int success = 0;
constexpr int sm_clock = 1, memory_clock = 2;
constexpr int die_temperature = 0;

struct Reason {
  unsigned long long bit;
  const char* text;
};
/// Reasons that lower the clocks of a busy device. "Idle" is not included, because a device is idle between
/// two kernels. "Application clocks" is not included, because the user has set these clocks.
constexpr std::array reasons{Reason{0x004, "power cap"},         Reason{0x008, "hardware slowdown"},
                             Reason{0x010, "sync boost"},        Reason{0x020, "thermal, software"},
                             Reason{0x040, "thermal, hardware"}, Reason{0x080, "power brake"},
                             Reason{0x100, "display clocks"}};
constexpr unsigned long long application_clocks = 0x002;

/// Has the same layout as nvmlProcessInfo_t. The program uses only the number of processes and not their
/// properties.
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

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

std::optional<int> Nvml::figure(const char* name, int which) const {
  const auto ask = library_.function<int (*)(void*, int, unsigned*)>(name);
  unsigned value = 0;
  if (device_ == nullptr || ask == nullptr || ask(device_, which, &value) != success) return {};
  return static_cast<int>(value);
}

void Nvml::add_limits(DeviceFacts& facts) const {
  facts.sm_default_mhz = figure("nvmlDeviceGetDefaultApplicationsClock", sm_clock);
  facts.sm_max_mhz = figure("nvmlDeviceGetMaxClockInfo", sm_clock);
  facts.memory_max_mhz = figure("nvmlDeviceGetMaxClockInfo", memory_clock);
  if (device_ == nullptr) return;
  constexpr unsigned milliwatts = 1000;
  unsigned limit = 0, mode = 0, pending = 0;
  const auto power = library_.function<int (*)(void*, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit");
  if (power != nullptr && power(device_, &limit) == success)
    facts.power_limit_w = static_cast<int>(limit / milliwatts);
  const auto instances = library_.function<int (*)(void*, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
  if (instances != nullptr && instances(device_, &mode, &pending) == success) facts.mig = mode != 0;
}

std::optional<unsigned long long> Nvml::reason_bits() const {
  const auto ask =
      library_.function<int (*)(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long bits = 0;
  if (device_ == nullptr || ask == nullptr || ask(device_, &bits) != success) return {};
  return bits;
}

std::optional<bool> Nvml::clocks_locked(std::optional<int> clock_mhz) const {
  if (const auto bits = reason_bits(); bits && (*bits & application_clocks) != 0) return true;
  const auto chosen = figure("nvmlDeviceGetApplicationsClock", sm_clock),
             highest = figure("nvmlDeviceGetMaxClockInfo", sm_clock);
  if (chosen && highest && *chosen < *highest && clock_mhz == chosen) return true;
  return {};
}

std::optional<int> Nvml::other_processes() const {
  constexpr unsigned max_processes = 256;
  const auto ask =
      library_.function<int (*)(void*, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  std::array<ProcessInfo, max_processes> all{};
  unsigned count = max_processes;
  if (device_ == nullptr || ask == nullptr || ask(device_, &count, all.data()) != success) return {};
  // In a container, process ids belong to another namespace, so this process cannot be found in the list.
  // This code assumes that the list contains this process. An empty list does not even contain this process,
  // so it is not reliable.
  if (count == 0) return {};
  return static_cast<int>(count) - 1;
}

DeviceState Nvml::quick_state() const {
  DeviceState state;
  state.sm_clock_mhz = figure("nvmlDeviceGetClockInfo", sm_clock);
  const auto bits = reason_bits();
  if (!bits) return state;
  state.throttled_by.emplace();
  for (const Reason& reason : reasons) {
    if ((*bits & reason.bit) != 0) state.throttled_by->emplace_back(reason.text);
  }
  return state;
}

DeviceState Nvml::state() const {
  DeviceState state = quick_state();
  state.memory_clock_mhz = figure("nvmlDeviceGetClockInfo", memory_clock);
  state.temperature_c = figure("nvmlDeviceGetTemperature", die_temperature);
  state.clocks_locked = clocks_locked(state.sm_clock_mhz);
  state.other_processes = other_processes();
  return state;
}

}  // namespace spira::cuda

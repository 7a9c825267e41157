// What the driver's management library (NVML) tells about a device: its version, clocks, temperature.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "kernels/cuda/shared_library.hpp"

#include <string>

namespace spira::cuda {

/// Without the library, or where the driver does not answer, everything is empty.
class Nvml {
 public:
  /// `device`: as the CUDA runtime counts. Never throws for want of the library.
  explicit Nvml(int device);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::string driver() const;   ///< "580.159.04"
  void add_limits(DeviceFacts& facts) const;  ///< power, clocks, whether it is cut into instances (MIG)
  [[nodiscard]] DeviceState state() const;    ///< of this moment; some milliseconds
  /// Clock of the multiprocessors and what holds it back: some ten microseconds.
  [[nodiscard]] DeviceState quick_state() const;

 private:
  /// What `name` answers for a kind of clock; empty where it does not.
  [[nodiscard]] std::optional<int> figure(const char* name, int which) const;
  /// That kernels run at the clock which was set for applications. What `nvidia-smi -lgc` locks cannot be
  /// asked.
  [[nodiscard]] std::optional<bool> clocks_locked(std::optional<int> clock_mhz) const;
  [[nodiscard]] std::optional<int> other_processes() const;
  [[nodiscard]] std::optional<unsigned long long> reason_bits() const;

  SharedLibrary library_;
  void* device_ = nullptr;
  bool started_ = false;
};

}  // namespace spira::cuda

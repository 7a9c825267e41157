// Queries the driver's management library (NVML) for the driver version, clocks and temperature of a device.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "kernels/cuda/device/shared_library.hpp"

#include <string>

namespace spira::cuda {

/// Queries one device. All results are empty if the library is missing or the driver does not report a
/// value.
class Nvml {
 public:
  /// `device` is the index that the CUDA runtime uses. Does not throw if the library is missing.
  explicit Nvml(int device);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::string driver() const;  ///< For example "580.159.04".
  /// Sets power limit, clocks, and whether the device is partitioned (MIG).
  void add_limits(DeviceFacts& facts) const;
  [[nodiscard]] DeviceState state() const;  ///< Returns the current state; takes some milliseconds.
  /// Returns the clock of the multiprocessors and the reasons that throttle it. Takes some ten microseconds.
  [[nodiscard]] DeviceState quick_state() const;

 private:
  /// Calls the NVML function `name` for a kind of clock and returns its value. Returns an empty optional if
  /// the function fails.
  [[nodiscard]] std::optional<int> figure(const char* name, int which) const;
  /// Returns true if kernels run at a clock that was set for applications. A lock by `nvidia-smi -lgc` cannot
  /// be queried.
  [[nodiscard]] std::optional<bool> clocks_locked(std::optional<int> clock_mhz) const;
  [[nodiscard]] std::optional<int> other_processes() const;
  [[nodiscard]] std::optional<unsigned long long> reason_bits() const;

  SharedLibrary library_;
  void* device_ = nullptr;
  bool started_ = false;
};

}  // namespace spira::cuda

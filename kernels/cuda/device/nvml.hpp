// Queries the driver's management library (NVML) for the driver version, limits, clocks and temperature of a
// device.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "kernels/cuda/device/shared_library.hpp"

#include <string>

namespace spira::cuda {

/// Queries one device. A result has no value (or is an empty string) if the library is missing or the driver
/// does not report the value.
class Nvml {
 public:
  /// `device` is the index in the CUDA runtime. Does not throw if the library is missing.
  explicit Nvml(int device);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::string driver() const;  ///< Returns the driver version, for example "580.159.04".
  /// Stores the power limit, the clocks, and whether the device is partitioned (MIG), in `facts`.
  void add_limits(DeviceFacts& facts) const;
  [[nodiscard]] DeviceState state() const;  ///< Returns the current state. Takes some milliseconds.
  /// Returns only the clock of the multiprocessors and the reasons that throttle it. Takes tens of
  /// microseconds.
  [[nodiscard]] DeviceState quick_state() const;

 private:
  /// Calls the NVML function `name` for one kind of clock and returns the value. Returns `std::nullopt` if
  /// the function fails.
  [[nodiscard]] std::optional<int> figure(const char* name, int which) const;
  /// Returns true if kernels run at the application clock that a user has set. A lock by `nvidia-smi -lgc`
  /// cannot be detected.
  [[nodiscard]] std::optional<bool> clocks_locked(std::optional<int> clock_mhz) const;
  [[nodiscard]] std::optional<int> other_processes() const;
  [[nodiscard]] std::optional<unsigned long long> reason_bits() const;

  SharedLibrary library_;
  void* device_ = nullptr;
  bool started_ = false;
};

}  // namespace spira::cuda

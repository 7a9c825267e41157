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

  [[nodiscard]] std::string driver() const;  ///< "580.159.04"
  [[nodiscard]] DeviceState state() const;   ///< of this moment; under a millisecond

 private:
  SharedLibrary library_;
  void* device_ = nullptr;
  bool started_ = false;
};

}  // namespace spira::cuda

// The devices that can run networks.
//
//   for (const spira::DeviceInfo& device : spira::devices())
//     std::cout << device.name << (device.usable ? "" : ": " + device.why_not) << "\n";
#pragma once

#include <cstddef>
#include <cstdint>
#include <spira/version.hpp>
#include <string>
#include <vector>

namespace spira::v0 {

enum class DeviceKind : std::uint8_t {
  automatic,  ///< An NVIDIA GPU if the library was built with CUDA and the machine has a usable one, else the
              ///< CPU.
  cpu,
  cuda
};

/// Chooses a device for a Model.
struct DeviceOptions {
  DeviceKind kind = DeviceKind::automatic;
  /// Number of CPU threads of each Runner, including the thread that calls it. 0 means one per core. Results
  /// do not depend on it.
  int threads = 0;
  /// Limits the memory that each Runner allocates on its device, in bytes. 0 means no limit. On the CPU, a
  /// run is also refused if it needs more memory than the system has free.
  std::size_t memory_limit_bytes = 0;
  /// The index of the GPU among the GPUs of devices(), in the order of the CUDA runtime. Models on a GPU run
  /// on this one. The library never changes the current CUDA device of the calling thread.
  int index = 0;
};

struct DeviceInfo {
  DeviceKind kind = DeviceKind::cpu;  ///< Never `automatic`.
  std::string name;                   ///< Such as "Intel Xeon (2 threads, AVX-512)" or "NVIDIA H100".
  int threads = 0;                    ///< Number of CPU threads, or of multiprocessors of a GPU.
  std::uint64_t memory_bytes = 0;
  bool usable = true;
  std::string why_not;  ///< Such as "no CUDA device: driver not installed". Empty if the device is usable.
};
/// Returns the devices of this build of the library, including the devices that cannot be used on this
/// machine. Thread-safe.
[[nodiscard]] std::vector<DeviceInfo> devices();

}  // namespace spira::v0

// Describes a compute device: its fixed properties, its current state and its measured rates.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

enum class BackendKind : std::uint8_t { reference, cpu, cuda };
[[nodiscard]] std::string_view text_of(BackendKind kind) noexcept;  ///< Returns "reference", "cpu" or "cuda".

struct DeviceFacts {
  BackendKind kind = BackendKind::cpu;
  std::string name;          ///< Examples: "Intel Xeon (2 threads, AVX-512)", "NVIDIA H200".
  std::string instructions;  ///< CPU back end: "baseline", "AVX2", "AVX-512"; CUDA: "sm_90".
  int threads = 0;           ///< Number of CPU threads in use, or number of SMs of a GPU.
  std::uint64_t memory_bytes = 0;
  Clock clock = Clock::steady;
  std::string driver;   ///< CUDA: "580.159.04", or "for CUDA 13.0" if the driver version is not known.
  std::string runtime;  ///< CUDA: "CUDA 13.0".
  std::string path;     ///< The compiled code path in use: "AVX2 code", "sm_90 code, bulk copies".
  // The fields below describe a GPU. A field is empty if the GPU does not report its value.
  std::optional<bool> ecc{}, mig{};
  std::optional<std::uint64_t> l2_bytes{};
  std::optional<int> power_limit_w{}, sm_default_mhz{}, sm_max_mhz{}, memory_max_mhz{};
};

/// The state of a device at one moment. A field is empty if the device does not report its value.
struct DeviceState {
  std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_c;
  /// Throttle reasons such as "power cap". An empty list means not throttled.
  std::optional<std::vector<std::string>> throttled_by;
  std::optional<bool> clocks_locked{};  ///< True if a setting fixes the clocks.
  /// Number of other processes that compute on the GPU. For a CPU: number of threads of other processes that
  /// run or are ready to run.
  std::optional<int> other_processes{};
};

/// The highest rate that the device reached in a measurement. The rate is never taken from a data sheet.
struct DeviceRate {
  std::optional<double> per_second;  ///< Rate of the median sample. Empty if the rate was not measured.
  std::string how;                   ///< Example: "copy of 1.07 GB", or the reason for a missing rate.
  std::vector<double> samples_ms;
};
struct DeviceRates {
  DeviceRate bytes;  ///< Copy within device memory. Bytes read and bytes written both count.
  DeviceRate flops;  ///< Large matrix product by the library of the back end, with sums in fp32.
};

/// One row of the output of `spira devices`: a back end of this build, and whether it can run on this
/// machine.
struct DeviceListing {
  DeviceFacts facts;
  bool usable = true;
  std::string why_not;  ///< Example: "no CUDA device: driver not installed".
};

}  // namespace spira

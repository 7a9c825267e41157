// Describes a compute device by its fixed properties, its current state and its measured rates.
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
  std::string name;  ///< For example "Intel Xeon (2 threads, AVX-512)" or "NVIDIA H200".
  /// "baseline", "AVX2" or "AVX-512" for a CPU, or a name such as "sm_90" for a GPU.
  std::string instructions;
  int threads = 0;  ///< Number of CPU threads that the back end uses, or number of SMs of a GPU.
  std::uint64_t memory_bytes = 0;
  Clock clock = Clock::steady;
  /// Only for CUDA. For example "580.159.04", or "for CUDA 13.0" if the driver version is not known.
  std::string driver;
  std::string runtime;  ///< Only for CUDA. For example "CUDA 13.0".
  std::string path;     ///< The compiled code path, such as "AVX2 code" or "sm_90 code, bulk copies".
  // The fields below describe a GPU. A field is empty if the GPU does not report the value.
  std::optional<bool> ecc{}, mig{};
  std::optional<std::uint64_t> l2_bytes{};
  std::optional<int> power_limit_w{}, sm_default_mhz{}, sm_max_mhz{}, memory_max_mhz{};
};

/// The part of its state that a device reports.
enum class StateDetail : std::uint8_t {
  all,
  /// Only the current clock and the throttle reasons. This query is fast enough to be made between two
  /// samples.
  clock
};

/// The state of a device at one moment. A field is empty if the device does not report the value.
struct DeviceState {
  std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_c;
  /// Throttle reasons such as "power cap". An empty list means that the device is not throttled.
  std::optional<std::vector<std::string>> throttled_by;
  std::optional<bool> clocks_locked{};  ///< True if the user fixed the clocks.
  /// For a GPU, the number of other processes that compute on it. For a CPU, the number of threads of other
  /// processes that run or are ready to run.
  std::optional<int> other_processes{};
};

/// The highest rate that the device reached in a measurement. It never comes from a data sheet.
struct DeviceRate {
  std::optional<double> per_second;  ///< The rate of the median sample. Empty if it was not measured.
  /// For example "copy of 1.07 GB". If the rate is missing, contains the reason.
  std::string how;
  std::vector<double> samples_ms;
};
struct DeviceRates {
  /// The rate of a copy within device memory. It counts both the bytes that are read and the bytes that are
  /// written.
  DeviceRate bytes;
  /// The rate of a large matrix product, computed by the library of the back end with sums in fp32.
  DeviceRate flops;
};

/// One row of the output of `spira devices`: a back end of this build, and whether it can run on this
/// machine.
struct DeviceListing {
  DeviceFacts facts;
  bool usable = true;
  std::string why_not;  ///< For example "no CUDA device: driver not installed".
};

}  // namespace spira

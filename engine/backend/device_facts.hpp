// What a back end runs on.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

enum class BackendKind : std::uint8_t { reference, cpu, cuda };
[[nodiscard]] std::string_view text_of(BackendKind kind) noexcept;  ///< "reference", "cpu", "cuda"

struct DeviceFacts {
  BackendKind kind = BackendKind::cpu;
  std::string name;          ///< "Intel Xeon (2 threads, AVX-512)", "NVIDIA H200"
  std::string instructions;  ///< of the CPU back end: "baseline", "AVX2", "AVX-512"; CUDA: "sm_90"
  int threads = 0;           ///< CPU threads used, or SMs
  std::uint64_t memory_bytes = 0;
  Clock clock = Clock::steady;
  std::string driver;   ///< of CUDA: "580.159.04", or "for CUDA 13.0" where only that is known
  std::string runtime;  ///< of CUDA: "CUDA 13.0"
  std::string path;     ///< which of the compiled copies runs: "AVX2 code", "sm_90 code, bulk copies"
  // Of a GPU; empty where it does not tell.
  std::optional<bool> ecc{}, mig{};
  std::optional<std::uint64_t> l2_bytes{};
  std::optional<int> power_limit_w{}, sm_default_mhz{}, sm_max_mhz{}, memory_max_mhz{};
};

/// What a device does at a moment; empty where it does not tell.
struct DeviceState {
  std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_c;
  std::optional<std::vector<std::string>> throttled_by;  ///< "power cap"; none: nothing holds it back
  std::optional<bool> clocks_locked{};                   ///< a setting keeps them where they are
  /// GPU: other programs that compute on it; CPU: threads of others that ran or wanted to.
  std::optional<int> other_processes{};
};

/// What a device can do at the most, measured on it, never looked up.
struct DeviceRate {
  std::optional<double> per_second;  ///< from the median; empty: it was not measured
  std::string how;                   ///< "copy of 1.07 GB", or why it was not measured
  std::vector<double> samples_ms;
};
struct DeviceRates {
  DeviceRate bytes;  ///< of a copy inside the device's memory, read and written bytes both counted
  DeviceRate flops;  ///< of a large matrix product by the library that the back end has, sums in fp32
};

/// One row of `spira devices`: a back end that is built in, and whether it can run here.
struct DeviceListing {
  DeviceFacts facts;
  bool usable = true;
  std::string why_not;  ///< "no CUDA device: driver not installed"
};

}  // namespace spira

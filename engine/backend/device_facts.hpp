// What a back end runs on.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <cstdint>
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
};

/// One row of `spira devices`: a back end that is built in, and whether it can run here.
struct DeviceListing {
  DeviceFacts facts;
  bool usable = true;
  std::string why_not;  ///< "no CUDA device: driver not installed"
};

}  // namespace spira

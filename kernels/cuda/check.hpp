// Faults of the CUDA runtime as Error(device).
#pragma once

#include "engine/base/error.hpp"

#include <cuda_runtime_api.h>

#include <string>

namespace spira::cuda {

inline void require(cudaError_t result, const char* call, const char* file, int line) {
  if (result == cudaSuccess) return;
  throw Error(ErrorKind::device, std::string(call) + ": " + cudaGetErrorName(result) + ", " +
                                     cudaGetErrorString(result) + " (" + file + ":" + std::to_string(line) +
                                     ")");
}

}  // namespace spira::cuda

#define SPIRA_CUDA(call) ::spira::cuda::require((call), #call, __FILE__, __LINE__)

// Converts errors of the CUDA runtime to Error(device).
#pragma once

#include "engine/base/error.hpp"

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace spira::cuda {

/// Throws Error(device) if `result` is an error. The message is a single line and ends with the source
/// position, which helps developers. Users cannot correct the failed call.
inline void require(cudaError_t result, const char* file, int line) {
  if (result == cudaSuccess) return;
  const std::string_view path(file);
  throw Error(ErrorKind::device,
              std::string("the GPU failed: ") + cudaGetErrorString(result) + " (" + cudaGetErrorName(result) +
                  " at " + std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line) + ")");
}

}  // namespace spira::cuda

#define SPIRA_CUDA(call) ::spira::cuda::require((call), __FILE__, __LINE__)

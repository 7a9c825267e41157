#include "kernels/cuda/cuda_backend.hpp"

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/probe.hpp"

#include <string>

namespace spira {
namespace {

constexpr const char* no_kernels = "this version has no CUDA kernels yet; use the CPU back end";

DeviceListing not_usable(std::string name, std::string why) {
  DeviceListing row;
  row.facts.kind = BackendKind::cuda;
  row.facts.name = std::move(name);
  row.facts.clock = Clock::cuda_events;
  row.usable = false;
  row.why_not = std::move(why);
  return row;
}

DeviceListing listing_of(int device) {
  cudaDeviceProp facts{};
  SPIRA_CUDA(cudaGetDeviceProperties(&facts, device));
  DeviceListing row = not_usable(static_cast<const char*>(facts.name), no_kernels);
  row.facts.instructions = "sm_" + std::to_string(facts.major) + std::to_string(facts.minor);
  row.facts.threads = facts.multiProcessorCount;
  row.facts.memory_bytes = facts.totalGlobalMem;
  cuda::probe(device);
  return row;
}

std::vector<DeviceListing> list_devices() {
  int count = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&count); result != cudaSuccess || count == 0) {
    // No driver and no device are the normal state of most machines, not a fault.
    return {
        not_usable("no CUDA device", result == cudaSuccess ? "no device found" : cudaGetErrorString(result))};
  }
  std::vector<DeviceListing> rows;
  for (int device = 0; device < count; ++device) {
    try {
      rows.push_back(listing_of(device));
    } catch (const Error& error) {
      rows.push_back(not_usable("CUDA device " + std::to_string(device), error.what()));
    }
  }
  return rows;
}

}  // namespace

Registry::Entry cuda_backend() {
  return {BackendKind::cuda, list_devices, [](const BackendOptions&) -> std::shared_ptr<Backend> {
            throw Error(ErrorKind::device, no_kernels);
          }};
}

}  // namespace spira

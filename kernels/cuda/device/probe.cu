// Launches a minimal kernel to check a device, and reads the version of the code that it runs.
#include "kernels/cuda/device/check.hpp"
#include "kernels/cuda/device/probe.hpp"

namespace spira::cuda {
namespace {

constexpr int answer = 42;

__global__ void write_answer(int* to) {
  *to = answer;
}

}  // namespace

void probe(int device) {
  SPIRA_CUDA(cudaSetDevice(device));
  int* on_device = nullptr;
  SPIRA_CUDA(cudaMalloc(reinterpret_cast<void**>(&on_device), sizeof(int)));
  int on_host = 0;
  try {
    write_answer<<<1, 1>>>(on_device);
    SPIRA_CUDA(cudaGetLastError());
    SPIRA_CUDA(cudaMemcpy(&on_host, on_device, sizeof(int), cudaMemcpyDeviceToHost));
  } catch (...) {
    cudaFree(on_device);
    throw;
  }
  SPIRA_CUDA(cudaFree(on_device));
  if (on_host != answer)
    throw Error(ErrorKind::device, "the device ran a test kernel and returned a wrong result");
}

CodePath code_path() {
  cudaFuncAttributes facts{};
  SPIRA_CUDA(cudaFuncGetAttributes(&facts, write_answer));
  return {facts.binaryVersion, facts.ptxVersion};
}

}  // namespace spira::cuda

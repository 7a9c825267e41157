// Lists the devices, and checks whether each device can run the machine code of this build. The check
// launches a kernel, because no driver query shows whether the build contains code for the device.
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/device_facts.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/device/nvml.hpp"

#include <utility>

namespace spira::cuda {
namespace {

/// `oldest_sm` is the oldest compute capability for which kernels are built. `first_with_bulk_copies` is the
/// first compute capability on which kernels copy weights by bulk copies.
constexpr int oldest_sm = 75, first_with_bulk_copies = 90;

constexpr int answer = 42;

__global__ void write_answer(int* to) {
  *to = answer;
}

/// Launches a kernel with one thread on `device` and reads its result. Throws Error(device) if one of these
/// steps fails.
void probe(int device) {
  SPIRA_CUDA(cudaSetDevice(device));
  void* memory = nullptr;
  SPIRA_CUDA(cudaMalloc(&memory, sizeof(int)));
  const DeviceValue<int> on_device(static_cast<int*>(memory));
  write_answer<<<1, 1>>>(on_device.get());
  SPIRA_CUDA(cudaGetLastError());
  int on_host = 0;
  SPIRA_CUDA(cudaMemcpy(&on_host, on_device.get(), sizeof(int), cudaMemcpyDeviceToHost));
  if (on_host != answer)
    throw Error(ErrorKind::device, "the device ran a test kernel and returned a wrong result");
}

int sm_of(int device) {
  cudaDeviceProp properties{};
  SPIRA_CUDA(cudaGetDeviceProperties(&properties, device));
  return (properties.major * 10) + properties.minor;
}

/// Returns the text of a CUDA version, for example "CUDA 13.0" for 13000.
std::string version_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driver_text(int device) {
  if (auto known = Nvml(device).driver(); !known.empty()) return known;
  int version = 0;
  SPIRA_CUDA(cudaDriverGetVersion(&version));
  return "for " + version_text(version);
}

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
  DeviceListing row;
  row.facts = facts_of(device);
  if (sm_of(device) < oldest_sm) {
    row.usable = false;
    row.why_not =
        row.facts.instructions + ": kernels are built for sm_" + std::to_string(oldest_sm) + " and later";
    return row;
  }
  probe(device);
  row.facts.path = path_of(device);
  return row;
}

}  // namespace

DeviceFacts facts_of(int device) {
  cudaDeviceProp properties{};
  SPIRA_CUDA(cudaGetDeviceProperties(&properties, device));
  DeviceFacts facts;
  facts.kind = BackendKind::cuda;
  facts.name = static_cast<const char*>(properties.name);
  facts.clock = Clock::cuda_events;
  facts.instructions = "sm_" + std::to_string((properties.major * 10) + properties.minor);
  facts.threads = properties.multiProcessorCount;
  facts.memory_bytes = properties.totalGlobalMem;
  int runtime = 0;
  SPIRA_CUDA(cudaRuntimeGetVersion(&runtime));
  facts.runtime = version_text(runtime);
  facts.driver = driver_text(device);
  facts.ecc = properties.ECCEnabled != 0;
  facts.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  Nvml(device).add_limits(facts);
  return facts;
}

std::string path_of(int device) {
  SPIRA_CUDA(cudaSetDevice(device));
  // A binaryVersion of 90 means machine code for compute capability 9.0. The driver may have compiled this
  // code from PTX for an older compute capability.
  cudaFuncAttributes code{};
  SPIRA_CUDA(cudaFuncGetAttributes(&code, write_answer));
  const std::string binary = "sm_" + std::to_string(code.binaryVersion);
  return (code.ptxVersion < code.binaryVersion
              ? "PTX of compute_" + std::to_string(code.ptxVersion) + " compiled for " + binary
              : binary + " code") +
         (code.ptxVersion >= first_with_bulk_copies ? ", bulk copies" : "") +
         (has_warpgroup_products(sm_of(device)) ? ", products of warpgroups" : "");
}

std::vector<DeviceListing> list_devices() {
  int count = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&count); result != cudaSuccess || count == 0) {
    if (int driver = 0;
        result == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
      return {not_usable("CUDA driver", "the driver supports " + version_text(driver) +
                                            ", but this program needs " + version_text(CUDART_VERSION) +
                                            "; install a newer driver")};
    // Most machines have no driver or no device. This is not an error. The returned row has an empty name.
    return {not_usable("", std::string("no CUDA device: ") +
                               (result == cudaSuccess ? "none found" : cudaGetErrorString(result)))};
  }
  const KeptDevice kept;
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

}  // namespace spira::cuda

#include "kernels/cuda/cuda_backend.hpp"

#include "kernels/cuda/build_map.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/conv.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/event_stages.hpp"
#include "kernels/cuda/network_run.hpp"
#include "kernels/cuda/probe.hpp"
#include "kernels/cuda/voxelize.hpp"

#include <string>

namespace spira {
namespace {

/// The oldest device that kernels are built for.
constexpr int oldest_sm = 75;

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
  return facts;
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
  cudaDeviceProp properties{};
  SPIRA_CUDA(cudaGetDeviceProperties(&properties, device));
  if ((properties.major * 10) + properties.minor < oldest_sm) {
    row.usable = false;
    row.why_not =
        row.facts.instructions + ": kernels are built for sm_" + std::to_string(oldest_sm) + " and later";
    return row;
  }
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

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const BackendOptions& options)
      : facts_(facts_of(0)),
        device_(cuda::open_device(0, options.memory_limit_bytes)),
        stages_(cuda::make_event_stages(device_.stream)) {}

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return facts_; }
  [[nodiscard]] StageSource& stages() noexcept override { return *stages_; }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *device_.pool; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return false; }
  void wait() override { SPIRA_CUDA(cudaStreamSynchronize(device_.stream)); }

  Voxelized voxelize(const PointCloud& cloud, const Grid& grid, const VoxelizeRequest& request,
                     Job& job) override {
    return cuda::voxelize(device_, cloud, grid, request, job);
  }
  CoordSet downsample(const CoordSet& level0, int stride, Job& job) override {
    return cuda::downsample(device_, level0, stride, job);
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    return cuda::build_map(device_, in, out, request, job);
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    return cuda::convolve(device_, map, in, weights, request, job);
  }
  Features concat(const std::vector<const Features*>& parts, Job& job) override {
    return cuda::concat(device_, parts, job);
  }
  CompiledNetwork compile(const NetworkRunRequest& request, Job& job) override {
    return cuda::compile(device_, request, job);
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return cuda::upload_weights(device_, weights, precision);
  }
  Buffer to_host(const Buffer& buffer) override {
    Buffer copy(host_pool_, buffer.bytes());
    cuda::copy_from_device(device_, copy.data(), buffer.data(), buffer.bytes());
    return copy;
  }
  Buffer to_device(const Buffer& buffer) override {
    Buffer copy(device_.pool, buffer.bytes());
    cuda::copy_to_device(device_, copy.data(), buffer.data(), buffer.bytes());
    wait();  // the caller may change its buffer
    return copy;
  }

 private:
  DeviceFacts facts_;
  cuda::Device device_;
  std::unique_ptr<StageSource> stages_;
  std::shared_ptr<MemoryPool> host_pool_ = make_host_pool();
};

}  // namespace

Registry::Entry cuda_backend() {
  return {BackendKind::cuda, list_devices, [](const BackendOptions& options) -> std::shared_ptr<Backend> {
            const auto rows = list_devices();
            if (!rows.front().usable) throw Error(ErrorKind::device, rows.front().why_not);
            return std::make_shared<CudaBackend>(options);
          }};
}

}  // namespace spira

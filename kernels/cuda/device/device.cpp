#include "kernels/cuda/device/device.hpp"

#include "engine/base/text.hpp"
#include "kernels/cuda/device/counter_sets.hpp"
#include "kernels/cuda/device/cublas.hpp"
#include "kernels/cuda/device/handles.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <utility>

namespace spira::cuda {
namespace {

/// Creates a memory pool of a device. The pool keeps freed memory mapped, so that memory need not be mapped
/// again for each repetition.
MemPool make_mem_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t created = nullptr;
  SPIRA_CUDA(cudaMemPoolCreate(&created, &properties));
  MemPool pool(created);
  auto keep = std::numeric_limits<std::uint64_t>::max();
  SPIRA_CUDA(cudaMemPoolSetAttribute(created, cudaMemPoolAttrReleaseThreshold, &keep));
  return pool;
}

class DevicePool final : public ZerosPool {
 public:
  DevicePool(int device, std::size_t limit_bytes, bool poison) : limit_bytes_(limit_bytes), poison_(poison) {
    SPIRA_CUDA(cudaSetDevice(device));
    stream_ = make_stream();
    blocks_ = make_mem_pool(device);
  }
  ~DevicePool() override {
    // Ignore errors here. They occur only if the device is lost or if the process is ending.
    free_kept();
    static_cast<void>(cudaStreamSynchronize(stream_.get()));
  }
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_.get(); }
  [[nodiscard]] MemorySpace space() const noexcept override { return MemorySpace::cuda; }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    require_room(bytes);
    void* data = nullptr;
    cudaError_t result = cudaMallocFromPoolAsync(&data, bytes, blocks_.get(), stream_.get());
    if (result == cudaErrorMemoryAllocation && kept_.data != nullptr) {
      free_kept();
      result = cudaMallocFromPoolAsync(&data, bytes, blocks_.get(), stream_.get());
    }
    if (result == cudaErrorMemoryAllocation) {
      // This call clears the error. Otherwise the next call of the runtime would return it.
      static_cast<void>(cudaGetLastError());
      throw Error(ErrorKind::device_memory, "out of GPU memory: " + bytes_text(bytes) + " requested, " +
                                                bytes_text(used_) +
                                                " in use; use larger voxels or --backend cpu");
    }
    SPIRA_CUDA(result);
    count(bytes);
    if (poison_) SPIRA_CUDA(cudaMemsetAsync(data, poison_byte, bytes, stream_.get()));
    return data;
  }
  [[nodiscard]] Block allocate_zeros(std::size_t bytes) override {
    if (kept_.bytes < bytes) {
      const Block block{allocate(bytes), bytes, bytes};
      SPIRA_CUDA(cudaMemsetAsync(block.data, 0, bytes, stream_.get()));
      return block;
    }
    require_room(bytes);
    count(bytes);
    kept_.counted = bytes;
    return std::exchange(kept_, {});
  }
  void keep_zeros(const Block& block) noexcept override {
    if (block.bytes <= kept_.bytes) return release(block.data, block.counted);
    free_kept();
    kept_ = block;
    used_.fetch_sub(block.counted);
  }
  void release(void* data, std::size_t bytes) noexcept override {
    // A buffer can be destroyed by a thread whose current device is another one. The call finds its device
    // from the stream. It fails only if the device is lost.
    static_cast<void>(cudaFreeAsync(data, stream_.get()));
    used_.fetch_sub(bytes);
  }
  [[nodiscard]] std::size_t used_bytes() const noexcept override { return used_.load(); }
  [[nodiscard]] std::size_t peak_bytes() const noexcept override { return peak_.load(); }
  void reset_peak() noexcept override { peak_.store(used_.load()); }
  void raise_peak(std::size_t bytes) noexcept override {
    std::size_t peak = peak_.load();
    while (bytes > peak && !peak_.compare_exchange_weak(peak, bytes)) {
    }
  }
  [[nodiscard]] std::size_t unused_bytes() const override {
    std::uint64_t reserved = 0, used = 0;
    SPIRA_CUDA(cudaMemPoolGetAttribute(blocks_.get(), cudaMemPoolAttrReservedMemCurrent, &reserved));
    SPIRA_CUDA(cudaMemPoolGetAttribute(blocks_.get(), cudaMemPoolAttrUsedMemCurrent, &used));
    return static_cast<std::size_t>(reserved - std::min(reserved, used));
  }

 private:
  void require_room(std::size_t bytes) const {
    const std::size_t used = used_.load();
    if (limit_bytes_ == 0 || bytes <= limit_bytes_ - std::min(used, limit_bytes_)) return;
    throw Error(ErrorKind::device_memory, "memory limit: " + bytes_text(bytes) + " requested, " +
                                              bytes_text(used) + " of " + bytes_text(limit_bytes_) +
                                              " in use");
  }
  void count(std::size_t bytes) { raise_peak(used_.fetch_add(bytes) + bytes); }
  void free_kept() noexcept {
    if (kept_.data != nullptr) static_cast<void>(cudaFreeAsync(std::exchange(kept_, {}).data, stream_.get()));
  }

  std::size_t limit_bytes_;
  bool poison_;
  Stream stream_;
  MemPool blocks_;  // The CUDA memory pool from which all memory is allocated.
  Block kept_;
  std::atomic<std::size_t> used_{0}, peak_{0};
};

}  // namespace

Device open_device(int index, std::size_t limit_bytes, bool poison) {
  cudaDeviceProp facts{};
  SPIRA_CUDA(cudaGetDeviceProperties(&facts, index));
  const auto pool = std::make_shared<DevicePool>(index, limit_bytes, poison);
  return {index,
          (facts.major * 10) + facts.minor,
          facts.multiProcessorCount,
          facts.maxThreadsPerMultiProcessor,
          static_cast<int>(facts.sharedMemPerMultiprocessor),
          facts.cooperativeLaunch != 0,
          static_cast<int>(facts.sharedMemPerBlockOptin),
          pool->stream(),
          pool,
          std::make_shared<CounterSets>(),
          std::make_shared<Cublas>(pool->stream())};
}

std::size_t free_bytes(const Device& device) {
  std::size_t free = 0, all = 0;
  SPIRA_CUDA(cudaMemGetInfo(&free, &all));
  return free + device.pool->unused_bytes();
}

void copy_to_device(const Device& device, void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) SPIRA_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, device.stream));
}

void copy_from_device(const Device& device, void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) SPIRA_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, device.stream));
  SPIRA_CUDA(cudaStreamSynchronize(device.stream));
}

}  // namespace spira::cuda

#include "kernels/cuda/cuda_backend.hpp"

#include "engine/base/text.hpp"
#include "kernels/cuda/baseline/baseline.hpp"
#include "kernels/cuda/birds_eye/birds_eye.hpp"
#include "kernels/cuda/conv/conv.hpp"
#include "kernels/cuda/conv/relations.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/device_facts.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/device/nvml.hpp"
#include "kernels/cuda/gradients/gradients.hpp"
#include "kernels/cuda/map/build_map.hpp"
#include "kernels/cuda/network/network_run.hpp"
#include "kernels/cuda/voxels/positions.hpp"
#include "kernels/cuda/voxels/voxelize.hpp"

namespace spira {
namespace {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const BackendOptions& options)
      : facts_(cuda::facts_of(options.device)),
        device_(cuda::open_device(options.device, options.memory_limit_bytes, options.poison)),
        stages_(cuda::make_event_stages(device_.stream)),
        nvml_(options.device) {
    device_.repeatable = options.repeatable;
    facts_.path = cuda::path_of(options.device);
  }

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return facts_; }
  [[nodiscard]] StageSource& stages() noexcept override { return *stages_; }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *device_.pool; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return false; }
  void wait() override { SPIRA_CUDA(cudaStreamSynchronize(device_.stream)); }

  UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job) override {
    return cuda::upload_points(device_, std::move(cloud), job);
  }
  Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                     Job& job) override {
    return cuda::voxelize(device_, points, grid, request, job);
  }
  Positions downsample(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                       Job& job) override {
    return cuda::coarser_positions(device_, fine, of_fine, coarse, job);
  }
  using Backend::downsample;
  CoordSet downsample(const CoordSet& level0, const SceneLevel& level,
                      const std::array<std::int64_t, 3>& shift, Job& job) override {
    return cuda::downsample(device_, level0, level, shift, job);
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    return cuda::build_map(device_, in, out, request, job);
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    return cuda::convolve(device_, map, in, weights, request, job);
  }
  [[nodiscard]] LayerMemory layer_memory(const MemoryShape& layer) const override {
    return cuda::layer_memory(device_, layer);
  }
  [[nodiscard]] std::size_t pair_list_bytes(const PairListShape& lists) const override {
    const std::size_t room = cuda::room_for_all_pairs(device_, lists);
    return room != 0 ? room : Backend::pair_list_bytes(lists);
  }
  CoordSet unite(const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& job) override {
    return cuda::unite(device_, parts, level, job);
  }
  Features add_sets(const SetSumRequest& request, Job& job) override {
    return cuda::add_sets(device_, request, job);
  }
  Features compute_rows(const PointRequest& request, Job& job) override {
    return cuda::move_points(device_, request, download(*request.level), job);
  }
  Features pool(const KernelMap& map, const Features& in, PoolReduction reduction, Job& job) override {
    return cuda::pool(device_, map, in, reduction, job);
  }
  Features compute_rows(const RowRequest& request, Job& job) override {
    return cuda::compute_rows(device_, request, job);
  }
  CompiledNetwork compile(const NetworkRunRequest& request, Job& job) override {
    return cuda::compile(device_, request, job);
  }
  [[nodiscard]] BackendExtensions extensions() noexcept override {
    return {&gradients_, &relations_, &birds_eye_,
            [index = device_.index] { return std::make_shared<cuda::KeptDevice>(index); }};
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return cuda::upload_weights(device_, weights, precision);
  }
  DeviceRates measure_rates(Precision precision, Job& job) override {
    return cuda::measure_rates(device_, *stages_, precision, job);
  }
  [[nodiscard]] DeviceState state(StateDetail detail) override {
    return detail == StateDetail::all ? nvml_.state() : nvml_.quick_state();
  }
  Buffer to_host(const Buffer& buffer) override {
    Buffer copy(host_pool_, buffer.bytes());
    cuda::copy_from_device(device_, copy.data(), buffer.data(), buffer.bytes());
    return copy;
  }
  Buffer to_device(const Buffer& buffer) override {
    Buffer copy(device_.pool, buffer.bytes());
    cuda::copy_to_device(device_, copy.data(), buffer.data(), buffer.bytes());
    // Wait for the copy, because the caller may change its buffer after this call.
    wait();
    return copy;
  }

 private:
  DeviceFacts facts_;
  cuda::Device device_;
  cuda::CudaGradients gradients_{device_};
  cuda::CudaRelations relations_{device_};
  cuda::CudaBirdsEye birds_eye_{device_};
  std::unique_ptr<StageSource> stages_;
  cuda::Nvml nvml_;
  std::shared_ptr<MemoryPool> host_pool_ = make_host_pool();
};

}  // namespace

Registry::Entry cuda_backend() {
  return {
      BackendKind::cuda, cuda::list_devices, [](const BackendOptions& options) -> std::shared_ptr<Backend> {
        const auto rows = cuda::list_devices();
        const auto at = static_cast<std::size_t>(options.device);
        if (rows.size() == 1 && !rows.front().usable) throw Error(ErrorKind::device, rows.front().why_not);
        if (at >= rows.size())
          throw Error(ErrorKind::device, "there is no CUDA device " + std::to_string(at) +
                                             "; the machine has " +
                                             counted_text(std::ssize(rows), "CUDA device", "CUDA devices"));
        if (!rows[at].usable) throw Error(ErrorKind::device, rows[at].why_not);
        const cuda::KeptDevice kept;
        return std::make_shared<CudaBackend>(options);
      }};
}

}  // namespace spira

#include "engine/backend/backend.hpp"

#include <cstring>
#include <optional>
#include <utility>

namespace spira {
namespace {

/// Wraps a compiled network and downloads its levels and outputs to the host.
class HostRun final : public NetworkRun {
 public:
  HostRun(Backend& device, std::unique_ptr<NetworkRun> run) : device_(device), run_(std::move(run)) {}

  [[nodiscard]] const NetworkRunFacts& facts() const noexcept override { return run_->facts(); }
  void set_points(const PointCloud& cloud) override { run_->set_points(cloud); }
  void run() override { run_->run(); }
  [[nodiscard]] Timeline timeline(int repetitions, Job& job) override {
    return run_->timeline(repetitions, job);
  }
  [[nodiscard]] CoordSet level(int index) override { return device_.download(run_->level(index)); }
  [[nodiscard]] Features output(int layer) override { return device_.download(run_->output(layer)); }

 private:
  Backend& device_;
  std::unique_ptr<NetworkRun> run_;
};

class HostAdapter final : public Backend {
 public:
  explicit HostAdapter(Backend& device) : device_(device) {}

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return device_.facts(); }
  [[nodiscard]] StageSource& stages() noexcept override { return device_.stages(); }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *pool_; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return true; }
  void wait() override { device_.wait(); }
  DeviceRates measure_rates(Precision precision, Job& job) override {
    return device_.measure_rates(precision, job);
  }
  [[nodiscard]] DeviceState state() override { return device_.state(); }
  [[nodiscard]] DeviceState quick_state() override { return device_.quick_state(); }

  UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job) override {
    return device_.upload_points(std::move(cloud), job);
  }
  Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                     Job& job) override {
    Voxelized result = device_.voxelize(points, grid, request, job);
    result.coords = device_.download(result.coords);
    result.features = device_.download(result.features);
    return result;
  }
  CoordSet downsample(const CoordSet& level0, int stride, Job& job) override {
    return device_.download(device_.downsample(device_.upload(level0), stride, job));
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    return device_.download(device_.build_map(device_.upload(in), device_.upload(out), request, job));
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    ConvRequest there = request;
    std::optional<Features> residual;
    if (request.residual != nullptr) {
      residual = device_.upload(*request.residual);
      there.residual = &*residual;
    }
    return device_.download(device_.convolve(device_.upload(map), device_.upload(in), weights, there, job));
  }
  Features concat(const std::vector<const Features*>& parts, Job& job) override {
    std::vector<Features> there;
    std::vector<const Features*> pointers;
    for (const Features* part : parts)
      there.push_back(device_.upload(*part));
    for (const Features& part : there)
      pointers.push_back(&part);
    return device_.download(device_.concat(pointers, job));
  }
  CompiledNetwork compile(const NetworkRunRequest& request, Job& job) override {
    CompiledNetwork there = device_.compile(request, job);
    if (there.run) there.run = std::make_unique<HostRun>(device_, std::move(there.run));
    return there;
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return device_.upload_weights(weights, precision);
  }
  Buffer to_host(const Buffer& buffer) override { return copy_of(buffer); }
  Buffer to_device(const Buffer& buffer) override { return copy_of(buffer); }

 private:
  Buffer copy_of(const Buffer& from) const {
    Buffer copy(pool_, from.bytes());
    if (from.bytes() != 0) std::memcpy(copy.data(), from.data(), from.bytes());
    return copy;
  }

  Backend& device_;
  std::shared_ptr<MemoryPool> pool_ = make_host_pool();
};

}  // namespace

std::unique_ptr<Backend> make_host_adapter(Backend& device) {
  return std::make_unique<HostAdapter>(device);
}

}  // namespace spira

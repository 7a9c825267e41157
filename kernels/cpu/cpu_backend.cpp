#include "kernels/cpu/cpu_backend.hpp"

#include "kernels/cpu/panel.hpp"
#include "kernels/cpu/positions.hpp"

#include <cstring>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace spira {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

DeviceFacts cpu_facts(int threads) {
  DeviceFacts facts;
  facts.kind = BackendKind::cpu;
  facts.threads = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  facts.name = processor_name();
  facts.instructions = cpu::panel_kernels().instructions;
  facts.path = facts.instructions + " code";
  facts.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  facts.clock = Clock::steady;
  return facts;
}

Buffer copy_of(const std::shared_ptr<MemoryPool>& pool, const Buffer& from) {
  Buffer copy(pool, from.bytes());
  if (from.bytes() != 0) std::memcpy(copy.data(), from.data(), from.bytes());
  return copy;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const BackendOptions& options)
      : facts_(cpu_facts(options.threads)),
        stages_(make_steady_stages()),
        pool_(make_host_pool(options.memory_limit_bytes, options.poison)),
        threads_(facts_.threads) {}

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return facts_; }
  [[nodiscard]] StageSource& stages() noexcept override { return *stages_; }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *pool_; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return true; }
  [[nodiscard]] DeviceState state(StateDetail detail) override {
    return detail == StateDetail::all ? cpu::processor_state() : DeviceState{};
  }

  Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                     Job& job) override {
    return cpu::voxelize(threads_, pool_, points, grid, request, job);
  }
  using Backend::downsample;
  CoordSet downsample(const CoordSet& level0, const SceneLevel& level,
                      const std::array<std::int64_t, 3>& shift, Job& job) override {
    return cpu::downsample(pool_, level0, level, shift, job);
  }
  Positions downsample(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                       Job& job) override {
    return cpu::coarser_positions(threads_, pool_, fine, of_fine, coarse, job);
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    return cpu::build_map(threads_, pool_, in, out, request, job);
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    return cpu::convolve(threads_, pool_, map, in, weights, request, job);
  }
  [[nodiscard]] LayerMemory layer_memory(const MemoryShape& layer) const override {
    const std::size_t wide_sums = layer.precision == Precision::fp16 ? layer.values() * sizeof(float) : 0;
    return {0, 0, wide_sums};
  }
  CoordSet unite(const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& job) override {
    return cpu::unite(pool_, parts, level, job);
  }
  Features add_sets(const SetSumRequest& request, Job& job) override {
    return cpu::add_sets(threads_, pool_, request, job);
  }
  Features compute_rows(const PointRequest& request, Job& job) override {
    return cpu::move_points(threads_, pool_, request, job);
  }
  Features pool(const KernelMap& map, const Features& in, PoolReduction reduction, Job& job) override {
    return cpu::pool(threads_, pool_, map, in, reduction, job);
  }
  Features compute_rows(const RowRequest& request, Job& job) override {
    return cpu::compute_rows(threads_, pool_, request, job);
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return cpu::upload(pool_, weights, precision);
  }

  [[nodiscard]] BackendExtensions extensions() noexcept override {
    return {&gradients_, &relations_, &birds_eye_};
  }
  DeviceRates measure_rates(Precision, Job& job) override { return cpu::measure_rates(threads_, pool_, job); }

  Buffer to_host(const Buffer& buffer) override { return copy_of(pool_, buffer); }
  Buffer to_device(const Buffer& buffer) override { return copy_of(pool_, buffer); }

 private:
  DeviceFacts facts_;
  std::unique_ptr<StageSource> stages_;
  std::shared_ptr<MemoryPool> pool_;
  ThreadPool threads_;
  cpu::CpuGradients gradients_{threads_, pool_};
  cpu::CpuRelations relations_{threads_, pool_};
  cpu::CpuBirdsEye birds_eye_{threads_, pool_};
};

}  // namespace

Registry::Entry cpu_backend() {
  return {BackendKind::cpu,
          [] {
            return std::vector<DeviceListing>{{cpu_facts(0), true, ""}};
          },
          [](const BackendOptions& options) { return std::make_shared<CpuBackend>(options); }};
}

}  // namespace spira

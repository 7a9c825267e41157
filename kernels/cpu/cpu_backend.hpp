// The CPU back end. It uses all cores, builds maps by z-delta search over sorted keys, and computes features
// with Eigen. To compute features, it gathers rows into panels that fit in the cache, and multiplies each
// panel by a weight matrix.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/birds_eye.hpp"
#include "engine/backend/device_facts.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/relations.hpp"
#include "engine/base/thread_pool.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/memory/buffer.hpp"
#include "engine/voxel/coord_set.hpp"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace spira {

[[nodiscard]] Registry::Entry cpu_backend();

}  // namespace spira

namespace spira::cpu {

[[nodiscard]] KernelMap build_map(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                  const CoordSet& in, const CoordSet& out, const MapRequest& request,
                                  Job& job);

[[nodiscard]] Features convolve(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                const KernelMap& map, const Features& in, const UploadedWeights& weights,
                                const ConvRequest& request, Job& job);
/// Computes the union of several levels. See Backend::unite().
[[nodiscard]] CoordSet unite(const std::shared_ptr<MemoryPool>& memory,
                             const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& job);
[[nodiscard]] Features add_sets(ThreadPool& threads, const std::shared_ptr<MemoryPool>& memory,
                                const SetSumRequest& request, Job& job);
/// Moves features between voxels and points. See Backend::compute_rows().
[[nodiscard]] Features move_points(ThreadPool& threads, const std::shared_ptr<MemoryPool>& memory,
                                   const PointRequest& request, Job& job);
[[nodiscard]] Features pool(ThreadPool& threads, const std::shared_ptr<MemoryPool>& memory,
                            const KernelMap& map, const Features& in, PoolReduction reduction, Job& job);
[[nodiscard]] Features compute_rows(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                    const RowRequest& request, Job& job);
[[nodiscard]] UploadedWeights upload(const std::shared_ptr<MemoryPool>& pool, const LayerWeights& weights,
                                     Precision precision);

/// Computes gradients with sums in fp32. Each sum is divided into partial sums of fixed ranges of rows.
class CpuGradients final : public Gradients {
 public:
  /// `threads` must outlive this object.
  CpuGradients(ThreadPool& threads, std::shared_ptr<MemoryPool> pool)
      : threads_(threads), pool_(std::move(pool)) {}
  MasterWeights wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                      const WgradRequest& request, Job& job) override;
  Features accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) override;
  UploadedWeights repack(const MasterWeights& weights, WeightForm form, Precision precision,
                         Job& job) override;
  [[nodiscard]] std::size_t wgrad_memory(const MemoryShape& layer) const override;

 private:
  ThreadPool& threads_;
  std::shared_ptr<MemoryPool> pool_;
};

/// Computes relational convolutions with sums in fp32. With the dataflow "ws", each range of outputs belongs
/// to one worker. The order of the additions does not depend on the threads.
class CpuRelations final : public Relations {
 public:
  /// `threads` must outlive this object.
  CpuRelations(ThreadPool& threads, std::shared_ptr<MemoryPool> pool)
      : threads_(threads), pool_(std::move(pool)) {}
  Features convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                    const RelationRequest& request, Job& job) override;
  [[nodiscard]] std::size_t scratch_bytes(const RelationMap& map, int in_channels, int out_channels,
                                          Precision precision, const RelationRequest& request) const override;

 private:
  ThreadPool& threads_;
  std::shared_ptr<MemoryPool> pool_;
};

/// Computes bird's-eye views with sums in fp32. Each output is one sum in the order of the kernel, so all
/// methods and all numbers of threads give the same bits.
class CpuBirdsEye final : public BirdsEye {
 public:
  /// `threads` must outlive this object.
  CpuBirdsEye(ThreadPool& threads, std::shared_ptr<MemoryPool> pool)
      : threads_(threads), pool_(std::move(pool)) {}
  Features project(const UploadedPoints& points, const Area& area, int channels, Precision precision,
                   Job& job) override;
  Buffer make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec, Job& job) override;
  BlockList active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape, Job& job) override;
  /// A unit with a residual on blocks writes to the memory of its input unless keep_input is set. If the job
  /// is cancelled while it does, the input is lost.
  Features run_unit(Features& image, const UnitRequest& request, Job& job) override;
  /// Stores the weights in fp32, in the order of CellKernels::pack. Weights with the precision fp16 are
  /// rounded first.
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override;
  [[nodiscard]] std::size_t scratch_bytes(const UnitRequest& request, Precision precision) const override;

 private:
  ThreadPool& threads_;
  std::shared_ptr<MemoryPool> pool_;
};

[[nodiscard]] Voxelized voxelize(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                 const UploadedPoints& points, const Grid& grid,
                                 const VoxelizeRequest& request, Job& job);

/// Implements Backend::downsample(). Sorts the keys again, because neither the floor rule nor the reached
/// rule preserves their order.
[[nodiscard]] CoordSet downsample(const std::shared_ptr<MemoryPool>& pool, const CoordSet& level0,
                                  const SceneLevel& level, const std::array<std::int64_t, 3>& shift,
                                  Job& job);

/// Measures the rate of a memory copy and of a matrix product on all threads. The product always uses fp32,
/// even if features are stored in fp16.
[[nodiscard]] DeviceRates measure_rates(ThreadPool& threads, const std::shared_ptr<MemoryPool>& pool,
                                        Job& job);

/// Returns the clocks and the load of the processor. `processors` is a folder that contains cpufreq/policy*.
/// If this folder does not exist, as in most virtual machines, the returned clocks are unknown. The load does
/// not count the threads of this process. Tests pass other folders.
[[nodiscard]] DeviceState processor_state(
    const std::filesystem::path& proc = "/proc",
    const std::filesystem::path& processors = "/sys/devices/system/cpu");

}  // namespace spira::cpu

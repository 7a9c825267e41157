// The reference back end. All tests compare other back ends with it. It uses unpacked coordinates, std::map
// and double precision, so it is slow but simple.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/birds_eye.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/relations.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace spira {

[[nodiscard]] Registry::Entry reference_backend();

}  // namespace spira

namespace spira::reference {

[[nodiscard]] Features convolve(const std::shared_ptr<MemoryPool>& pool, const KernelMap& map,
                                const Features& in, const UploadedWeights& weights,
                                const ConvRequest& request, Job& job);

[[nodiscard]] Features add_sets(const std::shared_ptr<MemoryPool>& memory, const SetSumRequest& request,
                                Job& job);
[[nodiscard]] Features move_points(const std::shared_ptr<MemoryPool>& memory, const PointRequest& request,
                                   Job& job);
[[nodiscard]] Features pool(const std::shared_ptr<MemoryPool>& memory, const KernelMap& map,
                            const Features& in, PoolReduction reduction, Job& job);
[[nodiscard]] Features compute_rows(const std::shared_ptr<MemoryPool>& pool, const RowRequest& request,
                                    Job& job);
[[nodiscard]] UploadedWeights upload_weights(const std::shared_ptr<MemoryPool>& pool,
                                             const LayerWeights& weights, Precision precision);

/// Computes gradients with sums in double precision.
class ReferenceGradients final : public Gradients {
 public:
  explicit ReferenceGradients(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  MasterWeights wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                      const WgradRequest& request, Job& job) override;
  Features accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) override;
  UploadedWeights repack(const MasterWeights& weights, WeightForm form, Precision precision,
                         Job& job) override;
  [[nodiscard]] std::size_t wgrad_memory(const MemoryShape& /*layer*/) const override { return 0; }

 private:
  std::shared_ptr<MemoryPool> pool_;
};

/// Computes relational convolutions in double precision, one product per triple.
class ReferenceRelations final : public Relations {
 public:
  explicit ReferenceRelations(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  Features convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                    const RelationRequest& request, Job& job) override;
  [[nodiscard]] std::size_t scratch_bytes(const RelationMap& /*map*/, int /*in_channels*/,
                                          int /*out_channels*/, Precision /*precision*/,
                                          const RelationRequest& /*request*/) const override {
    return 0;
  }

 private:
  std::shared_ptr<MemoryPool> pool_;
};

/// Computes bird's-eye views in double precision. Units run densely on the whole image, and the methods with
/// blocks select cells of the dense result.
class ReferenceBirdsEye final : public BirdsEye {
 public:
  explicit ReferenceBirdsEye(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  Features project(const UploadedPoints& points, const Area& area, int channels, Precision precision,
                   Job& job) override;
  Buffer make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec, Job& job) override;
  BlockList active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape, Job& job) override;
  Features run_unit(Features& image, const UnitRequest& request, Job& job) override;
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return reference::upload_weights(pool_, weights, precision);
  }
  [[nodiscard]] std::size_t scratch_bytes(const UnitRequest& /*request*/,
                                          Precision /*precision*/) const override {
    return 0;
  }

 private:
  std::shared_ptr<MemoryPool> pool_;
};

/// A pair of a native map: column, output, input. The order of the members is the order of the pairs in a
/// map.
using Triplet = std::array<std::int32_t, 3>;
/// Returns the triplets of a native map, sorted. Ignores the requested algorithm.
[[nodiscard]] std::vector<Triplet> native_triplets(const CoordSet& in, const CoordSet& out,
                                                   const MapRequest& request, Job& job);
/// Returns the positions of rows with these points, which are indices in the cloud.
[[nodiscard]] Positions nearest_points(const std::shared_ptr<MemoryPool>& pool, const PointCloud& cloud,
                                       const Grid& grid,
                                       const std::vector<std::vector<std::size_t>>& points_of);
[[nodiscard]] Positions coarser_positions(const std::shared_ptr<MemoryPool>& pool, const CoordSet& fine,
                                          const Positions& of_fine, const CoordSet& coarse);

/// Returns the kernel map in the requested layouts: M[i, k] = j if q_i + delta_k = p_j, that is, if output
/// q_i has input p_j at offset delta_k. Ignores the requested algorithm.
[[nodiscard]] KernelMap build_map(const std::shared_ptr<MemoryPool>& pool, const CoordSet& in,
                                  const CoordSet& out, const MapRequest& request, Job& job);

}  // namespace spira::reference

// Computes relational convolutions on the device. See Relations.
#pragma once

#include "engine/backend/relations.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// Runs the dataflow "ws". The means are stored in the precision of the features, and the products are added
/// atomically, so the order of the additions differs between runs.
class CudaRelations final : public Relations {
 public:
  /// `device` must exist as long as this object.
  explicit CudaRelations(const Device& device) : device_(device) {}

  /// Throws `Error(device)` for other dataflows.
  Features convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                    const RelationRequest& request, Job& job) override;
  [[nodiscard]] std::size_t scratch_bytes(const RelationMap& map, int in_channels, int out_channels,
                                          Precision precision, const RelationRequest& request) const override;

 private:
  const Device& device_;
};

}  // namespace spira::cuda

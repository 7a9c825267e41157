// Computes images of a bird's-eye view on the device. See BirdsEye.
#pragma once

#include "engine/backend/birds_eye.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

/// Dense images and blocks run in the same kernels, with the same order of sums, so E1 of the interface holds
/// bit for bit. Block lists are in ascending order, and their counts stay on the device.
class CudaBirdsEye final : public BirdsEye {
 public:
  /// `device` must exist as long as this object.
  explicit CudaBirdsEye(const Device& device) : device_(device) {}

  /// Sums intensities in steps of 2^-24.
  Features project(const UploadedPoints& points, const Area& area, int channels, Precision precision,
                   Job& job) override;
  /// Makes masks of occupied cells and of all cells on the device, and all others on the host. Waits only for
  /// the copy of the latter.
  Buffer make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec, Job& job) override;
  BlockList active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape, Job& job) override;
  Features run_unit(Features& image, const UnitRequest& request, Job& job) override;
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override;
  [[nodiscard]] std::size_t scratch_bytes(const UnitRequest& request, Precision precision) const override;

 private:
  const Device& device_;
};

}  // namespace spira::cuda

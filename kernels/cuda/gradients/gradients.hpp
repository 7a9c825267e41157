// Computes gradients on the device. See Gradients.
#pragma once

#include "engine/backend/gradients.hpp"
#include "kernels/cuda/device/device.hpp"

namespace spira::cuda {

class CudaGradients final : public Gradients {
 public:
  /// `device` must exist as long as this object.
  explicit CudaGradients(const Device& device) : device_(device) {}

  MasterWeights wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                      const WgradRequest& request, Job& job) override;
  Features accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) override;
  UploadedWeights repack(const MasterWeights& weights, WeightForm form, Precision precision,
                         Job& job) override;
  [[nodiscard]] std::size_t wgrad_memory(const MemoryShape& layer) const override;
  [[nodiscard]] std::size_t packed_bytes(const MemoryShape& layer) const override;

 private:
  const Device& device_;
};

}  // namespace spira::cuda

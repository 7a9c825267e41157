// Caches the row orders that output-stationary kernels read for a z-run map. Each order is made when a layer
// first needs it, and is kept with the map.
#pragma once

#include "engine/job/job.hpp"
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"

#include <memory>
#include <vector>

namespace spira::cuda {

class MapOrders final : public RowOrders {
 public:
  [[nodiscard]] std::size_t bytes() const noexcept override;
  /// Returns the order for `choice`. Makes it at the first call and records that as stage "order".
  [[nodiscard]] const Buffer& of(const Device& device, const MapSource& source, const Fp16Choice& choice,
                                 Job& job);

 private:
  struct Kept {
    Fp16Choice choice;
    Buffer order;
  };
  std::vector<std::unique_ptr<Kept>> kept_;
};

[[nodiscard]] std::shared_ptr<RowOrders> make_map_orders();

}  // namespace spira::cuda

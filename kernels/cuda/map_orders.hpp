// The orders in which output-stationary kernels take the rows of a z-run map, each made when a layer first
// needs it and kept with the map.
#pragma once

#include "engine/job/job.hpp"
#include "kernels/cuda/group_slices.hpp"
#include "kernels/cuda/row_slices.hpp"

#include <map>
#include <memory>

namespace spira::cuda {

class MapOrders final : public RowOrders {
 public:
  [[nodiscard]] std::size_t bytes() const noexcept override;
  /// Recorded as stage "order" where they are made.
  [[nodiscard]] const Buffer& rows(const Device& device, const MapSource& source, Job& job);
  [[nodiscard]] const Buffer& groups(const Device& device, const MapSource& source, int block_rows, Job& job);

 private:
  Buffer rows_;
  std::map<int, Buffer> groups_;  ///< by the rows of a block
};

[[nodiscard]] std::shared_ptr<RowOrders> make_map_orders();

}  // namespace spira::cuda

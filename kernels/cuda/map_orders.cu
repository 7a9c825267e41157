#include "kernels/cuda/map_orders.hpp"

namespace spira::cuda {

std::size_t MapOrders::bytes() const noexcept {
  std::size_t sum = rows_.bytes();
  for (const auto& [block_rows, slices] : groups_)
    sum += slices.bytes();
  return sum;
}

const Buffer& MapOrders::rows(const Device& device, const MapSource& source, Job& job) {
  if (rows_.bytes() == 0) {
    const auto stage = job.stage("order");
    Buffer slices(device.pool, SectionSlices::bytes(source.outputs.most, source.kernel_size));
    row_slices(device, source, slices);
    rows_ = std::move(slices);
  }
  return rows_;
}

const Buffer& MapOrders::groups(const Device& device, const MapSource& source, int block_rows, Job& job) {
  Buffer& slices = groups_[block_rows];
  if (slices.bytes() == 0) {
    const auto stage = job.stage("order");
    slices = group_slices(device, source, block_rows);
  }
  return slices;
}

std::shared_ptr<RowOrders> make_map_orders() {
  return std::make_shared<MapOrders>();
}

}  // namespace spira::cuda

// Makes and caches the row orders of z-run maps (stage "order").
#include "kernels/cuda/conv_fp16/map_orders.hpp"

#include <algorithm>

namespace spira::cuda {

std::size_t MapOrders::bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& kept : kept_)
    sum += kept->order.bytes();
  return sum;
}

const Buffer& MapOrders::of(const Device& device, const MapSource& source, const Fp16Choice& choice,
                            Job& job) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& kept) { return kept->choice.order() == choice.order(); });
  if (known != kept_.end()) return (*known)->order;
  const auto stage = job.stage("order");
  Buffer order(device.pool, order_bytes(choice, source.outputs.max, source.kernel_size));
  make_order(device, source, choice, order);
  kept_.push_back(std::make_unique<Kept>(choice, std::move(order)));
  return kept_.back()->order;
}

std::shared_ptr<RowOrders> make_map_orders() {
  return std::make_shared<MapOrders>();
}

}  // namespace spira::cuda

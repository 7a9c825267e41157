// Contains the table of the fp16 kernels for z-run maps, and the functions that build their row orders (stage
// "order").
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/order/group_slices.hpp"
#include "kernels/cuda/order/offset_lists.hpp"
#include "kernels/cuda/order/row_slices.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

namespace spira::cuda {

/// The functions that build one kind of row order.
struct OrderKind {
  int number;
  std::size_t (*bytes)(std::int64_t outputs, int kernel_size, int block_rows);
  void (*from_words)(const Device& device, const MapSource& source, int block_rows, Buffer& order);
  void (*from_grid)(const Device& device, const OccupancyMap& map, int kernel_size, int block_rows,
                    Buffer& order);
};

struct Fp16Kernel {
  const char* name;
  std::optional<int> (*suits)(const Device& device, const LayerOnDevice& layer, int kernel_size,
                              const MapRows& rows);
  const OrderKind* order;
  std::size_t (*partial_bytes)(const LayerOnDevice& layer, int kernel_size, std::int64_t outputs);
  void (*launch)(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                 const OrderedRows& rows);
};

namespace {

constexpr OrderKind lists_of_offsets{1, OffsetLists::bytes, offset_lists, offset_lists};
constexpr OrderKind slices_of_rows{
    2,
    [](std::int64_t outputs, int kernel_size, int /*block_rows*/) {
      return SectionSlices::bytes(outputs, kernel_size);
    },
    [](const Device& device, const MapSource& source, int /*block_rows*/, Buffer& order) {
      row_slices(device, source, order);
    },
    [](const Device& device, const OccupancyMap& map, int kernel_size, int /*block_rows*/, Buffer& order) {
      row_slices(device, map, kernel_size, order);
    }};
constexpr OrderKind slices_of_groups{3, GroupSlices::bytes, group_slices, group_slices};

std::size_t no_partial_sums(const LayerOnDevice& /*layer*/, int /*kernel_size*/, std::int64_t /*outputs*/) {
  return 0;
}

/// The kernels in order of preference. A layer uses the first kernel that suits it.
constexpr Fp16Kernel kernels[] = {
    {"lists", suits_lists, &lists_of_offsets, no_partial_sums, lists_fp16},
    {"tiles", suits_tiles, &slices_of_rows, partial_bytes_of_tiles, tiles_fp16},
    {"rows", suits_rows, &slices_of_rows, no_partial_sums, rows_fp16},
    {"groups", suits_groups, &slices_of_groups, no_partial_sums, groups_fp16},
};

}  // namespace

Fp16Choice choose_fp16(const Device& device, const LayerOnDevice& layer, int kernel_size,
                       const MapRows& rows) {
  for (const Fp16Kernel& kernel : kernels) {
    if (const auto block_rows = kernel.suits(device, layer, kernel_size, rows)) return {&kernel, *block_rows};
  }
  return {};
}

const char* Fp16Choice::name() const {
  return kernel->name;
}

int Fp16Choice::order() const {
  return kernel == nullptr ? 0 : (kernel->order->number * (max_block_rows + 1)) + block_rows;
}

std::size_t Fp16Choice::order_bytes(std::int64_t outputs, int kernel_size) const {
  return kernel == nullptr ? 0 : kernel->order->bytes(outputs, kernel_size, block_rows);
}

void Fp16Choice::make_order(const Device& device, const MapSource& source, Buffer& order) const {
  kernel->order->from_words(device, source, block_rows, order);
}

void Fp16Choice::make_order(const Device& device, const OccupancyMap& map, int kernel_size,
                            Buffer& order) const {
  kernel->order->from_grid(device, map, kernel_size, block_rows, order);
}

std::size_t Fp16Choice::partial_bytes(const LayerOnDevice& layer, int kernel_size,
                                      std::int64_t outputs) const {
  return kernel == nullptr ? 0 : kernel->partial_bytes(layer, kernel_size, outputs);
}

void Fp16Choice::launch(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                        const Buffer& order, float* partial) const {
  kernel->launch(device, source, layer, {order, block_rows, partial});
}

std::size_t Fp16Orders::bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& [choice, order] : kept_)
    sum += order.bytes();
  return sum;
}

const Buffer& Fp16Orders::of(const Device& device, const MapSource& source, const Fp16Choice& choice,
                             Job& job) {
  const auto known = kept_.find(choice.order());
  if (known != kept_.end()) return known->second;
  const auto stage = job.stage("order");
  Buffer order(device.pool, choice.order_bytes(source.outputs.max, source.cube));
  choice.make_order(device, source, order);
  return kept_.emplace(choice.order(), std::move(order)).first->second;
}

}  // namespace spira::cuda

// Chooses the fp16 kernel of a layer, makes its row order (stage "order"), and runs the kernel (stage "os").
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/order/group_slices.hpp"
#include "kernels/cuda/order/offset_lists.hpp"
#include "kernels/cuda/order/row_slices.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

namespace spira::cuda {

int Fp16Choice::order() const {
  const Fp16Kernel as = kernel == Fp16Kernel::tiles ? Fp16Kernel::rows : kernel;
  return (static_cast<int>(as) * (max_block_rows + 1)) + block_rows;
}

Fp16Choice choose_fp16(const Device& device, const LayerOnDevice& layer, int kernel_size,
                       const MapRows& rows) {
  if (const int block_rows = best_list_rows(device, layer, kernel_size, rows); block_rows != 0)
    return {Fp16Kernel::lists, block_rows};
  if (takes_tiles(device, layer, rows.outputs)) return {Fp16Kernel::tiles, 0};
  if (takes_rows(device, layer, kernel_size, rows.outputs)) return {Fp16Kernel::rows, 0};
  if (const int block_rows = best_block_rows(device, layer, kernel_size, rows.outputs); block_rows != 0)
    return {Fp16Kernel::groups, block_rows};
  return {};
}

std::size_t order_bytes(const Fp16Choice& choice, std::int64_t outputs, int kernel_size) {
  switch (choice.kernel) {
    case Fp16Kernel::tiles:
    case Fp16Kernel::rows:
      return SectionSlices::bytes(outputs, kernel_size);
    case Fp16Kernel::lists:
      return OffsetLists::bytes(outputs, kernel_size, choice.block_rows);
    case Fp16Kernel::groups:
      return GroupSlices::bytes(outputs, kernel_size * kernel_size, choice.block_rows);
    default:
      return 0;
  }
}

void make_order(const Device& device, const MapSource& source, const Fp16Choice& choice, Buffer& order) {
  switch (choice.kernel) {
    case Fp16Kernel::lists:
      return offset_lists(device, source, choice.block_rows, order);
    case Fp16Kernel::groups:
      return group_slices(device, source, choice.block_rows, order);
    default:
      return row_slices(device, source, order);
  }
}

void make_order(const Device& device, const OccupancyMap& map, int kernel_size, const Fp16Choice& choice,
                Buffer& order) {
  switch (choice.kernel) {
    case Fp16Kernel::lists:
      return offset_lists(device, map, kernel_size, choice.block_rows, order);
    case Fp16Kernel::groups:
      return group_slices(device, map, kernel_size, choice.block_rows, order);
    default:
      return row_slices(device, map, kernel_size, order);
  }
}

void ordered_fp16(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                  const Fp16Choice& choice, const Buffer& order, float* partial) {
  switch (choice.kernel) {
    case Fp16Kernel::lists:
      return lists_fp16(device, source, layer, order, choice.block_rows);
    case Fp16Kernel::tiles:
      return tiles_fp16(device, source, layer, order, partial);
    case Fp16Kernel::rows:
      return rows_fp16(device, source, layer, order);
    default:
      return groups_fp16(device, source, layer, order, choice.block_rows);
  }
}

}  // namespace spira::cuda

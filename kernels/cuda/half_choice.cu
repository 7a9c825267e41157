// Chooses the fp16 kernel of a layer, makes its row order (stage "order"), and runs the kernel (stage "os").
#include "kernels/cuda/group_slices.hpp"
#include "kernels/cuda/half_choice.hpp"
#include "kernels/cuda/occupancy.hpp"
#include "kernels/cuda/offset_lists.hpp"
#include "kernels/cuda/row_slices.hpp"

namespace spira::cuda {

int HalfChoice::order() const {
  const HalfKernel as = kernel == HalfKernel::tiles ? HalfKernel::rows : kernel;
  return (static_cast<int>(as) * (most_block_rows + 1)) + block_rows;
}

HalfChoice choose_half(const Device& device, const LayerOnDevice& layer, int kernel_size,
                       const MapRows& rows) {
  if (const int block_rows = best_list_rows(device, layer, kernel_size, rows); block_rows != 0)
    return {HalfKernel::lists, block_rows};
  if (takes_tiles(device, layer, rows.outputs)) return {HalfKernel::tiles, 0};
  if (takes_rows(device, layer, kernel_size, rows.outputs)) return {HalfKernel::rows, 0};
  if (const int block_rows = best_block_rows(device, layer, kernel_size, rows.outputs); block_rows != 0)
    return {HalfKernel::groups, block_rows};
  return {};
}

std::size_t order_bytes(const HalfChoice& choice, std::int64_t outputs, int kernel_size) {
  switch (choice.kernel) {
    case HalfKernel::tiles:
    case HalfKernel::rows:
      return SectionSlices::bytes(outputs, kernel_size);
    case HalfKernel::lists:
      return OffsetLists::bytes(outputs, kernel_size, choice.block_rows);
    case HalfKernel::groups:
      return GroupSlices::bytes(outputs, kernel_size * kernel_size, choice.block_rows);
    default:
      return 0;
  }
}

void make_order(const Device& device, const MapSource& source, const HalfChoice& choice, Buffer& order) {
  switch (choice.kernel) {
    case HalfKernel::lists:
      return offset_lists(device, source, choice.block_rows, order);
    case HalfKernel::groups:
      return group_slices(device, source, choice.block_rows, order);
    default:
      return row_slices(device, source, order);
  }
}

void make_order(const Device& device, const OccupancyMap& map, int kernel_size, const HalfChoice& choice,
                Buffer& order) {
  switch (choice.kernel) {
    case HalfKernel::lists:
      return offset_lists(device, map, kernel_size, choice.block_rows, order);
    case HalfKernel::groups:
      return group_slices(device, map, kernel_size, choice.block_rows, order);
    default:
      return row_slices(device, map, kernel_size, order);
  }
}

void ordered_half(const Device& device, const MapSource& source, const LayerOnDevice& layer,
                  const HalfChoice& choice, const Buffer& order, float* partial) {
  switch (choice.kernel) {
    case HalfKernel::lists:
      return lists_half(device, source, layer, order, choice.block_rows);
    case HalfKernel::tiles:
      return tiles_half(device, source, layer, order, partial);
    case HalfKernel::rows:
      return rows_half(device, source, layer, order);
    default:
      return groups_half(device, source, layer, order, choice.block_rows);
  }
}

}  // namespace spira::cuda

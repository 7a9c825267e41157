#include "engine/map/kernel_offsets.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

namespace spira {

PerAxis KernelShape::usual_padding(PerAxis size) noexcept {
  PerAxis padding;
  for (std::size_t axis = 0; axis < 3; ++axis)
    padding[axis] = size[axis] % 2 == 1 ? (size[axis] - 1) / 2 : 0;
  return padding;
}

bool KernelShape::centred() const noexcept {
  bool all = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    all = all && size[axis] == (2 * padding[axis]) + 1;
  return all;
}

std::string text_of(const KernelShape& kernel) {
  const bool usual = kernel.padding == KernelShape::usual_padding(kernel.size);
  return text_of(kernel.size) + (usual ? "" : ", padding " + text_of(kernel.padding)) +
         (kernel.native() ? " " + text_of(kernel.neighbourhood) : "");
}

SearchedCells searched_cells(const KernelShape& kernel) noexcept {
  if (kernel.native()) {
    const int window = kernel.neighbourhood.window(kernel.size[0]);
    return {window, window};
  }
  SearchedCells cells{kernel.padding, {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    cells.above[axis] = kernel.size[axis] - 1 - kernel.padding[axis];
  return cells;
}

namespace {

/// Returns the index of the kernel's cell that is nearest to the output.
int nearest_cell(const KernelShape& kernel, std::size_t axis) {
  return std::clamp(kernel.padding[axis], 0, kernel.size[axis] - 1);
}

}  // namespace

KernelOffsets::KernelOffsets(const KernelShape& kernel, PerAxis stride) : kernel_(kernel), stride_(stride) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (kernel.size[axis] < 1 || kernel.size[axis] > largest_kernel_size)
      throw Error(ErrorKind::usage, "kernel size " + text_of(kernel.size) + " is not in the range 1 to 7");
    if (stride[axis] < 1 || stride[axis] > max_level_stride ||
        !std::has_single_bit(static_cast<unsigned>(stride[axis])))
      throw Error(ErrorKind::usage, "stride " + text_of(stride) + " is not one of 1, 2, 4, 8, 16, 32, 64");
  }
  if (const std::string why = why_not(kernel.neighbourhood, kernel.size); !why.empty())
    throw Error(ErrorKind::usage, why);
  const auto component = [&](std::size_t axis, int index) {
    return static_cast<std::int32_t>((index - kernel.padding[axis]) * stride[axis]);
  };
  for (int ix = 0; ix < kernel.size[0]; ++ix) {
    for (int iy = 0; iy < kernel.size[1]; ++iy) {
      for (int iz = 0; iz < kernel.size[2]; ++iz)
        offsets_.push_back({component(0, ix), component(1, iy), component(2, iz)});
    }
  }
}

int KernelOffsets::l1(int column) const {
  const int iz = column % kernel_.size[2], iy = column / kernel_.size[2] % kernel_.size[1],
            ix = column / kernel_.size[2] / kernel_.size[1];
  return std::abs(ix - nearest_cell(kernel_, 0)) + std::abs(iy - nearest_cell(kernel_, 1)) +
         std::abs(iz - nearest_cell(kernel_, 2));
}

int KernelOffsets::max_l1() const noexcept {
  int sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int nearest = nearest_cell(kernel_, axis);
    sum += std::max(nearest, kernel_.size[axis] - 1 - nearest);
  }
  return sum;
}

std::vector<int> KernelOffsets::dense_columns(int threshold) const {
  std::vector<int> chosen;
  for (int column = 0; column < columns(); ++column) {
    if (l1(column) < threshold) chosen.push_back(column);
  }
  return chosen;
}

std::vector<int> KernelOffsets::sparse_columns(int threshold) const {
  std::vector<int> chosen;
  for (int column = 0; column < columns(); ++column) {
    if (l1(column) >= threshold) chosen.push_back(column);
  }
  return chosen;
}

}  // namespace spira

#include "engine/map/kernel_offsets.hpp"

#include "engine/base/error.hpp"

#include <bit>
#include <cstdlib>
#include <string>

namespace spira {

KernelOffsets::KernelOffsets(int kernel_size, int stride) : kernel_size_(kernel_size), stride_(stride) {
  if (kernel_size != 1 && kernel_size != 2 && kernel_size != 3 && kernel_size != 5 && kernel_size != 7) {
    throw Error(ErrorKind::usage,
                "kernel size " + std::to_string(kernel_size) + " is not one of 1, 2, 3, 5, 7");
  }
  if (stride < 1 || stride > 16 || !std::has_single_bit(static_cast<unsigned>(stride))) {
    throw Error(ErrorKind::usage, "stride " + std::to_string(stride) + " is not one of 1, 2, 4, 8, 16");
  }
  const int first = centred() ? -(kernel_size - 1) / 2 : 0;
  const auto component = [&](int index) { return static_cast<std::int32_t>((first + index) * stride); };
  for (int ix = 0; ix < kernel_size; ++ix) {
    for (int iy = 0; iy < kernel_size; ++iy) {
      for (int iz = 0; iz < kernel_size; ++iz)
        offsets_.push_back({component(ix), component(iy), component(iz)});
    }
  }
}

int KernelOffsets::l1(int column) const {
  const Voxel delta = offset(column);
  return (std::abs(delta[0]) + std::abs(delta[1]) + std::abs(delta[2])) / stride_;
}

int KernelOffsets::max_l1() const noexcept {
  return 3 * (centred() ? (kernel_size_ - 1) / 2 : kernel_size_ - 1);
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

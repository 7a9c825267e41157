// The K^3 weight offsets of a kernel: z-groups, anchors, L1 norms, symmetric partners (sections 2.2, 4, 5.2).
#pragma once

#include "engine/voxel/pack_spec.hpp"

#include <vector>

namespace spira {

/// Column k = (ix * K + iy) * K + iz, so the K columns of a z-group (same dx, dy) stand together, smallest dz
/// first. Odd K: components (i - (K-1)/2) * stride. Even K: i * stride, not centred (trap 6).
class KernelOffsets {
 public:
  KernelOffsets(
      int kernel_size,
      int stride);  ///< throws Error(usage) unless K in {1, 2, 3, 5, 7}, stride a power of two <= 16

  [[nodiscard]] int kernel_size() const noexcept { return kernel_size_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }  ///< of the input, s_p
  [[nodiscard]] int columns() const noexcept { return static_cast<int>(offsets_.size()); }
  [[nodiscard]] int z_groups() const noexcept { return kernel_size_ * kernel_size_; }
  [[nodiscard]] Voxel offset(int column) const { return offsets_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] Voxel anchor(int z_group) const { return offset(z_group * kernel_size_); }
  /// |dx|+|dy|+|dz| in units of the stride: 0 .. max_l1().
  [[nodiscard]] int l1(int column) const;
  [[nodiscard]] int max_l1() const noexcept;
  [[nodiscard]] bool centred() const noexcept { return kernel_size_ % 2 == 1; }
  [[nodiscard]] int centre() const noexcept { return (columns() - 1) / 2; }                ///< odd K only
  [[nodiscard]] int partner(int column) const noexcept { return columns() - 1 - column; }  ///< odd K: -delta

  /// Threshold t (section 5.4), in units of the stride: columns with l1 < t are dense (OS), the others sparse
  /// (WS). t = 0 is all WS, t = max_l1() + 1 is all OS.
  [[nodiscard]] int max_threshold() const noexcept { return max_l1() + 1; }
  [[nodiscard]] std::vector<int> dense_columns(int threshold) const;
  [[nodiscard]] std::vector<int> sparse_columns(int threshold) const;

 private:
  int kernel_size_, stride_;
  std::vector<Voxel> offsets_;
};

}  // namespace spira

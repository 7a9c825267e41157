// Defines the K^3 weight offsets of a kernel, with their z-groups, anchors, L1 norms and symmetric partners
// (sections 2.2, 4, 5.2 of the Spira paper).
#pragma once

#include "engine/voxel/pack_spec.hpp"

#include <vector>

namespace spira {

/// The weight offsets of a kernel. Column k is (ix * K + iy) * K + iz, so the K columns of a z-group (equal
/// dx and dy) are adjacent, in ascending order of dz. The components of an offset are (i - (K-1)/2) * stride
/// for odd K. For even K they are i * stride, which is not centred (trap 6 in docs/architecture.md).
class KernelOffsets {
 public:
  /// Throws `Error(usage)` unless K is 1, 2, 3, 5 or 7 and the stride is a power of two of at most 16.
  KernelOffsets(int kernel_size, int stride);

  [[nodiscard]] int kernel_size() const noexcept { return kernel_size_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }  ///< The stride of the inputs, s_p.
  [[nodiscard]] int columns() const noexcept { return static_cast<int>(offsets_.size()); }
  [[nodiscard]] int z_groups() const noexcept { return kernel_size_ * kernel_size_; }
  [[nodiscard]] Voxel offset(int column) const { return offsets_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] Voxel anchor(int z_group) const { return offset(z_group * kernel_size_); }
  /// Returns the L1 norm |dx|+|dy|+|dz| of the offset, in units of the stride, from 0 to max_l1().
  [[nodiscard]] int l1(int column) const;
  [[nodiscard]] int max_l1() const noexcept;
  [[nodiscard]] bool centred() const noexcept { return kernel_size_ % 2 == 1; }
  [[nodiscard]] int centre() const noexcept { return (columns() - 1) / 2; }  ///< K must be odd.
  [[nodiscard]] int partner(int column) const noexcept {
    return columns() - 1 - column;
  }  ///< Returns the column of -delta. K must be odd.

  /// Returns the largest threshold t (section 5.4 of the Spira paper). Columns whose L1 norm, in units of the
  /// stride, is below t are dense and run output-stationary. All other columns are sparse and run
  /// weight-stationary. With t = 0 all columns are sparse, and with t = max_l1() + 1 all are dense.
  [[nodiscard]] int max_threshold() const noexcept { return max_l1() + 1; }
  [[nodiscard]] std::vector<int> dense_columns(int threshold) const;
  [[nodiscard]] std::vector<int> sparse_columns(int threshold) const;

 private:
  int kernel_size_, stride_;
  std::vector<Voxel> offsets_;
};

}  // namespace spira

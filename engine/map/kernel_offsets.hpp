// Defines the weight offsets of a kernel, with their z-groups, anchors, L1 norms and symmetric partners
// (sections 2.2, 4, 5.2 of the Spira paper).
#pragma once

#include "engine/map/neighbourhood.hpp"
#include "engine/voxel/level_rule.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <string>
#include <vector>

namespace spira {

constexpr int largest_kernel_size = 7;  ///< On each axis.

/// The cells of a kernel around an output.
struct KernelShape {
  PerAxis size = 3;
  /// The number of cells of the kernel below the output, on each axis. The first cell is at -padding.
  PerAxis padding = 1;
  /// How the inputs of an output are found. A native neighbourhood needs a centred kernel with the same odd
  /// size on all axes (see why_not()).
  Neighbourhood neighbourhood{};

  KernelShape() = default;
  KernelShape(PerAxis cells, PerAxis below) : size(cells), padding(below) {}
  /// A kernel of this size with the usual padding.
  KernelShape(PerAxis cells)
      : size(cells), padding(usual_padding(cells)) {}      // NOLINT(google-explicit-constructor)
  KernelShape(int cells) : KernelShape(PerAxis(cells)) {}  // NOLINT(google-explicit-constructor)

  /// Returns (size - 1) / 2 for odd sizes, so that the kernel is centred. Returns 0 for even sizes.
  [[nodiscard]] static PerAxis usual_padding(PerAxis size) noexcept;
  [[nodiscard]] int columns() const noexcept { return size.product(); }
  /// Returns the size if it is the same on all axes, otherwise 0.
  [[nodiscard]] int cube() const noexcept { return size.equal() ? size[0] : 0; }
  /// True if every cell has a cell on the opposite side of the output.
  [[nodiscard]] bool centred() const noexcept;
  [[nodiscard]] bool native() const noexcept { return neighbourhood.native(); }
  auto operator<=>(const KernelShape&) const = default;
};
/// Returns the size, such as "3" or "1x1x3". Adds the padding if it is not the usual one, and a native
/// neighbourhood: "3, padding 0", "3 ball".
[[nodiscard]] std::string text_of(const KernelShape& kernel);

/// Returns how many cells of the input level the search of a kernel reads below and above an output, on each
/// axis.
struct SearchedCells {
  PerAxis below, above;
};
[[nodiscard]] SearchedCells searched_cells(const KernelShape& kernel) noexcept;

/// The weight offsets of a kernel. Column k is (ix * K_y + iy) * K_z + iz, so the K_z columns of a z-group
/// (equal dx and dy) are adjacent, in ascending order of dz. The components of an offset are (i - padding) *
/// stride. Kernels of even size are not centred (trap 6 in docs/architecture.md).
class KernelOffsets {
 public:
  /// `stride` is the stride of the inputs. A native kernel has the offsets of the voxel convolution of its
  /// size, whatever the edge of its local cells is. Throws `Error(usage)` unless each size is from 1 to
  /// largest_kernel_size and each stride is a power of two of at most max_level_stride, or if the kernel
  /// cannot have its neighbourhood.
  KernelOffsets(const KernelShape& kernel, PerAxis stride);

  [[nodiscard]] const KernelShape& kernel() const noexcept { return kernel_; }
  [[nodiscard]] PerAxis stride() const noexcept { return stride_; }  ///< The stride of the inputs, s_p.
  [[nodiscard]] int columns() const noexcept { return static_cast<int>(offsets_.size()); }
  [[nodiscard]] int z_groups() const noexcept { return kernel_.size[0] * kernel_.size[1]; }
  [[nodiscard]] int z_cells() const noexcept { return kernel_.size[2]; }  ///< Number of columns of a z-group.
  [[nodiscard]] Voxel offset(int column) const { return offsets_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] Voxel anchor(int z_group) const { return offset(z_group * z_cells()); }
  /// Returns the L1 norm of the offset in cells, from 0 to max_l1(). It is counted from the cell of the
  /// kernel that is nearest to the output.
  [[nodiscard]] int l1(int column) const;
  [[nodiscard]] int max_l1() const noexcept;
  [[nodiscard]] bool centred() const noexcept { return kernel_.centred(); }
  [[nodiscard]] int centre() const noexcept { return (columns() - 1) / 2; }  ///< Must be centred.
  [[nodiscard]] int partner(int column) const noexcept {
    return columns() - 1 - column;
  }  ///< Returns the column of -delta. Must be centred.

  /// Returns the largest threshold t (section 5.4 of the Spira paper). Columns whose L1 norm is below t are
  /// dense and run output-stationary. All other columns are sparse and run weight-stationary. With t = 0 all
  /// columns are sparse, and with t = max_l1() + 1 all are dense.
  [[nodiscard]] int max_threshold() const noexcept { return max_l1() + 1; }
  [[nodiscard]] std::vector<int> dense_columns(int threshold) const;
  [[nodiscard]] std::vector<int> sparse_columns(int threshold) const;

 private:
  KernelShape kernel_;
  PerAxis stride_;
  std::vector<Voxel> offsets_;
};

}  // namespace spira

// Declares `BirdsEye`, the interface of the kernels of bird's-eye view networks (SBNet).
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/bev/blocks.hpp"
#include "engine/bev/mask.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// One layer of a unit. Its kernel has K x K cells; output cell o reads the input cells step * o + (-h..h)
/// with h = (K - 1) / 2. Input cells outside the image are 0, in every layer.
struct UnitLayer {
  int kernel_size = 3;
  bool relu = true;
  const UploadedWeights* weights = nullptr;  ///< From BirdsEye::upload_weights(). Shape: [K^2][C_in][C_out].
};
struct UnitRequest {
  std::array<std::int64_t, 2> cells{};  ///< Cells of the input image along x and along y.
  int step = 1;                         ///< The stride of the first layer. All others have stride 1.
  std::vector<UnitLayer> layers;
  bool residual = false;  ///< Adds the input of the unit before the ReLU of the last layer.
  /// If true, the call does not change the input. Otherwise it may use the memory of the input for the
  /// result.
  bool keep_input = false;
  UnitMethod method = UnitMethod::dense;
  const BlockList* blocks = nullptr;  ///< `nullptr` for `dense`.
};
/// Throws `Error(internal)` if the image, the layers and the blocks do not match.
void require_sound(const Features& image, const UnitRequest& request);
/// Returns the cells of the output image along x and along y.
[[nodiscard]] std::array<std::int64_t, 2> output_cells(const UnitRequest& request) noexcept;

/// Returns the channel of the input image that a point of this height sets to 1: 0 below the range of z, 1 to
/// n = channels - 3 for the bins, n + 1 at or above the end of the range (see BirdsEye::project()). All back
/// ends must compute the bin in this way, in double precision.
[[nodiscard]] inline int height_channel(double z, const Area& area, int channels) noexcept {
  const int bins = channels - 3;
  if (!(z >= area.z_m[0])) return 0;
  if (z >= area.z_m[1]) return bins + 1;
  const double bin = (z - area.z_m[0]) / (area.z_m[1] - area.z_m[0]) * bins;
  return 1 + std::min(static_cast<int>(bin), bins - 1);
}

/// Computes the images of a bird's-eye view. An image is Features with one row for every cell of the area, in
/// the order of Area::row_of(). The calls follow the rules of Backend.
class BirdsEye {
 public:
  BirdsEye() = default;
  virtual ~BirdsEye() = default;
  BirdsEye(const BirdsEye&) = delete;
  BirdsEye& operator=(const BirdsEye&) = delete;

  /// Computes the input image (SBNet paper, section 4.1) with n = channels - 3 bins of equal height in the
  /// range of z. Channel 0 is 1 if the cell has a point below the range, channels 1 to n are 1 if it has a
  /// point in the bin, channel n + 1 is 1 if it has a point at or above the end of the range, and channel n +
  /// 2 is the mean intensity of all points of the cell (1 if the cloud has no intensity, 0 for a cell without
  /// points). `channels` must be at least 4. Intensities are summed in the order of the points, except that
  /// the CUDA back end sums in any order in fixed point. Opens no stage; the caller opens "project".
  virtual Features project(const UploadedPoints& points, const Area& area, int channels, Precision precision,
                           Job& job) = 0;
  /// Makes a mask from the points. Returns one byte per cell, 0 or 1, in the memory of the back end. The
  /// values equal those of make_mask(). The caller opens the stage "mask".
  virtual Buffer make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec,
                           Job& job) = 0;
  /// Finds the active blocks of a mask from make_mask(), or of a copy of Mask::cells. The list equals
  /// active_blocks(). The caller opens the stage "blocks".
  virtual BlockList active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape,
                                  Job& job) = 0;
  /// Computes the output image of a unit.
  /// - `dense` computes every cell.
  /// - `gathered` copies the blocks side by side ([blocks][b][b][C], zeros outside the image), computes the
  /// layers
  ///   on them, and copies the cores to the result, as in the paper. Records gather, dense and scatter.
  /// - `fused` reads the image in the first layer and writes the result in the last one.
  /// On the cells of active cores, the result equals that of `dense` bit for bit if both use the same
  /// kernels. On all other cells, it equals the input for a unit with a residual, and 0 for all others. Sums
  /// are computed in fp32 (in double precision by the reference), and the outputs of inner layers have the
  /// precision of the image. Takes the memory of `image` unless `keep_input` is true. The caller opens the
  /// stage "features[..]".
  virtual Features run_unit(Features& image, const UnitRequest& request, Job& job) = 0;

  /// Uploads the weights of a layer in the layout that run_unit() reads.
  virtual UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) = 0;
  /// Returns how much memory run_unit() needs in addition to its arguments and its result, in bytes, if all
  /// blocks are active.
  [[nodiscard]] virtual std::size_t scratch_bytes(const UnitRequest& request, Precision precision) const = 0;
};

/// Returns the kernels of a back end. Throws `Error(device)` if the back end has none.
[[nodiscard]] BirdsEye& require_birds_eye(Backend& backend);

}  // namespace spira

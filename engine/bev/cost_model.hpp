// Models the time of a unit of a bird's-eye view network, computed densely or on active blocks. The model
// counts bytes and FLOPs, so it needs only the rates of a device.
#pragma once

#include "engine/bev/unit.hpp"

#include <cstdint>
#include <vector>

namespace spira {

/// The layers of a unit, without their weights.
struct CostUnit {
  struct Layer {
    int kernel_size = 3, in_channels = 1, out_channels = 1;
  };
  std::vector<Layer> layers;
  int step = 1;           ///< The stride of the first layer.
  bool residual = false;  ///< True if the last layer adds the input of the unit.
};
[[nodiscard]] CostUnit cost_unit(const Network& network, const BevUnit& unit);
/// Returns the residual unit of the SBNet paper: 1 x 1 from `channels` to `inner` channels, 3 x 3, and 1 x 1
/// back.
[[nodiscard]] CostUnit bottleneck(int channels, int inner);

/// The work of a unit. Numbers without "launches" are per cell of the output image.
struct UnitCost {
  double values = 0;         ///< Values of features that are read and written. Weights are not counted.
  double multiply_adds = 0;  ///< Including those for cells of halos.
  int launches = 0;
};
/// Counts a unit that computes every cell, with one kernel for each layer.
[[nodiscard]] UnitCost dense_cost(const CostUnit& unit);
/// Counts a unit that copies blocks, computes the layers on them and copies the cores back. A residual is
/// added to the image by the last copy. `computed` is BlockShares::computed.
[[nodiscard]] UnitCost gathered_cost(const CostUnit& unit, int core, double computed);
/// Counts a unit whose first layer reads the image and whose last layer writes it.
[[nodiscard]] UnitCost fused_cost(const CostUnit& unit, int core, double computed);

/// The rates of a device.
struct CostRates {
  double bytes_per_s = 0, flops_per_s = 0;
  /// Floor of the dense unit, divided by its measured time. At most 1.
  double efficiency = 1;
  double launch_s = 0;  ///< Time of one launch.
};
/// Returns max(bytes / bytes_per_s, FLOPs / flops_per_s) / efficiency + launches * launch_s, in seconds.
[[nodiscard]] double modelled_s(const UnitCost& cost, std::int64_t cells, int bytes_per_value,
                                const CostRates& rates);

/// Returns the computed share at which a unit on blocks moves as many values as the dense unit. With a larger
/// share, dense is faster if memory limits the time. The argument is a cost with the computed share 1.
[[nodiscard]] inline double break_even(const UnitCost& dense, const UnitCost& all_blocks) noexcept {
  return dense.values / all_blocks.values;
}

}  // namespace spira

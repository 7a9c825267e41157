// Defines BevFacts, what a bird's-eye view network computed: its area, its mask, and the blocks of its units.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/bev/area.hpp"
#include "engine/bev/blocks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spira {

struct MaskDensity {
  int stride = 1;
  std::int64_t cells = 0;  ///< Number of cells of the mask at this stride.
  double density = 0;      ///< Their share of all cells.
};

/// The difference between the output of a unit and its output if all units run dense. Without training with
/// the mask, cells near inactive blocks differ by design (SBNet paper, section 4.4).
struct DenseDifference {
  double mask_rel = 0;  ///< The largest difference on cells of the mask, over the largest dense value.
  std::int64_t deep_cells = 0;  ///< Cells whose whole reach in the network lies in active blocks.
  double deep_rel = 0;          ///< The largest difference on these cells. Must be rounding.
};

struct UnitFacts {
  std::string name;
  int first_layer = 0, last_layer = 0;
  UnitPlan plan;
  /// Without blocks, the method dense computes and reads all cells, and the method rows only those of the
  /// mask.
  BlockShares shares{};
  std::int64_t flops = 0;                       ///< Of all computed cells, including halos.
  std::int64_t useful_flops = 0;                ///< Of the cells of the mask.
  std::optional<DenseDifference> difference{};  ///< Empty if it was not computed.
};

struct BevFacts {
  Area area;
  std::string mask;  ///< In the form that parse_mask() reads.
  std::int64_t mask_cells = 0;
  std::uint64_t mask_fingerprint = 0;  ///< hash64() of the cells of the mask.
  std::vector<MaskDensity> densities;  ///< One for each stride of the network.
  std::vector<UnitFacts> units;
};

}  // namespace spira

// Verifies the units of a bird's-eye view network against the reference, for all methods and cores.
#pragma once

#include "engine/bev/mask.hpp"
#include "engine/run/verify/verify.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace spira {

struct BevVerifyOptions {
  Area area;
  std::vector<MaskSpec> masks;
  std::uint64_t seed = 1;
  bool quick = false;  ///< True to verify only dense and fused, with core 8, in fp32.
};
/// Computes each unit on both back ends from the same input. The error of a row is the largest difference
/// over the largest value, and its bound is output_tolerance(). Also compares blocks with dense units of
/// `subject`: on cells whose whole reach in the network lies in active blocks, the outputs must be equal bit
/// for bit.
[[nodiscard]] VerifyResult verify_bev(const std::shared_ptr<Backend>& subject, Backend& reference,
                                      const std::shared_ptr<const PointCloud>& cloud,
                                      const std::shared_ptr<const Network>& network,
                                      const BevVerifyOptions& options, Job& job);

}  // namespace spira

// Assigns positions in one memory block to tensors. Tensors that are needed in different steps share memory.
#pragma once

#include <cstddef>
#include <vector>

namespace spira {

struct ArenaTensor {
  std::size_t bytes = 0;
  /// The content is needed from the start of first_step to the end of last_step.
  int first_step = 0, last_step = 0;
  std::size_t offset = 0;  ///< In bytes, a multiple of 256. Set by plan_arena().
};

/// Places the largest tensor first, and each tensor as low as the tensors that are live at the same time
/// allow. Returns the size of the arena in bytes.
[[nodiscard]] std::size_t plan_arena(std::vector<ArenaTensor>& tensors);

}  // namespace spira

// Assigns an offset in one memory block to each tensor. Tensors that are needed in different steps share
// memory.
#pragma once

#include <cstddef>
#include <vector>

namespace spira {

struct ArenaTensor {
  std::size_t bytes = 0;
  /// The tensor is needed from the start of first_step to the end of last_step.
  int first_step = 0, last_step = 0;
  std::size_t offset = 0;  ///< In bytes, a multiple of 256. plan_arena() sets it.
};

/// Sets the offsets of all tensors. Starts with the largest tensor, and puts each tensor at the lowest offset
/// that is free during its steps. Returns the size of the arena in bytes.
[[nodiscard]] std::size_t plan_arena(std::vector<ArenaTensor>& tensors);

}  // namespace spira

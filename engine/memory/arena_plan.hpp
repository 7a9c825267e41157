// Where tensors lie in one block of memory when each is needed for some steps only.
#pragma once

#include <cstddef>
#include <vector>

namespace spira {

struct ArenaTensor {
  std::size_t bytes = 0;
  int first_step = 0, last_step = 0;  ///< it holds its content from the one to the end of the other
  std::size_t offset = 0;             ///< set by plan_arena(), a multiple of 256
};

/// Places the largest first, each as low as those that live at the same time allow. Returns the bytes of the
/// arena.
[[nodiscard]] std::size_t plan_arena(std::vector<ArenaTensor>& tensors);

}  // namespace spira

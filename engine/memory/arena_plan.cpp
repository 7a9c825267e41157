#include "engine/memory/arena_plan.hpp"

#include <algorithm>
#include <numeric>

namespace spira {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool live_together(const ArenaTensor& a, const ArenaTensor& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

}  // namespace

std::size_t plan_arena(std::vector<ArenaTensor>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensors[a].bytes > tensors[b].bytes; });
  std::size_t end = 0;
  std::vector<const ArenaTensor*> placed;  // sorted by offset
  for (const std::size_t at : order) {
    ArenaTensor& tensor = tensors[at];
    tensor.offset = 0;
    for (const ArenaTensor* other : placed) {
      if (!live_together(tensor, *other)) continue;
      if (tensor.offset + tensor.bytes <= other->offset) break;
      tensor.offset = std::max(tensor.offset, aligned(other->offset + other->bytes));
    }
    end = std::max(end, aligned(tensor.offset + tensor.bytes));
    const auto behind =
        std::upper_bound(placed.begin(), placed.end(), tensor.offset,
                         [](std::size_t offset, const ArenaTensor* other) { return offset < other->offset; });
    placed.insert(behind, &tensor);
  }
  return end;
}

}  // namespace spira

#include "ui/view3d/voxels/held_ranges.hpp"

namespace spira::ui {

std::optional<HeldRange> HeldRanges::of(int frame, ColourBy by, int stride) const {
  const auto found = ranges_.find({by, stride});
  if (found == ranges_.end() || found->second.frame == frame) return std::nullopt;
  return found->second;
}

}  // namespace spira::ui

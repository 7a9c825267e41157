// Colour ranges that stay while frames of a sequence come and go: one colour means one value in all of them.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/view3d/voxel_values.hpp"

#include <map>
#include <optional>
#include <utility>

namespace spira::ui {

struct HeldRange {
  int frame = 0;  ///< where it was taken
  ValueRange range;
  bool operator==(const HeldRange& other) const {
    return frame == other.frame && range.low == other.range.low && range.high == other.range.high;
  }
};

class HeldRanges {
 public:
  /// Of another frame; empty: none was taken yet, or it is this frame's own and to be taken again.
  [[nodiscard]] std::optional<HeldRange> of(int frame, ColourBy by, int stride) const;
  void take(ColourBy by, int stride, const HeldRange& range) { ranges_[{by, stride}] = range; }
  void forget() { ranges_.clear(); }

 private:
  std::map<std::pair<ColourBy, int>, HeldRange> ranges_;
};

}  // namespace spira::ui

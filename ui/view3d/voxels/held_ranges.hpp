// Colour ranges that stay fixed while the frames of a sequence change, so that a colour means the same value
// in all frames.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <map>
#include <optional>
#include <utility>

namespace spira::ui {

struct HeldRange {
  int frame = 0;  ///< frame that the range was computed from
  ValueRange range;
  bool operator==(const HeldRange& other) const {
    return frame == other.frame && range.low == other.range.low && range.high == other.range.high;
  }
};

class HeldRanges {
 public:
  /// Returns the stored range if it comes from another frame. Returns `nullopt` if no range is stored, or if
  /// the range comes from `frame` itself and must be computed again.
  [[nodiscard]] std::optional<HeldRange> of(int frame, ColourBy by, int stride) const;
  void take(ColourBy by, int stride, const HeldRange& range) { ranges_[{by, stride}] = range; }
  void forget() { ranges_.clear(); }

 private:
  std::map<std::pair<ColourBy, int>, HeldRange> ranges_;
};

}  // namespace spira::ui
